"""Is what was run and analysed what was registered?  Every difference, one by one.

The last registration in the study's log counts.  Compared with it are the study file as it is now, the study
in the log of every session that is analysed, the sample, the conduct of the study, the analysis and the
program; and the files of the registration are compared with their hashes in the study's log.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import StudyappError
from core.files import ordinary
from core.wording import counted
from studyapp.analysis.explanations import EXPLAINED, STATISTICS
from studyapp.analysis.gather import Gathered
from studyapp.base.differences import ABSENT, Difference, differences
from studyapp.base.environment import program_sha256, software
from studyapp.office.conduct import Conduct, read_conduct
from studyapp.office.events import Excluded, Preregistered
from studyapp.office.preregistration import RECORD, Registration, read_registration
from studyapp.reporting.wording import listed
from studyapp.session.changes import quoted
from studyapp.session.events import Started
from studyapp.session.log_format import LARGEST_HEAD, head_of, parse
from studyapp.study.folder import StudyFolder, folder_of
from studyapp.study.loading import load

PARTS = {  # of the comparison, in the order of the report
    "files": "Registration",
    "study": "Study file",
    "sessions": "Sessions",
    "sample": "Participants",
    "analysis": "Analysis",
    "program": "Program",
}
COURSE = ("collecting", "stage", "sessions")  # settings that change in the course of any study
WORDING = re.compile(
    r"(title|consent|instructions|texts|look)\b.*|bonus\.(won|lost)|questionnaires\..*\.(ask|low|high)"
)
LONG = ("people",)  # whose values say nothing to a reader
NAMING = ("models", "learner", "seed")  # and those that a blind reader must not see
UNSAID = ("as registered", "not the same")


@dataclass(frozen=True)
class Deviation:
    """One difference between what was registered and what was done."""

    part: str  # of PARTS
    what: str
    registered: str
    actual: str
    is_wording: bool = False  # only a text that people read


@dataclass(frozen=True)
class Registered:
    """What a report says about the registration of a study."""

    registrations: list[Preregistered]  # all of them, in their order
    primary: str | None  # the outcome that decides
    deviations: list[Deviation]

    @property
    def last(self) -> Preregistered:
        return self.registrations[-1]

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        day = self.last.at[:10]
        if not self.deviations:
            return f"Everything was run and analysed as registered on {day}."
        return (
            f"Not everything is as registered on {day}: there {'is' if len(self.deviations) == 1 else 'are'} "
            f"{counted(len(self.deviations), 'difference')}."
        )

    @property
    def parts(self) -> list[tuple[str, Deviation]]:
        """The differences, each with the title of its part."""
        return [(title, one) for part, title in PARTS.items() for one in self.deviations if one.part == part]

    def as_json(self) -> dict[str, Any]:
        return {
            "as_registered": not self.deviations,
            "registrations": [
                {"at": event.at, "folder": event.folder, "sha256": event.files.get(RECORD)}
                for event in self.registrations
            ],
            "primary": self.primary,
            "differences": [one for _, one in self.parts],
        }


def as_registered(
    folders: Sequence[Path], gathered: Gathered, *, margin: float, blind: bool = False
) -> Registered | None:
    """Compare an analysis of the sessions in some folders; None if their study was not registered.

    If blind, or if the study must be, no model is named.
    """
    found = next((folder for folder in map(folder_of, folders) if folder), None)
    conduct = read_conduct(found.log) if found else Conduct()
    if found is None or not conduct.registrations:
        return None
    blind = blind or (found.blind and conduct.unblinded is None)
    registration = read_registration(found, conduct.registrations[-1])
    record = registration.record
    deviations = list(_files(registration))
    if record is not None:
        options = {
            "include": list(gathered.include),
            "exclude": list(gathered.exclude),
            "margin": margin,
        }
        deviations += _study(found, record, blind=blind)
        deviations += _sessions(gathered, registration, record, blind=blind)
        deviations += _sample(gathered, record, found)
        deviations += _analysis(options, record)
        deviations += _program(record)
    primary = record.get("primary") if record else None
    return Registered(conduct.registrations, primary if isinstance(primary, str) else None, deviations)


# Parts


def _files(registration: Registration) -> Iterator[Deviation]:
    for problem in registration.problems:
        yield Deviation("files", registration.event.folder, "as in the study's log", problem)


def _study(folder: StudyFolder, record: Mapping[str, Any], *, blind: bool) -> Iterator[Deviation]:
    try:
        loaded = load(folder.file)
    except StudyappError:  # its message may name a model
        yield Deviation("study", folder.file.name, "without faults", "has faults (studyapp check names them)")
        return
    before = _without(record.get("study"), COURSE)
    now = _without(loaded.study.record(), COURSE)
    before["participants"] = record.get("participants", ABSENT)
    now.setdefault("participants", before["participants"])
    for change in _once(differences(before, now), blind=blind):
        registered, actual = _values(change, blind=blind)
        yield Deviation("study", change.path, registered, f"{actual} now", _is_wording(change.path))
    if record.get("words_sha256") != loaded.vocabulary.sha256:
        yield Deviation("study", "words", *UNSAID)


def _sessions(
    gathered: Gathered, registration: Registration, record: Mapping[str, Any], *, blind: bool
) -> Iterator[Deviation]:
    heads = [_head(session.path) for session in gathered.sessions]
    ignored = (*COURSE, "participants")
    before = {
        "study": _without(record.get("study"), ignored),
        "words": record.get("words_sha256", ABSENT),
        "software": record.get("software", {}),
    }
    counts: Counter[tuple[str, str, str]] = Counter()
    for head in heads:
        now = {
            "study": _without(head.study, ignored),
            "words": head.words_sha256,
            "software": dict(head.software),
        }
        for part in now:
            for change in _once(differences(before[part], now[part]), blind=blind):
                name = f"software: {change.path}" if part == "software" else change.path or part
                values = UNSAID if part == "words" else _values(change, blind=blind)
                counts[name, *values] += 1
    for (name, registered, actual), count in counts.items():
        where = f"in {count} of {counted(len(heads), 'session')}"
        yield Deviation("sessions", name, registered, f"{actual} {where}", _is_wording(name))
    early = sum(head.at < registration.event.at for head in heads)
    if early:
        yield Deviation(
            "sessions",
            "when they began",
            "after the registration",
            f"{early} of {counted(len(heads), 'session')} before it",
        )


def _sample(gathered: Gathered, record: Mapping[str, Any], folder: StudyFolder) -> Iterator[Deviation]:
    conduct = gathered.standing.conduct
    planned, analysed = record.get("participants"), len(gathered.sessions)
    if planned != analysed:
        so_far = " so far" if _still_collects(folder) else ""
        yield Deviation("sample", "number of participants", str(planned), f"{analysed} analysed{so_far}")
    if gathered.kinds != ["person"]:
        yield Deviation("sample", "who they are", "people", listed(gathered.kinds))
    unblinded = conduct.unblinded
    if unblinded is not None and isinstance(planned, int) and unblinded.finished < planned:
        yield Deviation(
            "sample",
            "unblinding",
            f"after {counted(planned, 'session')}",
            f"on {unblinded.at[:10]}, after {counted(unblinded.finished, 'session')}",
        )
    for decision in conduct.decisions:
        if decision.unblinded:
            what = "excluded" if isinstance(decision, Excluded) else "included again"
            yield Deviation(
                "sample",
                f"{decision.participant} {what}",
                "before the unblinding, if at all",
                f"on {decision.at[:10]}, after the unblinding: {decision.reason}",
            )


def _analysis(options: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[Deviation]:
    registered = record.get("analysis")
    registered = registered if isinstance(registered, dict) else {}
    for name, value in options.items():
        if registered.get(name) != value:
            before = _option(registered.get(name))
            yield Deviation("analysis", f"--{name}", before, _option(value))
    methods = record.get("methods")
    methods = methods if isinstance(methods, dict) else {}
    titles = {one.name: one.title for one in STATISTICS}
    for change in differences(methods, EXPLAINED):
        before, now = _values(change, blind=False)
        yield Deviation("analysis", titles.get(change.path, change.path), before, now)


def _program(record: Mapping[str, Any]) -> Iterator[Deviation]:
    registered = record.get("software")
    for change in differences(registered if isinstance(registered, dict) else {}, software()):
        if change.path != "textual":  # the screens of sessions, and no part of an analysis
            before, now = _values(change, blind=False)
            yield Deviation("program", change.path, before.strip("'"), now.strip("'"))
    if record.get("program_sha256") != program_sha256():
        yield Deviation("program", "studyapp's own files", *UNSAID)


# Values


def _head(path: Path) -> Started:
    """The head of a log.  The analysis has read and checked the whole log, perhaps without its models."""
    with ordinary(path) as file:
        head = parse(head_of(file.read(LARGEST_HEAD)), path).events[0]
    assert isinstance(head, Started)
    return head


def _still_collects(folder: StudyFolder) -> bool:
    try:
        return load(folder.file).study.collecting
    except StudyappError:
        return True


def _without(study: object, names: Sequence[str]) -> dict[str, Any]:
    return (
        {name: value for name, value in study.items() if name not in names} if isinstance(study, dict) else {}
    )


def _top(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _is_wording(path: str) -> bool:
    return WORDING.fullmatch(path) is not None


def _once(changes: Iterator[Difference], *, blind: bool) -> Iterator[Difference]:
    """The changes; what is not said in detail is one change."""
    hidden = (*LONG, *NAMING) if blind else LONG
    seen = set()
    for change in changes:
        top = _top(change.path)
        if top not in hidden:
            yield change
        elif top not in seen:
            seen.add(top)
            yield Difference(top, change.before, change.now)


def _values(change: Difference, *, blind: bool) -> tuple[str, str]:
    """Both values, as far as a reader may see them."""
    if _top(change.path) in ((*LONG, *NAMING) if blind else LONG):
        return UNSAID
    before, now = quoted(change.before, change.now)
    return (
        "not set" if change.before is ABSENT else before,
        "not set" if change.now is ABSENT else now,
    )


def _option(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return json.dumps(value)
