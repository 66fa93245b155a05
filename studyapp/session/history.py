"""What had happened in a round before each of its questions, and which rounds of a session count.

Tables and analysis take both from here, so that they mean the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from studyapp.session.session import Session
from studyapp.study.plan import Round


@dataclass(frozen=True, slots=True)
class Before:
    """What had happened in the round before a question."""

    last_answer: Literal["y", "n"] | None  # the last one to the same word; None if it was not asked about
    yes: bool  # did the word get a yes?
    found: bool  # was a question about the target?

    @property
    def asked(self) -> bool:
        """Was the word asked about?"""
        return self.last_answer is not None


def what_came_before(session: Session, round_: Round) -> Iterator[Before]:
    """What had happened before each answered question of a round; nothing if the round never took place."""
    if not session.took_place(round_):
        return
    last: dict[str, Literal["y", "n"]] = {}
    yes: set[str] = set()
    for answer in session.answers_in(round_):
        yield Before(last.get(answer.word), answer.word in yes, round_.target in last)
        last[answer.word] = answer.answer
        if answer.answer == "y":
            yes.add(answer.word)


def counted_rounds(session: Session) -> set[int]:
    """The numbers of the rounds in which models are compared.

    They are complete, not practice, and on targets that were completed with every model: a target that only
    some models have completed would favour one of them.
    """
    complete = [
        round_
        for round_ in session.plan
        if not round_.practice
        and session.took_place(round_)
        and len(session.answers_in(round_)) == session.study.questions
    ]
    models: dict[str, set[str]] = {}
    for round_ in complete:
        models.setdefault(round_.target, set()).add(round_.model)
    every = set(session.study.models)
    return {round_.round for round_ in complete if models[round_.target] == every}
