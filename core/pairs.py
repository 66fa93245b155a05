"""Pairs of a simulated teacher and a learner, named by letters as in Table 1 of the paper.

The first letter is the simulated teacher's (core.simulated), the second is that of the learner's teacher
model (core.teachers): in P-N a planning teacher answers a learner that takes it for a naive one.  A third
letter T says that the learner keeps a belief over targets instead of weights, as in H-HT.
"""

from __future__ import annotations

from dataclasses import dataclass

from core import checks
from core.simulated import SIMULATED, SimulatedKind
from core.teachers import BELIEFS, TEACHERS, TeacherModel

TABLE_1 = ("N-N", "N-P", "N-M", "P-N", "P-P", "P-M")  # the pairs of the paper
BELIEF_LETTERS = {"weights": "", "targets": "T"}


@dataclass(frozen=True)
class Pair:
    """Who answers, and what the learner assumes about it."""

    teacher: SimulatedKind
    model: TeacherModel
    belief: str

    @property
    def name(self) -> str:
        return f"{self.teacher.letter}-{self.model.letter}{BELIEF_LETTERS[self.belief]}"

    @property
    def sentence(self) -> str:
        """Its name in words, for help and results."""
        return (
            f"the teacher {self.teacher.sentence}; the learner {self.model.sentence}"
            f", and keeps a belief over {self.belief}"
        )

    @property
    def looks_ahead(self) -> bool:
        """Does either of them plan?"""
        return self.teacher.plans or self.model.plans


def all_pairs() -> tuple[Pair, ...]:
    """Every simulated teacher that has a letter, with every teacher model and belief."""
    teachers = [teacher for teacher in SIMULATED if teacher.letter is not None]
    return tuple(
        Pair(teacher, model, belief)
        for belief in BELIEFS
        for teacher in teachers
        for model in TEACHERS
        if belief in model.beliefs
    )


def pair_names() -> tuple[str, ...]:
    """The names of all pairs, those of kinds added later included."""
    return tuple(pair.name for pair in all_pairs())


def pair_named(name: str) -> Pair:
    """The pair with this name."""
    pairs = {pair.name: pair for pair in all_pairs()}
    return pairs[checks.one_of("pair", name, pairs)]
