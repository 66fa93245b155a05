"""The events of a session, as its log holds them.

Times are UTC, ISO 8601.  Durations are milliseconds of a monotonic clock.  An event is written as a
mapping of its fields, ``event`` first, and read back through the same classes, which reject every
unknown field.  Each field carries its meaning, and the data dictionary of an export is built from these.
``sessions/README.md`` documents every event and field.
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
        raise ValueError("the time has no zone; it must end with Z")
    return text


Moment = Annotated[str, AfterValidator(_check_moment)]


def meaning(text: str) -> Any:
    """The meaning of a field, for the data dictionary."""
    return Field(description=text)


class _Strict:
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Imported(_Strict):
    """The table that an imported session comes from."""

    file: str
    sha256: str
    line: int  # of the participant's first answer


@dataclass(frozen=True)
class Started(_Strict):
    """The head of a log: everything that determines the session."""

    participant: Annotated[str, meaning("ID of the participant")]
    at: Moment
    host: str
    process: int
    software: dict[str, str]  # versions by name
    simulated: bool
    teacher: str | None  # how a simulated participant answers
    pilot: bool  # the experimenter's view of the learner was on
    imported: Imported | None  # None unless the session ran elsewhere
    words: str
    words_sha256: str
    seed: int
    study: dict[str, Any]  # the whole study file, with defaults filled in
    plan: list[Round]
    schema: Literal[1] = SCHEMA
    event: Literal["session"] = "session"


@dataclass(frozen=True)
class Consented(_Strict):
    """The participant gave consent."""

    at: Moment
    event: Literal["consent"] = "consent"


@dataclass(frozen=True)
class Declined(_Strict):
    """The participant did not give consent.  The session stays at the consent page."""

    at: Moment
    event: Literal["declined"] = "declined"


@dataclass(frozen=True)
class Read(_Strict):
    """The participant read the instructions."""

    at: Moment
    ms: float
    away_ms: float  # the part of ms during which another page covered this one
    event: Literal["instructions"] = "instructions"


@dataclass(frozen=True)
class RoundBegan(_Strict):
    """A round began."""

    round: int
    at: Moment
    event: Literal["round"] = "round"


@dataclass(frozen=True)
class Answered(_Strict):
    """A question and its answer.  None marks what an imported table does not contain."""

    round: Annotated[int, meaning("number of the round in the session, counted from 1, practice included")]
    question: Annotated[int, meaning("number of the question in the round, counted from 1")]
    word: Annotated[str, meaning("the word in the question")]
    answer: Annotated[Literal["y", "n"], meaning("y: the word is relevant; n: it is not")]
    reward: Annotated[
        float, meaning("similarity of the word to the target, kept between 0.0001 and 0.9999 by studyapp")
    ]
    shown_at: Annotated[Moment | None, meaning("when the question appeared (UTC, ISO 8601)")]
    rt_ms: Annotated[
        float | None, meaning("from the appearance of the question to the key that confirmed the answer")
    ]
    first_choice_ms: Annotated[
        float | None, meaning("from the appearance of the question to the first choice")
    ]
    last_choice_ms: Annotated[
        float | None,
        meaning("from the appearance of the question to the last choice, which counts"),
    ]
    compute_ms: Annotated[
        float | None,
        meaning(
            "time to compute this question; all models compute it while a person answers, so that none can "
            "be told by its time; empty if nothing had to be computed"
        ),
    ]
    delay_ms: Annotated[
        float | None,
        meaning("from the previous key (an answer, or the start of the round) to the question"),
    ]
    late: Annotated[bool | None, meaning("whether the question was not yet ready when the pause ended")]
    changes: Annotated[int | None, meaning("how often the chosen answer changed before it was confirmed")]
    stray_keys: Annotated[int | None, meaning("keys without a meaning, or pressed too soon")]
    away_ms: Annotated[
        float | None,
        meaning("the part of rt_ms during which the leave dialog or the small-window notice was shown"),
    ]
    digest: Annotated[str | None, meaning("fingerprint of the learner's state that chose the question")]
    converged: Annotated[bool | None, meaning("whether the learner's fit converged")]
    event: Literal["answer"] = "answer"


@dataclass(frozen=True)
class Responded(_Strict):
    """An answered item of a questionnaire."""

    questionnaire: Annotated[str, meaning("name of the questionnaire")]
    item: Annotated[str, meaning("ID of the item in the questionnaire")]
    after: Annotated[int | None, meaning("the round that the item followed; empty at the end of the session")]
    value: Annotated[
        str | int | None,
        meaning("the answer: a step of a scale, a choice, or a text; empty if an optional item was skipped"),
    ]
    at: Annotated[Moment, meaning("when the item was answered (UTC, ISO 8601)")]
    rt_ms: Annotated[float, meaning("from the appearance of the item to the confirming key")]
    away_ms: Annotated[float, meaning("the part of rt_ms during which another page covered the item")]
    event: Literal["response"] = "response"


@dataclass(frozen=True)
class Rested(_Strict):
    """A break ended."""

    after: int  # the round before the break
    at: Moment
    ms: float
    away_ms: float
    event: Literal["break"] = "break"


@dataclass(frozen=True)
class Resumed(_Strict):
    """The session was opened again."""

    at: Moment
    host: str
    process: int
    software: dict[str, str]
    pilot: bool
    event: Literal["resumed"] = "resumed"


@dataclass(frozen=True)
class Stayed(_Strict):
    """The participant opened the leave dialog and stayed."""

    at: Moment
    ms: float
    event: Literal["stayed"] = "stayed"


@dataclass(frozen=True)
class Left(_Strict):
    """The participant left for now."""

    at: Moment
    event: Literal["left"] = "left"


@dataclass(frozen=True)
class Interrupted(_Strict):
    """A signal or a fault in studyapp ended the program."""

    signal: str  # SIGTERM, SIGHUP, SIGINT, or fault
    at: Moment
    event: Literal["interrupted"] = "interrupted"


@dataclass(frozen=True)
class Withdrawn(_Strict):
    """The participant withdrew.  Deleted answers are no longer in the log."""

    data: Literal["kept", "deleted"]
    answers: int  # given before the withdrawal
    at: Moment
    event: Literal["withdrawn"] = "withdrawn"


@dataclass(frozen=True)
class Recovered(_Strict):
    """A torn tail at the end of the log was moved to a file of its own."""

    bytes: int
    kept_in: str  # name of that file
    at: Moment
    event: Literal["recovered"] = "recovered"


@dataclass(frozen=True)
class Finished(_Strict):
    """The session is complete."""

    at: Moment
    answers: int
    found: Annotated[
        int,
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
    """An event as it is written, its name first."""
    fields = asdict(event)
    first = {name: fields.pop(name) for name in ("event", "schema") if name in fields}
    return first | fields


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
