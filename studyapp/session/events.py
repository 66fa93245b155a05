"""What happens in a session: the events of its log.

Times are UTC, ISO 8601; durations are milliseconds of a monotonic clock.  An event is written as a
mapping of its fields, ``event`` first, and read back through the same classes, which let nothing
unknown pass.  What a field means is said with it: the data dictionary of an export is made from that.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from core.errors import SettingError
from studyapp.study.plan import Round

__all__ = [
    "SCHEMA",
    "Answered",
    "Consented",
    "Declined",
    "Event",
    "Finished",
    "Imported",
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
    "from_json",
    "from_mapping",
]

SCHEMA: Final = 1


def _check_moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time has no zone; it must end with Z")
    return text


Moment = Annotated[str, AfterValidator(_check_moment)]


def said(meaning: str) -> Any:
    """What a field means, for the data dictionary."""
    return Field(description=meaning)


class _Strict:
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Imported(_Strict):
    """Where the answers of a session that did not run here are from."""

    file: str
    sha256: str
    line: int  # on which the participant begins


@dataclass(frozen=True)
class Started(_Strict):
    """The head of a log: everything that the session follows from."""

    participant: Annotated[str, said("ID of the participant")]
    at: Moment
    host: str
    process: int
    software: dict[str, str]  # versions by name
    simulated: bool
    teacher: str | None  # of a simulated participant
    pilot: bool  # with the experimenter's view of the learner
    imported: Imported | None  # of a session that ran elsewhere; its questions cannot be derived again
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
    """A question and its answer; None is what an imported session does not tell."""

    round: Annotated[int, said("number of the round in the session, practice included, from 1")]
    question: Annotated[int, said("number of the question in the round, from 1")]
    word: Annotated[str, said("the word that was asked about")]
    answer: Annotated[Literal["y", "n"], said("y: it is relevant; n: it is not")]
    reward: Annotated[
        float, said("likeness of the word to the target, which studyapp keeps between 0.0001 and 0.9999")
    ]
    shown_at: Annotated[Moment | None, said("when the question appeared (UTC, ISO 8601)")]
    rt_ms: Annotated[float | None, said("from the question's appearance to the confirming key (ms)")]
    first_choice_ms: Annotated[float | None, said("from the question's appearance to the first y or n (ms)")]
    last_choice_ms: Annotated[float | None, said("to the last y or n, which counts (ms)")]
    compute_ms: Annotated[
        float | None, said("time to find this question (ms); none for one that needed no finding")
    ]
    delay_ms: Annotated[
        float | None, said("from the last key (answer, or start of the round) to the question (ms)")
    ]
    late: Annotated[bool | None, said("the question was not ready when the pause was over")]
    changes: Annotated[int | None, said("changes of the chosen answer before it was confirmed")]
    stray_keys: Annotated[int | None, said("keys that meant nothing or came too quickly")]
    away_ms: Annotated[
        float | None, said("of rt_ms, with another page in front: the leave dialog, or a window too small")
    ]
    digest: Annotated[str | None, said("fingerprint of the learner's state that asked")]
    converged: Annotated[bool | None, said("the learner's fit had converged")]
    event: Literal["answer"] = "answer"


@dataclass(frozen=True)
class Responded(_Strict):
    """One item of a questionnaire."""

    questionnaire: Annotated[str, said("name of the questionnaire")]
    item: Annotated[str, said("id of the question in it")]
    after: Annotated[int | None, said("the round it was asked after; none at the end of the session")]
    value: Annotated[
        str | int | None,
        said(
            "what was answered: step of a scale, choice, or text; none where an optional one was left empty"
        ),
    ]
    at: Annotated[Moment, said("when it was answered (UTC, ISO 8601)")]
    rt_ms: Annotated[float, said("from its appearance to the confirming key (ms)")]
    away_ms: Annotated[float, said("of rt_ms, with another page in front (ms)")]
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
    found: Annotated[
        int, said("rounds in which the target was asked about in time for the bonus, or at all without one")
    ]
    bonus: Annotated[bool | None, said("a bonus was won; none in a study without one")]
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
        return from_json(json.dumps(mapping).encode())
    except (TypeError, ValueError, RecursionError) as error:  # not JSON, or far too deep
        if isinstance(error, SettingError):
            raise
        raise SettingError("it has a value that no event has") from None


def from_json(raw: bytes) -> Event:
    """The event in a line of JSON; a SettingError tells what is wrong with it."""
    try:
        return _any.validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SettingError(f"{place + ': ' if place else ''}{first['msg']}") from None
