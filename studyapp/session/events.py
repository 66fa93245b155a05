"""The events of a session, as its log holds them.

Times are UTC, ISO 8601.  Durations are milliseconds of a monotonic clock.  An event is written as a
mapping of its fields, ``event`` first, and read back through the same classes, which reject every
unknown field, every number out of its bounds, and numbers that contradict each other.  Each field carries
its meaning, and the data dictionary of an export is built from these.  ``sessions/README.md`` documents
every event and field.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from core.errors import SettingError
from studyapp.study.plan import Round

SCHEMA: Final = 3

# Bounds that no honest log reaches, so that nothing computed from a log overflows.
MOST: Final = 10**10  # of anything that is counted
LONGEST: Final = 366 * 24 * 3600 * 1000.0  # ms: nobody looks at one page for a year
YEARS: Final = range(1970, 3000)

Count = Annotated[int, Field(ge=0, le=MOST)]
Number = Annotated[int, Field(ge=1, le=MOST)]  # counted from 1
Milliseconds = Annotated[float, Field(ge=0, le=LONGEST)]
Reward = Annotated[float, Field(ge=0, le=1)]
Seed = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]

MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def _check_moment(text: str) -> str:
    if not MOMENT.fullmatch(text) or datetime.fromisoformat(text).year not in YEARS:
        raise ValueError(f"a time must be like 2026-11-16T09:30:00.123Z, from {YEARS[0]} to {YEARS[-1]}")
    return text


Moment = Annotated[str, AfterValidator(_check_moment)]


def meaning(text: str) -> Any:
    """The meaning of a field, for the data dictionary."""
    return Field(description=text)


class _Strict:
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True, kw_only=True)
class _Event(_Strict):
    """What all events have.  A sitting fills in the stopwatch when it saves an event."""

    clock_ms: Annotated[
        Milliseconds | None,
        meaning(
            "stopwatch when the event was saved, from the start of the sitting (the last time that the "
            "session was begun or resumed); empty if the session was imported"
        ),
    ] = None

    def contradiction(self) -> str | None:
        """What its numbers cannot be together; None if they can."""
        return None


def _longer(one: str, one_ms: float | None, other: str, other_ms: float | None) -> str | None:
    """Say so if one duration is longer than another that contains it."""
    if one_ms is None or other_ms is None or one_ms <= other_ms:
        return None
    return f"{one} is {one_ms}, but it is a part of {other}, which is {other_ms}"


@dataclass(frozen=True)
class Imported(_Strict):
    """The table that an imported session comes from."""

    file: str
    sha256: str
    line: Number  # of the participant's first answer
    study: str | None  # name of the study that the data are from; None if the import named none


@dataclass(frozen=True)
class Started(_Event):
    """The head of a log: everything that determines the session."""

    participant: Annotated[str, meaning("ID of the participant")]
    at: Moment
    host: str
    process: Count
    software: dict[str, str]  # versions by name
    simulated: bool
    teacher: str | None  # how a simulated participant answers
    people_sha256: str | None  # hash of how people answer, if a simulated participant is one of them
    pilot: bool  # the experimenter's view of the learner was on
    imported: Imported | None  # None unless the session ran elsewhere
    words: str
    words_sha256: str
    seed: Seed
    study: dict[str, Any]  # the whole study file, with defaults filled in
    plan: list[Round]
    schema: Literal[3] = SCHEMA
    event: Literal["session"] = "session"


@dataclass(frozen=True)
class Consented(_Event):
    """The participant gave consent."""

    at: Moment
    event: Literal["consent"] = "consent"


@dataclass(frozen=True)
class Declined(_Event):
    """The participant did not give consent.  The session stays at the consent page."""

    at: Moment
    event: Literal["declined"] = "declined"


@dataclass(frozen=True)
class Read(_Event):
    """The participant read the instructions."""

    at: Moment
    ms: Milliseconds
    away_ms: Milliseconds  # the part of ms during which another page covered this one
    event: Literal["instructions"] = "instructions"

    def contradiction(self) -> str | None:
        return _longer("away_ms", self.away_ms, "ms", self.ms)


@dataclass(frozen=True)
class RoundBegan(_Event):
    """A round began."""

    round: Number
    at: Moment
    event: Literal["round"] = "round"


@dataclass(frozen=True)
class Answered(_Event):
    """A question and its answer.  None marks what an imported table does not contain."""

    round: Annotated[Number, meaning("number of the round in the session, counted from 1, practice included")]
    question: Annotated[Number, meaning("number of the question in the round, counted from 1")]
    word: Annotated[str, meaning("the word in the question")]
    answer: Annotated[Literal["y", "n"], meaning("y: the word is relevant; n: it is not")]
    reward: Annotated[
        Reward, meaning("similarity of the word to the target, kept between 0.0001 and 0.9999 by studyapp")
    ]
    shown_at: Annotated[Moment | None, meaning("when the question appeared (UTC, ISO 8601)")]
    rt_ms: Annotated[
        Milliseconds | None,
        meaning("from the appearance of the question to the key that confirmed the answer"),
    ]
    first_choice_ms: Annotated[
        Milliseconds | None, meaning("from the appearance of the question to the first choice")
    ]
    last_choice_ms: Annotated[
        Milliseconds | None,
        meaning("from the appearance of the question to the last choice, which counts"),
    ]
    compute_ms: Annotated[
        Milliseconds | None,
        meaning(
            "time to compute this question; all models compute it while a person answers, so that none can "
            "be told by its time; empty if nothing had to be computed"
        ),
    ]
    delay_ms: Annotated[
        Milliseconds | None,
        meaning("from the previous key (an answer, or the start of the round) to the question"),
    ]
    late: Annotated[bool | None, meaning("whether the question was not yet ready when the pause ended")]
    changes: Annotated[Count | None, meaning("how often the chosen answer changed before it was confirmed")]
    stray_keys: Annotated[Count | None, meaning("keys without a meaning, or pressed too soon")]
    away_ms: Annotated[
        Milliseconds | None,
        meaning(
            "the part of rt_ms during which something covered the question: the leave dialog, the "
            "instructions or the small-window notice"
        ),
    ]
    digest: Annotated[str | None, meaning("fingerprint of the learner's state that chose the question")]
    converged: Annotated[bool | None, meaning("whether the learner's fit converged")]
    event: Literal["answer"] = "answer"

    def contradiction(self) -> str | None:
        return (
            _longer("first_choice_ms", self.first_choice_ms, "last_choice_ms", self.last_choice_ms)
            or _longer("last_choice_ms", self.last_choice_ms, "rt_ms", self.rt_ms)
            or _longer("away_ms", self.away_ms, "rt_ms", self.rt_ms)
        )


@dataclass(frozen=True)
class Responded(_Event):
    """An answered item of a questionnaire.  Of several answers to one item, the last counts."""

    questionnaire: Annotated[str, meaning("name of the questionnaire")]
    item: Annotated[str, meaning("ID of the item in the questionnaire")]
    after: Annotated[
        Number | None, meaning("the round that the item followed; empty at the end of the session")
    ]
    value: Annotated[
        str | int | None,
        meaning("the answer: a step of a scale, a choice, or a text; empty if an optional item was skipped"),
    ]
    at: Annotated[Moment, meaning("when the item was answered (UTC, ISO 8601)")]
    rt_ms: Annotated[Milliseconds, meaning("from the appearance of the item to the confirming key")]
    away_ms: Annotated[Milliseconds, meaning("the part of rt_ms during which another page covered the item")]
    event: Literal["response"] = "response"

    def contradiction(self) -> str | None:
        return _longer("away_ms", self.away_ms, "rt_ms", self.rt_ms)


@dataclass(frozen=True)
class Confirmed(_Event):
    """The participant confirmed the answers to the items that were asked together."""

    after: Number | None  # the round before them; None at the end of the session
    at: Moment
    ms: Milliseconds
    away_ms: Milliseconds
    event: Literal["confirmed"] = "confirmed"

    def contradiction(self) -> str | None:
        return _longer("away_ms", self.away_ms, "ms", self.ms)


@dataclass(frozen=True)
class Rested(_Event):
    """A break ended."""

    after: Number  # the round before the break
    at: Moment
    ms: Milliseconds
    away_ms: Milliseconds
    event: Literal["break"] = "break"

    def contradiction(self) -> str | None:
        return _longer("away_ms", self.away_ms, "ms", self.ms)


@dataclass(frozen=True)
class Resumed(_Event):
    """The session was opened again."""

    at: Moment
    host: str
    process: Count
    software: dict[str, str]
    pilot: bool
    event: Literal["resumed"] = "resumed"


@dataclass(frozen=True)
class Stayed(_Event):
    """The participant opened the leave dialog and stayed."""

    at: Moment
    ms: Milliseconds
    event: Literal["stayed"] = "stayed"


@dataclass(frozen=True)
class Reread(_Event):
    """The participant read the instructions again."""

    at: Moment
    ms: Milliseconds
    event: Literal["reread"] = "reread"


@dataclass(frozen=True)
class Left(_Event):
    """The participant left for now."""

    at: Moment
    event: Literal["left"] = "left"


@dataclass(frozen=True)
class Interrupted(_Event):
    """A signal or a fault in studyapp ended the program."""

    signal: str  # SIGTERM, SIGHUP, SIGINT, or fault
    at: Moment
    event: Literal["interrupted"] = "interrupted"


@dataclass(frozen=True)
class Withdrawn(_Event):
    """The participant withdrew.  Deleted answers are no longer in the log."""

    data: Literal["kept", "deleted"]
    answers: Count  # given before the withdrawal
    at: Moment
    by: Literal["participant", "experimenter"] = "participant"  # the experimenter: on request, later
    event: Literal["withdrawn"] = "withdrawn"


@dataclass(frozen=True)
class Recovered(_Event):
    """A torn tail at the end of the log was moved to a file of its own."""

    bytes: Count
    kept_in: str  # name of that file
    at: Moment
    event: Literal["recovered"] = "recovered"


Found = Literal["missing", "replaced", "cut short", "added to", "changed"]


@dataclass(frozen=True)
class Rewritten(_Event):
    """Another program changed the log during the session.  The log was written again, whole."""

    found: Found  # what had become of it
    kept_in: str | None  # name of the file that has what was there; None if nothing was
    at: Moment
    event: Literal["rewritten"] = "rewritten"


@dataclass(frozen=True)
class Finished(_Event):
    """The session is complete."""

    at: Moment
    answers: Count
    found: Annotated[
        Count,
        meaning("rounds in which the target was found: in time for the bonus if there is one, else at all"),
    ]
    bonus: Annotated[bool | None, meaning("whether the bonus was won; empty if the study has none")]
    event: Literal["finished"] = "finished"


Event = (
    Started
    | Consented
    | Declined
    | Read
    | RoundBegan
    | Answered
    | Responded
    | Confirmed
    | Rested
    | Resumed
    | Stayed
    | Reread
    | Left
    | Interrupted
    | Withdrawn
    | Recovered
    | Rewritten
    | Finished
)


def _check_possible(event: Event) -> Event:
    if problem := event.contradiction():
        raise ValueError(problem)
    return event


_any: TypeAdapter[Event] = TypeAdapter(
    Annotated[Event, Field(discriminator="event"), AfterValidator(_check_possible)]
)


def as_mapping(event: Event) -> dict[str, Any]:
    """An event as it is written: its name first, the stopwatch last."""
    fields = asdict(event)
    first = {name: fields.pop(name) for name in ("event", "schema") if name in fields}
    last = {"clock_ms": fields.pop("clock_ms")}
    return first | fields | last


def check_event(event: Event) -> None:
    """Raise a SettingError if this event could not be read back."""
    from_mapping(as_mapping(event))


def from_mapping(mapping: object) -> Event:
    """The event in a mapping; raises a SettingError if there is none."""
    try:
        # Through JSON: there, strict validation rejects 1 for "1" but still accepts a mapping for an object.
        return from_json(json.dumps(mapping).encode())
    except (TypeError, ValueError, RecursionError) as error:  # not JSON, or nested too deeply
        if isinstance(error, SettingError):
            raise
        raise SettingError("it has a value that no event can have") from None


def from_json(raw: bytes) -> Event:
    """The event in a line of JSON; raises a SettingError if there is none."""
    try:
        return _any.validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SettingError(f"{place + ': ' if place else ''}{first['msg']}") from None
