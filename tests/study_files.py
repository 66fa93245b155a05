"""Study files and sessions for tests: one small study, and Hypothesis strategies for any other.

Many of the words are ones that a YAML parser may take for something else.
"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from core.selection import SELECTIONS
from core.settings import FITS
from core.teachers import TEACHERS
from core.wording import FILLERS
from studyapp.base import documents
from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.session import events, log
from studyapp.session.events import Event
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log_format import encode
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.fields import GENERAL
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.plan import Round
from studyapp.study.questionnaires import READY_MADE
from studyapp.study.texts import NEEDED, Texts

Settings = dict[str, Any]

WORDS = ("tea", "no", "null", "café", "ice cream", "n")
VECTORS = "tea 1 0 1\nno 0 1 0\nnull 0 1 1\ncafé 1 0 2\nice cream 2 1 1\nn 0 2 1\n"

# It has every kind of step, and is fast: few words, few questions, few samples.
SMALL: Settings = {
    "title": "A small study",
    "words": "words.txt",
    "seed": 7,
    "learner": {"samples": 16},
    "models": {"plain": {"teacher": "naive"}, "both": {"teacher": "mixture"}},
    "targets": ["tea", "no"],
    "questions": 2,
    "practice": ["n"],
    "breaks": {"every": 2},
    "pace": {"pause": 0},
    "consent": "Yes?\n...\nNo?",
    "instructions": ["First.", "Then."],
    "questionnaires": {
        "mood": [{"id": "tired", "kind": "scale", "ask": "Tired?", "least": 0, "most": 3}],
        "you": [
            {"id": "side", "kind": "choice", "ask": "Which?", "choices": ["left", "no"]},
            {"id": "remarks", "kind": "text", "ask": "Anything?"},
            {"id": "more", "kind": "text", "ask": "More?", "optional": True},
        ],
    },
    "after_round": ["mood"],
    "at_end": ["you"],
    "bonus": {"within": 2, "rounds": 1, "won": "Well done."},
}


def small(**changes: Any) -> Settings:
    """The small study with some settings changed; None removes one."""
    changed = copy.deepcopy(SMALL) | changes
    return {name: value for name, value in changed.items() if value is not None}


def write(folder: Path, settings: Settings, name: str = "study.yaml") -> Path:
    """A study file, with its words beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "words.txt").write_text(VECTORS, encoding="utf-8")
    path = folder / name
    path.write_text(documents.block(settings) + "\n", encoding="utf-8")
    return path


def loaded(folder: Path, settings: Settings) -> LoadedStudy:
    return load(write(folder, settings))


def open_sitting(
    study: LoadedStudy, sessions: Path, participant: str = "P01", kind: str = "random"
) -> Sitting:
    clock = SimulatedClock(SystemClock().now())
    return Sitting.open(study, Participant(participant, teacher=kind), sessions, clock=clock)


def run(study: LoadedStudy, sessions: Path, participant: str = "P01", kind: str = "random") -> list[Event]:
    """The events of a simulated participant's session, begun or continued."""
    sitting = open_sitting(study, sessions, participant, kind)
    try:
        assert isinstance(sitting.clock, SimulatedClock)
        attend(sitting, SimulatedParticipant(sitting, kind), sitting.clock)
    finally:
        sitting.close()
    return log.read(sessions / f"{participant}.yaml").events


@dataclass(frozen=True)
class Recording:
    """A finished session of the small study."""

    study: LoadedStudy
    events: tuple[Event, ...]
    raw: bytes  # its log

    def put(self, folder: Path, events: Sequence[Event] | None = None, name: str = "P01.yaml") -> Path:
        """The log in a folder, its words beside it; with other events, as a forger would write it."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "words.txt").write_text(VECTORS, encoding="utf-8")
        (folder / name).write_bytes(self.raw if events is None else encode(events))
        return folder / name

    def nth(self, kind: type[Event], nth: int = 0) -> int:
        """The place among the events of the nth of a kind."""
        return [place for place, event in enumerate(self.events) if isinstance(event, kind)][nth]

    def changed(self, place: int, **changes: Any) -> list[Event]:
        """The events, some fields of one of them changed."""
        events = list(self.events)
        events[place] = replace(events[place], **changes)
        return events


def recorded(participant: str = "P01", **changes: Any) -> Recording:
    """A session that is recorded once, however many tests use it."""
    return _record(json.dumps(small(**changes)), participant)


@cache
def _record(settings: str, participant: str) -> Recording:
    with tempfile.TemporaryDirectory() as name:
        study = loaded(Path(name), json.loads(settings))
        events = run(study, Path(name), participant)
        return Recording(study, tuple(events), (Path(name) / f"{participant}.yaml").read_bytes())


# What people type

_WORDS = (
    "n no y null ~ true 1e3 0x1 010 1_0 12:30 2026-11-16 = << --- ... {a} [a] &a *a !a %a @a ` ' \" \\ | > ?"
)
NASTY = (
    *_WORDS.split(" "),
    *("", " ", "\t", "a\tb", "a\n", "a\n\n", "\na", " a\nb ", "--- a", "a\n---\nb", "a\n...\nb", "\n...\n"),
    *("- a", "a: b", "# a", "a # b", "\0", "\x7f", "\x85", "\u2028", "\ufeff", "é", "日本", "\U0001f600"),
    *("a" * 150, "a b " * 60 + "--- c"),
)


def texts() -> st.SearchStrategy[str]:
    """Any text, often one that YAML could take for something else."""
    return st.sampled_from(NASTY) | st.text(max_size=20)


def values(*, deep: int = 8) -> st.SearchStrategy[Any]:
    """Any value that our YAML documents can hold."""
    numbers = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
    leaves = texts() | numbers | st.booleans() | st.none()
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts(), inner, max_size=4),
        max_leaves=deep,
    )


def _shown(*, newlines: bool = False) -> st.SearchStrategy[str]:
    """A text for participants without placeholders, at least one character."""
    return _visible(newlines=newlines).map(_escaped)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _visible(*, newlines: bool = False) -> st.SearchStrategy[str]:
    """A text that a terminal can show, at least one character."""
    printable = st.characters(
        codec="utf-8", exclude_categories=("C", "Z"), include_characters=" ", exclude_characters=FILLERS
    )
    typed = st.sampled_from([text for text in NASTY if text.isprintable() and text]) | st.text(
        printable, min_size=1, max_size=20
    )
    return st.lists(typed, min_size=1, max_size=4).map("\n".join) if newlines else typed


@st.composite
def _with_placeholders(draw: st.DrawFn, names: Sequence[str]) -> str:
    """A text with some of the placeholders that it may use."""
    return draw(_shown()) + "".join(
        f" {{{name}}}" for name in draw(st.lists(st.sampled_from(names), max_size=2))
    )


# Study files

_names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,8}", fullmatch=True)


def _teacher() -> st.SearchStrategy[Settings]:
    """A teacher model, with a belief that it works with where that has to be named."""
    named = [{"teacher": model.name, "belief": belief} for model in TEACHERS for belief in model.beliefs]
    return st.sampled_from([{}, *named])


def _model() -> st.SearchStrategy[Settings]:
    return st.builds(lambda learner, teacher: learner | teacher, _learner(), _teacher())


def _learner() -> st.SearchStrategy[Settings]:
    return st.fixed_dictionaries(
        {"samples": st.sampled_from([2, 16])},
        optional={
            "selection": st.sampled_from(SELECTIONS.names),
            "beta": st.floats(0, 50) | st.integers(0, 50),
            "tau": st.floats(0.1, 10),
            "horizon": st.integers(1, 2),
            "gamma": st.floats(0.1, 1),
            "fit": st.sampled_from(FITS),
        },
    )


def _item() -> st.SearchStrategy[Settings]:
    asking = {"id": _names, "ask": _with_placeholders([*GENERAL])}
    optional: dict[str, st.SearchStrategy[Any]] = {"optional": st.booleans()}
    choices = st.lists(_shown(), min_size=2, max_size=9, unique=True)
    scale = optional | {
        "least": st.integers(0, 1),
        "most": st.integers(2, 21),
        "low": _shown(),
        "high": _shown(),
    }
    return st.one_of(
        st.fixed_dictionaries(asking | {"kind": st.just("choice"), "choices": choices}, optional=optional),
        st.fixed_dictionaries(asking | {"kind": st.just("scale")}, optional=scale),
        st.fixed_dictionaries(
            asking | {"kind": st.just("text")}, optional=optional | {"longest": st.integers(1, 50)}
        ),
    )


@st.composite
def _texts(draw: st.DrawFn) -> Settings:
    names = draw(st.lists(st.sampled_from(sorted(Texts.model_fields)), max_size=3, unique=True))
    chosen = {name: draw(_with_placeholders([*Texts.own_placeholders(name), *GENERAL])) for name in names}
    for name in NEEDED.keys() & chosen.keys():
        chosen[name] += "".join(f"{{{needed}}}" for needed in NEEDED[name])
    return chosen


@st.composite
def study_files(draw: st.DrawFn) -> Settings:
    """The settings of a valid study, small enough to run."""
    some_words = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6, unique=True)
    targets = draw(st.just("all") | some_words)
    models = draw(st.dictionaries(_names, _model(), min_size=2, max_size=3))
    questions = draw(st.integers(1, 4))
    rounds = len(models) * (len(WORDS) if targets == "all" else len(targets))
    own = draw(
        st.dictionaries(
            _names.filter(lambda name: name not in READY_MADE),
            st.lists(_item(), min_size=1, max_size=3, unique_by=lambda item: item["id"]),
            max_size=2,
        )
    )
    asked = st.lists(st.sampled_from([*READY_MADE.names, *own]), max_size=2, unique=True)
    keys = draw(
        st.lists(
            st.characters(min_codepoint=33, max_codepoint=126), min_size=2, max_size=2, unique_by=str.lower
        )
    )
    optional: dict[str, st.SearchStrategy[Any]] = {
        "kernel_width": st.floats(0.1, 10),
        "seed": st.integers(-(2**63), 2**63 - 1),
        "learner": _learner(),
        "order": st.sampled_from(["fixed", "random"]),
        "order_of_models": st.sampled_from(["random", "balanced"]),
        "participants": st.integers(1, 3),
        "ids": st.sampled_from(["{number}", "lab-{number:03}_b", ["P01", "anna", "B7"]]),
        "practice": st.lists(st.sampled_from(WORDS), max_size=1, unique=True),
        "breaks": st.fixed_dictionaries(
            {"every": st.integers(1, 5)}, optional={"seconds": st.integers(0, 9)}
        ),
        "answers": st.fixed_dictionaries(
            {"yes": st.just(keys[0]), "no": st.just(keys[1])}, optional={"confirm": st.booleans()}
        ),
        "look": st.sampled_from(["dark", "light", "terminal"]),
        "consent": _shown(newlines=True) | _with_placeholders([*GENERAL]),
        "instructions": st.lists(_shown(newlines=True), max_size=3),
        "after_round": asked,
        "at_end": asked,
        "bonus": st.fixed_dictionaries(
            {"within": st.integers(1, questions), "rounds": st.integers(1, rounds), "won": _shown()},
            optional={"lost": _shown()},
        ),
        "resume": st.fixed_dictionaries(
            {}, optional={"allowed": st.booleans(), "within_hours": st.floats(0.5, 100)}
        ),
        "texts": _texts(),
    }
    chosen = draw(st.fixed_dictionaries({}, optional=optional))
    return {
        "title": draw(_visible()),
        "words": "words.txt",
        "models": models,
        "targets": targets,
        "questions": questions,
        "pace": {"pause": 0},
        "questionnaires": own,
        **chosen,
    }


# Events


AN_ANSWER: Settings = {
    "round": 1,
    "question": 1,
    "word": "salt",
    "answer": "n",
    "reward": 0.2718,
    "shown_at": "2026-11-16T09:30:00.123Z",
    "rt_ms": 1840.0,
    "first_choice_ms": 900.0,
    "last_choice_ms": 1500.0,
    "compute_ms": 4.1,
    "delay_ms": 500.2,
    "late": False,
    "changes": 0,
    "stray_keys": 0,
    "away_ms": 0.0,
    "digest": "ab12",
    "converged": True,
}

_times = st.datetimes(datetime(1970, 1, 1), datetime(2999, 12, 31)).map(
    lambda moment: moment.isoformat(timespec="milliseconds") + "Z"
)
_counts = st.integers(0, 10**6)
_numbers = st.integers(1, 10**6)
_ms = st.floats(0, 1e10)
_software = st.dictionaries(texts(), texts(), max_size=3)
_rounds = st.builds(Round, _numbers, st.booleans(), texts(), texts(), texts())


def started() -> st.SearchStrategy[events.Started]:
    return st.builds(
        events.Started,
        participant=_names,
        at=_times,
        host=texts(),
        process=_counts,
        software=_software,
        simulated=st.booleans(),
        teacher=st.none() | texts(),
        people_sha256=st.none() | texts(),
        pilot=st.booleans(),
        imported=st.none() | st.builds(events.Imported, texts(), texts(), _numbers, st.none() | texts()),
        words=texts(),
        words_sha256=texts(),
        seed=st.integers(-(2**63), 2**63 - 1),
        study=st.dictionaries(texts(), values(), max_size=4),
        plan=st.lists(_rounds, max_size=3),
        clock_ms=st.none() | _ms,
    )


# Every event after the first, by its class.
LATER: dict[type[Any], dict[str, st.SearchStrategy[Any]]] = {
    events.Consented: {"at": _times},
    events.Declined: {"at": _times},
    events.Read: {"at": _times, "ms": _ms, "away_ms": _ms},
    events.RoundBegan: {"round": _numbers, "at": _times},
    events.Answered: {
        "round": _numbers,
        "question": _numbers,
        "word": texts(),
        "answer": st.sampled_from(["y", "n"]),
        "reward": st.floats(0, 1),
        "shown_at": st.none() | _times,
        "rt_ms": st.none() | _ms,
        "first_choice_ms": st.none() | _ms,
        "last_choice_ms": st.none() | _ms,
        "compute_ms": st.none() | _ms,
        "delay_ms": st.none() | _ms,
        "late": st.none() | st.booleans(),
        "changes": st.none() | _counts,
        "stray_keys": st.none() | _counts,
        "away_ms": st.none() | _ms,
        "digest": st.none() | texts(),
        "converged": st.none() | st.booleans(),
    },
    events.Responded: {
        "questionnaire": texts(),
        "item": texts(),
        "after": st.none() | _numbers,
        "value": texts() | _counts | st.none(),
        "at": _times,
        "rt_ms": _ms,
        "away_ms": _ms,
    },
    events.Confirmed: {"after": st.none() | _numbers, "at": _times, "ms": _ms, "away_ms": _ms},
    events.Rested: {"after": _numbers, "at": _times, "ms": _ms, "away_ms": _ms},
    events.Resumed: {
        "at": _times,
        "host": texts(),
        "process": _counts,
        "software": _software,
        "pilot": st.booleans(),
    },
    events.Stayed: {"at": _times, "ms": _ms},
    events.Reread: {"at": _times, "ms": _ms},
    events.Left: {"at": _times},
    events.Interrupted: {"signal": texts(), "at": _times},
    events.Withdrawn: {"data": st.sampled_from(["kept", "deleted"]), "answers": _counts, "at": _times},
    events.Recovered: {"bytes": _counts, "kept_in": texts(), "at": _times},
    events.Rewritten: {
        "found": st.sampled_from(["missing", "replaced", "cut short", "added to", "changed"]),
        "kept_in": st.none() | texts(),
        "at": _times,
    },
    events.Finished: {"at": _times, "answers": _counts, "found": _counts, "bonus": st.none() | st.booleans()},
}


def later_events() -> st.SearchStrategy[Event]:
    """Any event after the first."""
    clock = st.none() | _ms
    built = [st.builds(kind, clock_ms=clock, **fields) for kind, fields in LATER.items()]
    return st.one_of(built).map(_possible)


def _possible(event: Any) -> Any:
    """The event with every part of a duration no longer than the whole."""
    wholes = {
        "first_choice_ms": ("last_choice_ms", "rt_ms"),
        "last_choice_ms": ("rt_ms",),
        "away_ms": ("rt_ms", "ms"),
    }
    for part, longer in wholes.items():
        if getattr(event, part, None) is not None:
            durations = (getattr(event, name, None) for name in (part, *longer))
            event = replace(event, **{part: min(ms for ms in durations if ms is not None)})
    return event
