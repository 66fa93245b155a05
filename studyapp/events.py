"""What happens in a session: the events of its log.

Times are UTC, ISO 8601; durations are milliseconds of a monotonic clock.  An event is written as a
mapping of its fields, ``event`` first, and read back through the same classes, which let nothing
unknown pass.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from core.errors import SettingError
from studyapp.plan import Round

__all__ = [
    "SCHEMA",
    "Answered",
    "Consented",
    "Declined",
    "Event",
    "Finished",
    "Interrupted",
    "Left",
    "Read",
    "Recovered",
    "Responded",
    "Rested",
    "Resumed",
    "RoundBegan",
    "Started",
    "Stayed",
    "Withdrawn",
    "as_mapping",
    "from_mapping",
]

SCHEMA: Final = 1


def _check_moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time has no zone; it must end with Z")
    return text


Moment = Annotated[str, AfterValidator(_check_moment)]


class _Strict:
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True)
class Started(_Strict):
    """The head of a log: everything that the session follows from."""

    participant: str
    at: Moment
    host: str
    process: int
    software: dict[str, str]  # versions by name
    simulated: bool
    teacher: str | None  # of a simulated participant
    pilot: bool  # with the experimenter's view of the learner
    words: str
    words_sha256: str
    seed: int
    study: dict[str, Any]  # the whole study file, defaults filled in
    plan: list[Round]
    schema: Literal[1] = SCHEMA
    event: Literal["session"] = "session"


@dataclass(frozen=True)
class Consented(_Strict):
    at: Moment
    event: Literal["consent"] = "consent"


@dataclass(frozen=True)
class Declined(_Strict):
    """Consent was not given; the session waits there."""

    at: Moment
    event: Literal["declined"] = "declined"


@dataclass(frozen=True)
class Read(_Strict):
    """The instructions were gone through."""

    at: Moment
    ms: float
    away_ms: float  # of ms, under another page
    event: Literal["instructions"] = "instructions"


@dataclass(frozen=True)
class RoundBegan(_Strict):
    round: int
    at: Moment
    event: Literal["round"] = "round"


@dataclass(frozen=True)
class Answered(_Strict):
    round: int
    question: int
    word: str
    answer: Literal["y", "n"]
    shown_at: Moment
    rt_ms: float  # from the question's appearance to the confirming key
    first_choice_ms: float  # to the first y or n
    last_choice_ms: float  # to the last one, which counts
    compute_ms: float | None  # that it took to find this question; None for one that needed no finding
    delay_ms: float  # from the last key (answer, or start of the round) to the question's appearance
    late: bool  # was the question not ready when the pause was over?
    changes: int  # of the chosen answer before it was confirmed
    stray_keys: int  # that meant nothing
    away_ms: float  # of rt_ms, under another page: the leave dialog, or a window too small
    digest: str  # of the learner's state that asked
    converged: bool  # did its fit?
    event: Literal["answer"] = "answer"


@dataclass(frozen=True)
class Responded(_Strict):
    """One item of a questionnaire."""

    questionnaire: str
    item: str
    after: int | None  # the round it was asked after; None at the end
    value: str | int | None  # text or choice; step of a scale; None where an optional one was left empty
    at: Moment
    rt_ms: float
    away_ms: float  # of rt_ms, under another page
    event: Literal["response"] = "response"


@dataclass(frozen=True)
class Rested(_Strict):
    """A break between blocks is over."""

    after: int  # round
    at: Moment
    ms: float
    away_ms: float
    event: Literal["break"] = "break"


@dataclass(frozen=True)
class Resumed(_Strict):
    at: Moment
    host: str
    process: int
    software: dict[str, str]
    pilot: bool
    event: Literal["resumed"] = "resumed"


@dataclass(frozen=True)
class Stayed(_Strict):
    """Leaving was thought of (Ctrl+Q), and not done."""

    at: Moment
    ms: float
    event: Literal["stayed"] = "stayed"


@dataclass(frozen=True)
class Left(_Strict):
    """Left for now."""

    at: Moment
    event: Literal["left"] = "left"


@dataclass(frozen=True)
class Interrupted(_Strict):
    """Ended from outside, or by a fault of studyapp itself."""

    signal: str  # SIGTERM, SIGHUP, SIGINT, or fault
    at: Moment
    event: Literal["interrupted"] = "interrupted"


@dataclass(frozen=True)
class Withdrawn(_Strict):
    """The participant withdrew; where the answers were deleted, they are no longer in the log."""

    data: Literal["kept", "deleted"]
    answers: int  # given until then
    at: Moment
    event: Literal["withdrawn"] = "withdrawn"


@dataclass(frozen=True)
class Recovered(_Strict):
    """A torn tail was found at the end of the log and set aside."""

    bytes: int
    kept_in: str
    at: Moment
    event: Literal["recovered"] = "recovered"


@dataclass(frozen=True)
class Finished(_Strict):
    at: Moment
    answers: int
    found: int  # rounds in which the target was asked about in time for the bonus, or at all without one
    bonus: bool | None
    event: Literal["finished"] = "finished"


Event = (
    Started
    | Consented
    | Declined
    | Read
    | RoundBegan
    | Answered
    | Responded
    | Rested
    | Resumed
    | Stayed
    | Left
    | Interrupted
    | Withdrawn
    | Recovered
    | Finished
)

_any: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def as_mapping(event: Event) -> dict[str, Any]:
    """The event as it is written, its name first."""
    fields = asdict(event)
    first = {name: fields.pop(name) for name in ("event", "schema") if name in fields}
    return first | fields


def from_mapping(mapping: object) -> Event:
    """The event that was written; a SettingError tells what is wrong with it."""
    try:
        # By way of JSON, where "strict" means that 1 is no "1" and yet a mapping may become an object.
        return _any.validate_json(json.dumps(mapping))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SettingError(f"{place + ': ' if place else ''}{first['msg']}") from None
    except (TypeError, ValueError, RecursionError):  # a date; something that holds itself; far too deep
        raise SettingError("it has a date or another value that no event has") from None
