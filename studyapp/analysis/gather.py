"""Which sessions enter an analysis, and why the others do not.

By default these are the finished sessions of one study, of the best kind there is: of people; where
there are none, imported ones; where there are none of these either, simulated ones.  Nothing is left out
silently: every log of the folder is listed with what became of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from core.checks import did_you_mean
from core.errors import FileError, SettingError
from core.vocabulary import Vocabulary
from studyapp.analysis.extract import Broken, Extract, extract
from studyapp.base.documents import printable
from studyapp.base.parallel import in_order
from studyapp.session.saved import check_words, find_logs
from studyapp.study.study import Study

__all__ = ["Gathered", "Listed", "gather"]

BEST_FIRST = ("person", "imported", "simulated")
BROKEN = "broken"


@dataclass(frozen=True)
class Listed:
    """What became of a log."""

    path: Path
    participant: str | None
    kind: str | None
    state: str
    included: bool
    reason: str


@dataclass(frozen=True)
class Gathered:
    """The sessions of an analysis, by participant, and the list of all logs."""

    sessions: list[Extract]
    listed: list[Listed]
    kinds: list[str]  # of those included
    include: Sequence[str] = ()  # what was asked for
    exclude: Sequence[str] = ()

    @property
    def broken(self) -> list[Listed]:
        return [each for each in self.listed if each.state == BROKEN]


def gather(
    folder: Path,
    *,
    words: Path | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Gathered:
    """Read all logs of a folder and choose those to analyse."""
    logs = find_logs([folder])
    check_words(words)
    read = _sharing(in_order(partial(extract, words=words), logs, "reading logs"))
    found = [each for each in read if isinstance(each, Extract)]
    reasons = {each.path: reason for each, reason in _reasons(found, include, exclude)}
    _check_excluded(exclude, found)
    listed = [_listed(each, reasons) for each in read]
    sessions = sorted((each for each in found if each.path not in reasons), key=lambda each: each.participant)
    if not sessions:
        told = "".join(f"\n  {printable(each.path.name)}: {each.reason}" for each in listed)
        raise FileError(folder, f"no session here can be analysed:{told}")
    kinds = [kind for kind in (*BEST_FIRST, "pilot") if any(each.kind == kind for each in sessions)]
    return Gathered(sessions, listed, kinds, include, exclude)


def _sharing(read: Iterable[Extract | Broken]) -> list[Extract | Broken]:
    """All of them, with one copy of what is the same: a study is as large as all answers to it."""
    studies: dict[str, Study] = {}
    vocabularies: dict[str, Vocabulary | None] = {}
    return [
        each
        if isinstance(each, Broken)
        else replace(
            each,
            study=studies.setdefault(each.study.model_dump_json(), each.study),
            vocabulary=each.vocabulary and vocabularies.setdefault(each.words_sha256, each.vocabulary),
        )
        for each in read
    ]


def _listed(each: Extract | Broken, reasons: dict[Path, str]) -> Listed:
    if isinstance(each, Broken):
        return Listed(each.path, None, None, BROKEN, False, each.problem)
    reason = reasons.get(each.path, "")
    told = reason or ("its torn tail, never acknowledged, is left out" if each.torn else "")
    return Listed(each.path, each.participant, each.kind, each.state, not reason, told)


def _reasons(
    found: Sequence[Extract], include: Sequence[str], exclude: Sequence[str]
) -> Iterable[tuple[Extract, str]]:
    """Those that are left out, each with the reason; what remains is of one study."""
    remaining = []
    kinds = _kinds(found, include)
    seen: dict[str, Path] = {}
    for each in found:
        if each.participant in exclude:
            yield each, "excluded by --exclude"
        elif each.state == "deleted":
            yield each, "withdrawn, and the answers were deleted"
        elif each.state in ("withdrawn", "incomplete") and each.state not in include:
            yield each, f"{each.state}; --include {each.state} lets it in"
        elif each.kind not in kinds:
            yield each, f"{each.kind}; --include {each.kind} lets it in"
        elif not each.counted.any():
            yield each, "no target was gone through with every model"
        elif (other := seen.setdefault(each.participant, each.path)) != each.path:
            problem = f"line 4: {each.participant} is the participant of {printable(other.name)} already"
            yield each, f"{problem}; keep one of them"
        else:
            remaining.append(each)
    yield from _of_other_studies(remaining)


def _kinds(found: Sequence[Extract], include: Sequence[str]) -> set[str]:
    """The best kind there is, and what is asked for."""
    usable = {each.kind for each in found if each.state == "finished" or each.state in include}
    best = next((kind for kind in BEST_FIRST if kind in usable), "person")
    return {best, *include}


def _of_other_studies(sessions: Sequence[Extract]) -> Iterable[tuple[Extract, str]]:
    """Sessions of different studies are not comparable: the most frequent study stays."""
    keys = [repr(_study_key(each)) for each in sessions]
    if len(set(keys)) < 2:
        return
    most = Counter(keys).most_common(1)[0][0]
    model = _study_key(sessions[keys.index(most)])
    for each, key in zip(sessions, keys, strict=True):
        if key != most:
            own = _study_key(each)
            other = ", ".join(name for name in own if own[name] != model[name])
            problem = f"line 1: of another study than most sessions here (it differs in: {other})"
            yield each, f"{problem}; analyse it apart"


def _study_key(each: Extract) -> dict[str, Any]:
    """What must be the same for sessions to be comparable."""
    return {
        "words": each.words_sha256,
        "kernel_width": each.study.kernel_width,
        "models": {name: each.study.settings(name, seed=0) for name in sorted(each.study.models)},
        "questions": each.study.questions,
        "targets": sorted({played.target for played in each.plan if not played.practice}),
        "questionnaires": [
            (when, name, item.model_dump())
            for when, names in (("round", each.study.after_round), ("end", each.study.at_end))
            for name, item in each.study.items(names)
        ],
    }


def _check_excluded(exclude: Sequence[str], found: Sequence[Extract]) -> None:
    known = [each.participant for each in found]
    for participant in exclude:
        if participant not in known:
            guess = did_you_mean(participant, known)
            raise SettingError(f"--exclude {participant}: there is no such participant here{guess}")
