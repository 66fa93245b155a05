"""Made-up sessions for tests of the analysis."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from study_files import VECTORS, loaded, open_sitting, run, small, write

from core import Vocabulary
from core.rewards import clamped
from studyapp.analysis import teachers
from studyapp.analysis.extract import Extract, extract
from studyapp.analysis.gather import Gathered
from studyapp.analysis.results import Results, analyse
from studyapp.analysis.teachers import Alpha, Fit
from studyapp.base import parallel
from studyapp.cli import main
from studyapp.reporting import plots
from studyapp.reporting.statistics import Estimate
from studyapp.session import log
from studyapp.session.log_format import encode
from studyapp.study.loading import load

__all__ = [
    "Table",
    "a_session",
    "answer_table",
    "imported",
    "others_like",
    "quick_analysis",
    "results_of",
    "sessions_of_every_kind",
    "with_planners",
]

Table = list[dict[str, str]]


@contextmanager
def quick_analysis() -> Iterator[None]:
    """Analyse small sessions in this process, because starting others takes longer, and without the slow
    part of PDF files, the embedding of TrueType fonts; test_example and test_figures have both."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "cores", lambda: 1)
        patch.setitem(plots.LOOK, "pdf.fonttype", 3)
        yield


# One session that ran, and variations of it


def a_session(folder: Path, words: str = VECTORS, **changes: Any) -> Extract:
    """A simulated participant's session of the small study, with some settings changed."""
    path = write(folder, small(**changes))
    (folder / "words.txt").write_text(words, encoding="utf-8")
    run(load(path), folder / "sessions")
    session = extract(folder / "sessions" / "P01.yaml", folder / "words.txt")
    assert isinstance(session, Extract)
    return session


def others_like(session: Extract, count: int, seed: int = 0) -> list[Extract]:
    """Participants with rewards and times that vary around those of a session."""
    rng = np.random.default_rng(seed)
    shape = session.reward.shape
    return [
        replace(
            session,
            participant=f"P{number:03d}",
            reward=clamped(session.reward + rng.normal(0, 0.1, shape)),
            thinking=session.thinking * rng.lognormal(0, 0.3, shape),
        )
        for number in range(1, count + 1)
    ]


def results_of(sessions: Sequence[Extract]) -> Results:
    """Their results, without a comparison with the paper's teachers, which takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teachers, "MOST_FITTED", 0)
        return analyse(Gathered(list(sessions), [], ["simulated"]))


def with_planners(results: Results, seed: int = 0) -> Results:
    """The results with a random fit for every participant, because comparing with teachers takes long."""
    rng = np.random.default_rng(seed)
    fits = {session.participant: _random_fit(session, rng) for session in results.sample.sessions}
    return replace(results, fits=fits)


def _random_fit(session: Extract, rng: np.random.Generator) -> Fit:
    low, mean, high = np.sort(rng.uniform(size=3)).tolist()
    naive, planning = rng.uniform(-1, 0, 2).tolist()
    mixture = max(naive, planning) + 0.1

    def estimate(gain: float) -> Estimate:
        half = rng.uniform(0, 0.5)
        return Estimate(np.array(gain), np.array(gain - half), np.array(gain + half), np.array(2))

    return Fit(
        Alpha(mean=mean, low=low, high=high, best=mean),
        naive,
        planning,
        mixture,
        planning_minus_naive=estimate(planning - naive),
        mixture_minus_naive=estimate(mixture - naive),
        chances=rng.uniform(size=session.asked[session.counted].shape),
    )


# Imported sessions with random answers


def answer_table(participants: int, targets: list[str], questions: int, seed: int) -> Table:
    """The answers of participants who had two practice rounds, then every target with both models."""
    rng = np.random.default_rng(seed)
    words = Vocabulary.load("study20").words
    table = []
    for p in range(participants):
        rounds = [("true", "naive", "cat"), ("true", "mixture", "cat")]
        rounds += [
            ("false", model, target) for target in targets for model in rng.permutation(["naive", "mixture"])
        ]
        for number, (practice, model, target) in enumerate(rounds, start=1):
            for question in range(1, questions + 1):
                table.append(
                    {
                        "participant": f"P{p}",
                        "round": str(number),
                        "practice": practice,
                        "model": str(model),
                        "target": target,
                        "question": str(question),
                        "word": str(rng.choice(words)),
                        "answer": str(rng.choice(["y", "n"])),
                        "reward": f"{rng.random():.6f}",
                    }
                )
    return table


def imported(folder: Path, table: Table) -> Path:
    """A folder of sessions with these answers."""
    source = folder / "sessions.csv"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    sessions = folder / "imported"
    assert main(["import", str(source), "--sessions", str(sessions)]) == 0
    return sessions


# A folder with everything that an analysis may find


def sessions_of_every_kind(folder: Path, **changes: Any) -> Path:
    """Logs of every kind and state, of one study: by default one of them is included."""
    study = loaded(folder, small(**changes))
    logs = folder / "logs"
    for participant in ("sim1", "sim2", "half", "quarter"):
        run(study, logs, participant)
    (logs / "words.txt").write_bytes((folder / "words.txt").read_bytes())
    for participant, kept in (("half", 21), ("quarter", 8)):
        path = logs / f"{participant}.yaml"
        path.write_bytes(b"...\n".join(path.read_bytes().split(b"...\n")[:kept]) + b"...\n")
    for participant, delete in (("gone", True), ("left", False)):
        sitting = open_sitting(study, logs, participant)
        sitting.withdraw(delete=delete)
        sitting.close()
    events = list(log.read(logs / "sim1.yaml").events)
    for name, as_started in (
        ("person", {"simulated": False, "teacher": None}),
        ("piloted", {"simulated": False, "teacher": None, "pilot": True}),
        ("again", {"simulated": False, "teacher": None, "participant": "person"}),
    ):
        started = type(events[0])(**vars(events[0]) | {"participant": name} | as_started)
        (logs / f"{name}.yaml").write_bytes(encode([started, *events[1:]]))
    (logs / "broken.yaml").write_bytes((logs / "sim2.yaml").read_bytes().replace(b'"y"', b'"n"', 1))
    (logs / "notes.yaml").write_text("just: notes\n...\n")
    return logs
