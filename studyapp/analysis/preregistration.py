"""A study as a registry asks for it: what will be done and how it will be analysed, before it is.

The document says what this program does.  What the report says about its statistics, the document says in
the same words (``studyapp.analysis.explanations``), so a change of the program is a change of the document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from pydantic import ValidationError

from core.errors import FileError, SettingError
from core.files import ordinary
from core.rewards import LEAST, MOST
from core.selection import SELECTIONS
from core.settings import Settings
from core.teachers import TEACHERS
from core.wording import counted, visible, visible_lines
from studyapp.analysis.comparisons import MARGIN
from studyapp.analysis.explanations import EXPLAINED, STATISTICS
from studyapp.analysis.outcomes import OUTCOMES, Outcome
from studyapp.analysis.power import PowerFile, Triple, powers, towards
from studyapp.analysis.sample import Pair
from studyapp.analysis.teachers import MOST_FITTED
from studyapp.base.outputs import plain
from studyapp.reporting.paired import LEVEL
from studyapp.reporting.wording import listed, number, percent
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Firsts
from studyapp.study.study import Study

LARGEST = 16_000_000  # bytes of a power.json, more than any has
SIGNS = "\\`*_[]<>#|"


# The power of a planned study


@dataclass(frozen=True)
class PlannedEffect:
    """The power to show one difference."""

    models: Pair
    outcome: Outcome
    expected: str  # the model that should be shown to be better
    difference: float  # the first model minus the second
    d_z: Triple  # positive if the expected model is ahead
    power: Triple  # at the level
    power_if_corrected: Triple  # at the level divided by the number of pairs

    def as_json(self) -> dict[str, Any]:
        return vars(self) | {"outcome": self.outcome.name}


@dataclass(frozen=True)
class PlannedPower:
    """The power for a planned number of participants."""

    sessions: int  # from which the effects were estimated
    kinds: list[str]
    participants: int
    level: float
    effects: list[PlannedEffect]

    @property
    def pairs(self) -> int:
        return len({effect.models for effect in self.effects})


def read_power(path: Path, study: Study) -> PowerFile:
    """The effects in a power.json, which must be of a study with the same models and questions."""
    with ordinary(path) as file:
        raw = file.read(LARGEST)
    try:
        saved = PowerFile.model_validate_json(raw)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        where = f" ({place}: {error.errors()[0]['msg']})" if place else ""
        raise FileError(path, f"this is not a power.json of studyapp power{where}") from None
    try:
        _check(saved, study)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return saved


def _check(saved: PowerFile, study: Study) -> None:
    pairs = {tuple(sorted(pair.models)) for pair in saved.pairs}
    if pairs != set(combinations(sorted(study.models), 2)) or len(pairs) != len(saved.pairs):
        raise SettingError("this is the power of a study with other models; estimate it for this study")
    for pair in saved.pairs:
        for name in OUTCOMES.names:
            if name not in pair.effects or name not in pair.power:
                raise SettingError(f"there is no {name} of {' and '.join(pair.models)} in this file")
            expected = pair.power[name]
            if expected.expected not in pair.models:
                raise SettingError(f"{expected.expected!r} is not one of {' and '.join(pair.models)}")
            if expected.question != study.questions:
                problem = f"this is the power of a study with {expected.question} questions in a round"
                raise SettingError(f"{problem}, but this one has {study.questions}")


def planned_power(saved: PowerFile, participants: int, level: float, better: str | None) -> PlannedPower:
    """The power of a study with so many participants to show that the expected models are better."""
    effects = []
    for pair in saved.pairs:
        for outcome in OUTCOMES:
            effect = pair.effects[outcome.name]
            expected = better if better and better in pair.models else pair.power[outcome.name].expected
            d_z = towards(effect, outcome.towards(pair.models, expected))
            effects.append(
                PlannedEffect(
                    pair.models,
                    outcome,
                    expected,
                    effect.difference,
                    d_z,
                    powers(d_z, participants, level),
                    powers(d_z, participants, level / len(saved.pairs)),
                )
            )
    return PlannedPower(saved.sessions, saved.kinds, participants, level, effects)


# The registration


@dataclass(frozen=True)
class Preregistration:
    """Everything that is registered."""

    loaded: LoadedStudy
    study_sha256: str
    participants: int
    primary: str  # of OUTCOMES
    better: str | None  # the model that is expected to be better
    margin: float
    power: PlannedPower | None
    firsts: Firsts
    finished: int  # sessions that count, so far
    unfinished: int
    at: str
    software: dict[str, str]
    program_sha256: str

    @property
    def command(self) -> str:
        """What will be run."""
        return "studyapp analyse" + (f" --margin {self.margin:g}" if self.margin != MARGIN else "")


def as_record(plan: Preregistration) -> dict[str, Any]:
    """The registration for programs; ``studyapp.analysis.registered`` compares with it."""
    loaded, firsts = plan.loaded, plan.firsts
    record: dict[str, Any] = {
        "title": loaded.study.title,
        "at": plan.at,
        "study_sha256": plan.study_sha256,
        "study": loaded.study.record(),
        "words_sha256": loaded.vocabulary.sha256,
        "participants": plan.participants,
        "sessions_before": {"finished": plan.finished, "unfinished": plan.unfinished},
        "design": {
            "rounds": loaded.extent.rounds,
            "practice_rounds": loaded.extent.practice_rounds,
            "participants_counted": len(firsts.participants),
            "first_for_a_participant": list(firsts.per_participant()),
            "first_with_a_target": list(firsts.per_target()),
            "first": {
                target: dict(zip(firsts.models, firsts.with_target(target), strict=True))
                for target in firsts.targets
            },
        },
        "primary": plan.primary,
        "better": plan.better,
        "analysis": {
            "command": plan.command,
            "include": [],
            "exclude": [],
            "margin": plan.margin,
            "level": LEVEL,
        },
        "methods": EXPLAINED,
        "power": plan.power,
        "software": plan.software,
        "program_sha256": plan.program_sha256,
    }
    return {name: plain(value) for name, value in record.items()}


def as_document(plan: Preregistration) -> str:
    """The registration for people, in Markdown; one line per paragraph, so that it can be pasted anywhere."""
    return _render("preregistration.md.jinja", _given(plan))


def _given(plan: Preregistration) -> dict[str, Any]:
    loaded = plan.loaded
    study, models = loaded.study, list(loaded.study.models)
    settings = {model: study.settings(model, seed=0) for model in models}
    names = [field.name for field in fields(Settings) if field.name != "seed"]
    primary = OUTCOMES[plan.primary]
    return {
        "plan": plan,
        "loaded": loaded,
        "study": study,
        "extent": loaded.extent,
        "words": loaded.vocabulary.words,
        "targets": loaded.targets,
        "models": models,
        "others": [model for model in models if model != plan.better],
        "pairs": len(models) * (len(models) - 1) // 2,
        "does": primary.does,
        "firsts": plan.firsts,
        "settings": {model: _described(own) for model, own in settings.items()},
        "names": names,
        "model_rows": [
            [_code(model), *(_value(getattr(own, name)) for name in names)] for model, own in settings.items()
        ],
        "power": plan.power,
        "power_source": _source(plan.power) if plan.power else "",
        "power_head": _power_head(plan.power) if plan.power else [],
        "power_rows": _power_rows(plan.power, plan.primary) if plan.power else [],
        "primary": primary.registered,
        "secondary": listed([outcome.registered for outcome in OUTCOMES if outcome is not primary]),
        "statistics": STATISTICS,
        "most_fitted": MOST_FITTED,
        "least": LEAST,
        "most": MOST,
        "level": LEVEL,
        "default_margin": MARGIN,
        "versions": [[name, _code(version)] for name, version in plan.software.items()],
        "counted": counted,
        "codes": _codes,
        "texts": lambda words: listed([_text(word) for word in words]),
        "from_to": _from_to,
        "table": _table,
    }


def _described(settings: Settings) -> dict[str, Any]:
    """What a model does, in words."""
    return {
        "belief": settings.belief,
        "teacher_does": TEACHERS[settings.teacher].sentence,
        "selection_does": re.sub(r"\barm\b", "word", SELECTIONS[settings.selection].sentence),
    }


def _source(power: PlannedPower) -> str:
    """The sessions that the effects come from."""
    if power.kinds == ["simulated"]:
        return counted(power.sessions, "simulated participant") + " of this study"
    kinds = [{"person": "people", "pilot": "pilots"}.get(kind, kind) for kind in power.kinds]
    return f"{counted(power.sessions, 'session')} ({listed(kinds)})"


def _power_head(power: PlannedPower) -> list[str]:
    head = ["models", "outcome", "expected to be better", "d_z", f"power (p < {power.level:g})"]
    return head + ([f"power (p < {power.level / power.pairs:.2g})"] if power.pairs > 1 else [])


def _power_rows(power: PlannedPower, primary: str) -> list[list[str]]:
    """The primary outcome comes first."""
    return [
        [
            _codes(row.models),
            STATISTICS[row.outcome.name].title,
            _code(row.expected),
            f"{number(row.d_z[0])} ({number(row.d_z[1])} to {number(row.d_z[2])})",
            _shares(row.power),
            *([_shares(row.power_if_corrected)] if power.pairs > 1 else []),
        ]
        for row in sorted(power.effects, key=lambda row: row.outcome.name != primary)
    ]


def _shares(values: Triple) -> str:
    first, low, high = ("> 99 %" if value > 0.995 else percent(value) for value in values)
    return f"{first} ({low} to {high})"


def _codes(names: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join(listed([_code(name) for name in names]).rsplit(" and ", 1))


def _from_to(ends: tuple[int, int]) -> str:
    least, most = ends
    return counted(most, "time") if least == most else f"{least} to {counted(most, 'time')}"


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# Markdown for people to paste elsewhere, and text that must not pass for it


def _render(template: str, given: Mapping[str, Any]) -> str:
    """Fill in a template.  Text from files goes through ``| text`` or ``| code`` in it."""
    source = resources.files("studyapp.analysis").joinpath(template).read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters |= {"text": _text, "code": _code}
    return visible_lines(environment.from_string(source).render(**given))


def _text(text: str) -> str:
    """Text as it is: no sign in it is Markdown's."""
    return "".join(f"\\{sign}" if sign in SIGNS else sign for sign in visible(text))


def _code(text: str) -> str:
    """A name or a number as it is written in a file."""
    return f"`{visible(text).replace('`', chr(39)).replace('|', '/')}`"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
