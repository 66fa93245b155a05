"""The answer event, built in one place: for the screens, for simulated participants and for imports."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from studyapp.session.events import Answered
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from studyapp.session.questions import Asked


@dataclass(frozen=True)
class Timing:
    """When a question appeared and how its answer was given.  The fields are those of the event."""

    shown_at: str
    rt_ms: float
    first_choice_ms: float
    last_choice_ms: float
    delay_ms: float
    late: bool = False
    changes: int = 0
    stray_keys: int = 0
    away_ms: float = 0.0


# The fields that every answer given in studyapp has; an imported one has none of them.
RECORDED_BY_STUDYAPP: Final = (*(field.name for field in fields(Timing)), "digest", "converged")


def answered(
    loaded: LoadedStudy, round_: Round, question: int, asked: Asked, yes: bool, timing: Timing
) -> Answered:
    """The answer to a question that was asked here."""
    return Answered(
        round=round_.round,
        question=question,
        word=asked.word,
        answer="y" if yes else "n",
        reward=loaded.reward(round_.target, asked.word),
        compute_ms=asked.compute_ms,
        digest=asked.state.digest,
        converged=asked.state.fit.converged,
        **vars(timing),
    )


def imported_answer(
    round_number: int, question: int, word: str, answer: Literal["y", "n"], reward: float
) -> Answered:
    """An answer that was given elsewhere.  Everything that a table does not contain is None."""
    unknown: dict[str, Any] = dict.fromkeys((*RECORDED_BY_STUDYAPP, "compute_ms"))
    return Answered(round=round_number, question=question, word=word, answer=answer, reward=reward, **unknown)
