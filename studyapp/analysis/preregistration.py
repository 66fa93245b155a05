"""A study as a registry asks for it: what will be done and how it will be analysed, before it is.

The document says what this program does.  What the report says about its statistics, the document says in
the same words (``studyapp.analysis.explanations``), so a change of the program is a change of the document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from core.rewards import LEAST, MOST
from core.selection import SELECTIONS
from core.settings import Settings
from core.teachers import TEACHERS
from core.wording import counted
from studyapp.analysis.comparisons import LEVEL, MARGIN
from studyapp.analysis.explanations import EXPLAINED, STATISTICS
from studyapp.analysis.outcomes import OUTCOMES
from studyapp.analysis.power import PlannedPower, Triple
from studyapp.analysis.teachers import MOST_FITTED
from studyapp.base.outputs import plain
from studyapp.reporting import markdown
from studyapp.reporting.wording import listed, number, percent
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Firsts


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
    return markdown.render("studyapp.analysis", "preregistration.md.jinja", _given(plan))


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
            [markdown.code(model), *(_value(getattr(own, name)) for name in names)]
            for model, own in settings.items()
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
        "versions": [[name, markdown.code(version)] for name, version in plan.software.items()],
        "counted": counted,
        "codes": _codes,
        "texts": lambda words: listed([markdown.plain(word) for word in words]),
        "from_to": _from_to,
        "table": markdown.table,
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
            markdown.code(row.expected),
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
    return f" {word} ".join(listed([markdown.code(name) for name in names]).rsplit(" and ", 1))


def _from_to(ends: tuple[int, int]) -> str:
    least, most = ends
    return counted(most, "time") if least == most else f"{least} to {counted(most, 'time')}"


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
