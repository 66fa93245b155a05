"""What an experimenter does with a study, as events of the study's own log.

A participant's log is never edited.  Whatever is decided about a participant is an event here, with who, when
and why, and is undone by another event.  No event names a model.
"""

from __future__ import annotations

import getpass
import json
import secrets
import socket
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from core.errors import SettingError
from studyapp.base.clock import SystemClock, iso
from studyapp.session.events import Count, Moment
from studyapp.study.fields import check_line


def _check_remark(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty; say it in a few words")
    return check_line(text)


Remark = Annotated[str, Field(max_length=2000), AfterValidator(_check_remark)]
Name = Annotated[str, Field(min_length=1, max_length=1000)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]


def _now() -> str:
    return iso(SystemClock().now())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return "unknown"


@dataclass(frozen=True, kw_only=True)
class _StudyEvent:
    """What all events have."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    at: Moment = field(default_factory=_now)
    host: str = field(default_factory=socket.gethostname)
    user: str = field(default_factory=_user)
    id: Hash = field(default_factory=lambda: secrets.token_hex(8))  # the same event in two logs is one event


@dataclass(frozen=True)
class StudyChanged(_StudyEvent):
    """The study file is new, or was changed."""

    sha256: Hash  # of the file
    settings: list[str]  # names of the settings that changed; empty for a new file
    hashes: dict[str, Hash]  # of each setting in the file, to find out what changes next
    event: Literal["study"] = "study"


@dataclass(frozen=True)
class Noted(_StudyEvent):
    """A note about a participant."""

    participant: Name
    text: Remark
    event: Literal["note"] = "note"


@dataclass(frozen=True)
class Excluded(_StudyEvent):
    """A participant was excluded from the analysis."""

    participant: Name
    reason: Remark
    unblinded: bool  # had the study been unblinded by then?
    event: Literal["exclude"] = "exclude"


@dataclass(frozen=True)
class Included(_StudyEvent):
    """An exclusion was undone."""

    participant: Name
    reason: Remark
    unblinded: bool
    event: Literal["include"] = "include"


@dataclass(frozen=True)
class Deleted(_StudyEvent):
    """The answers of a participant were deleted at the participant's request.

    The event is written first.  If studyapp is stopped before the log is erased, it is erased later: a log
    with this head.
    """

    participant: Name
    answers: Count | None  # that were deleted; None if the log was too damaged to tell
    head: Hash | None  # the first link of the log, which names the session; None if it could not be read
    reason: Remark | None = None
    event: Literal["delete"] = "delete"


@dataclass(frozen=True)
class Verified(_StudyEvent):
    """Every question of a log was replayed."""

    participant: Name
    chain: Hash | None  # the last link of the log that was verified; None if it could not be read
    verdict: str
    event: Literal["verify"] = "verify"


@dataclass(frozen=True)
class BackedUp(_StudyEvent):
    """The folder was backed up."""

    file: Name
    sha256: Hash
    participants: list[Name]
    event: Literal["backup"] = "backup"


@dataclass(frozen=True)
class Exported(_StudyEvent):
    """Tables were exported."""

    folder: Name
    blind: bool
    participants: list[Name]
    event: Literal["export"] = "export"


@dataclass(frozen=True)
class Analysed(_StudyEvent):
    """Sessions were analysed."""

    folder: Name
    blind: bool
    participants: list[Name]
    event: Literal["analyse"] = "analyse"


@dataclass(frozen=True)
class Unblinded(_StudyEvent):
    """From now on, analyses and exports may name the models."""

    reason: Remark
    finished: Count  # sessions that were finished by then
    unfinished: Count
    event: Literal["unblind"] = "unblind"


@dataclass(frozen=True)
class Preregistered(_StudyEvent):
    """The study was written down for a registry."""

    folder: Name
    files: dict[str, Hash]  # SHA-256 by name
    participants: Count  # the sample size
    finished: Count  # sessions that were finished by then
    event: Literal["preregister"] = "preregister"


StudyEvent = (
    StudyChanged
    | Noted
    | Excluded
    | Included
    | Deleted
    | Verified
    | BackedUp
    | Exported
    | Analysed
    | Unblinded
    | Preregistered
)

_any: TypeAdapter[StudyEvent] = TypeAdapter(Annotated[StudyEvent, Field(discriminator="event")])


def as_mapping(event: StudyEvent) -> dict[str, Any]:
    """An event as it is written: its name first; when, where, who and its number last."""
    fields = asdict(event)
    last = {name: fields.pop(name) for name in ("at", "host", "user", "id")}
    return {"event": fields.pop("event")} | fields | last


def from_json(raw: bytes) -> StudyEvent:
    """The event in a line of JSON; raises a SettingError if there is none."""
    try:
        return _any.validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = str(first["msg"]).removeprefix("Value error, ")
        raise SettingError(f"{place + ': ' if place else ''}{problem}") from None


def check_event(event: StudyEvent) -> None:
    """Raise a SettingError if this event could not be read back."""
    try:
        from_json(json.dumps(as_mapping(event)).encode())
    except (TypeError, UnicodeError) as error:
        raise SettingError(f"this can't be written down: {error}") from None
