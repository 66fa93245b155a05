"""A blind analysis while the study is still collecting: are the data in order?

Whoever runs a study must see bad data early, and must not see how the models compare, not even by label: an
early look at the outcome changes when people stop.  So this analysis has no outcome of any model.  What it
says of models, by label, is whether their rounds and times are complete and alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from studyapp.analysis.extract import Extract
from studyapp.analysis.gather import Gathered
from studyapp.analysis.quality import Times, data_quality, response_times
from studyapp.analysis.report import FILTERS, about_sessions, with_percents
from studyapp.analysis.sample import Rounds, Sample
from studyapp.analysis.summary import about_sample
from studyapp.base.console import Console
from studyapp.reporting import html
from studyapp.reporting.terminal import print_sentence
from studyapp.reporting.wording import number

WITHHELD = (
    "The study is blind and still collecting, so nothing here tells how the models compare: that is shown by "
    "letter once the study file says collecting: false, and by name after studyapp unblind."
)


@dataclass(frozen=True)
class ModelQuality:
    """The rounds with one model, practice aside; times are means of participants' medians, in ms."""

    rounds: int  # complete ones
    missing: int  # planned for these participants, but not complete
    late: int  # questions that were not ready in time
    response_ms: float
    delay_ms: float


@dataclass(frozen=True)
class ParticipantQuality:
    """One participant, all models together; shares are of the answers that count."""

    participant: str
    kind: str
    state: str
    rounds: int  # complete, practice aside
    missing: int
    minutes: float | None
    resumed: int
    late: int
    stray_keys: int
    changed: int  # answers that were changed before they were confirmed
    response_ms: float  # the median
    yes: float  # share of yes
    yes_to_target: float  # the same for questions about the target
    repeated: float  # share of questions about a word that was asked about before in the round
    chain: str


@dataclass(frozen=True)
class Collected:
    """What is known so far, without any outcome of a model."""

    gathered: Gathered
    sample: Sample
    times: Times
    by_model: dict[str, ModelQuality]
    by_participant: list[ParticipantQuality]


def collect(gathered: Gathered) -> Collected:
    sample = Sample(gathered.sessions)
    times = response_times(sample)
    return Collected(
        gathered,
        sample,
        times,
        {model: _of_model(sample, times, model) for model in sample.models},
        [_of_participant(session) for session in sample.sessions],
    )


def _of_model(sample: Sample, times: Times, model: str) -> ModelQuality:
    planned = complete = late = 0
    for session in sample.sessions:
        own = sample.with_model(session, model) & _counts(session)
        planned += int(own.sum())
        complete += int((own & _complete(session)).sum())
        late += int(session.late[own].sum())
    return ModelQuality(
        complete,
        planned - complete,
        late,
        float(np.nanmean(times.answer[model].mean)) if times.answer else np.nan,
        float(np.nanmean(times.delay[model].mean)) if times.delay else np.nan,
    )


def _of_participant(session: Extract) -> ParticipantQuality:
    own = _counts(session)
    asked = (session.asked >= 0) & own[:, None]
    assert session.vocabulary is not None  # there are answers
    targets = np.array([[session.vocabulary.index(round_.target)] for round_ in session.plan])
    about_target = asked & (session.asked == targets)
    complete = int((own & _complete(session)).sum())
    known = session.thinking[np.isfinite(session.thinking) & asked]
    return ParticipantQuality(
        participant=session.participant,
        kind=session.kind,
        state=session.state,
        rounds=complete,
        missing=int(own.sum()) - complete,
        minutes=session.minutes,
        resumed=session.conduct.resumed,
        late=int(session.late.sum()),
        stray_keys=session.conduct.stray_keys,
        changed=session.conduct.changed,
        response_ms=float(np.median(known)) if known.size else np.nan,
        yes=_share(session.yes, asked),
        yes_to_target=_share(session.yes, about_target),
        repeated=_share(session.asked_before, asked),
        chain=session.chain,
    )


def _counts(session: Extract) -> Rounds:
    """(R,), which rounds are not practice."""
    return np.array([not round_.practice for round_ in session.plan], dtype=bool)


def _complete(session: Extract) -> Rounds:
    """(R,), which rounds have all their answers."""
    return np.asarray((session.asked >= 0).all(-1))


def _share(what: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    return float(what[among].mean()) if among.any() else np.nan


def as_json(collected: Collected) -> dict[str, Any]:
    """The contents of summary.json: the keys of an analysis, as far as they tell no outcome."""
    sample = collected.sample
    return {
        **about_sample(collected.gathered, len(sample.participants), sample.models, sample.questions),
        "targets": sorted(sample.targets),
        "withheld": WITHHELD,
        "late_questions": collected.times.late,
        "quality": {"by_model": collected.by_model, "by_participant": collected.by_participant},
    }


def page(collected: Collected) -> str:
    """The report as HTML."""
    sample = collected.sample
    points = data_quality(sample, collected.times)
    given = about_sessions(collected.gathered) | {
        "withheld": WITHHELD,
        "targets": len(sample.targets),
        "questions": sample.questions,
        "quality": [(name, with_percents(value)) for name, value in points],
        "by_model": collected.by_model,
        "by_participant": collected.by_participant,
    }
    return html.render("studyapp.analysis", "collecting.html", FILTERS, given)


def show(collected: Collected, console: Console) -> None:
    """Print what is withheld, and the models' rounds and times."""
    print_sentence(WITHHELD, console)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("model", "rounds", "missing", "late questions", "time to answer", "waiting"):
        table.add_column(heading, justify="left" if heading == "model" else "right")
    for model, own in collected.by_model.items():
        times = f"{number(own.response_ms / 1000, 1)} s", f"{number(own.delay_ms, 0)} ms"
        table.add_row(model, str(own.rounds), str(own.missing), str(own.late), *times)
    console.print(table)
