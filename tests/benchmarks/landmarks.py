"""What landmarks lose: the next questions of learners with 3,000 words, through 500 landmarks and exactly.

    python tests/benchmarks/landmarks.py               the words of words10k (10 dimensions)
    python tests/benchmarks/landmarks.py vectors.bin   those of any word2vec or GloVe file

The histories are the same for all learners: up to ten answers of a naive teacher, most of them about words
like the target.  Of a belief over targets, the rewards go through the landmarks.  The last row is the exact
learner that expects people against itself with other random draws in its rough look-ahead.
"""

from __future__ import annotations

import studyapp  # noqa: F401 (one thread, set before NumPy is loaded)

# isort: split

import sys
from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from core import Learner, Likeness, Vocabulary, rough_planning
from core.randomness import stream

WORDS = 3000
LANDMARKS = 500
HISTORIES = 200
NEAR = 30  # words like the target that are asked about
Asking = Callable[[list[tuple[int, int]], str], int]
RULES = ("bayes-ucb", "greedy")


def histories(table: np.ndarray) -> list[list[tuple[int, int]]]:
    found = []
    for number in range(HISTORIES):
        draw = stream(0, "landmarks", number)
        target, answers = draw.integer(WORDS), 1 + draw.integer(10)
        near, luck = np.argsort(-table[target])[:NEAR], draw.uniform(answers)
        asked = [
            int(near[draw.integer(NEAR)]) if luck[i] < 0.7 else draw.integer(WORDS) for i in range(answers)
        ]
        yes = draw.uniform(answers) < np.sqrt(table[target, asked])
        found.append([(arm, int(answer)) for arm, answer in zip(asked, yes, strict=True)])
    return found


def measure(vocabulary: Vocabulary) -> None:
    table, likeness = vocabulary.features(), vocabulary.likeness(landmarks=LANDMARKS)
    features, given = likeness.features(), histories(table)
    kept = np.square(features).sum(1) / np.square(table).sum(1)
    print(f"prior variance of a word that is kept: median {100 * np.median(kept):.1f} %\n")
    print(f"{'':22}{'Bayes-UCB':>10}{'greedy':>8}   same next question, of {HISTORIES}")

    def compare(name: str, exact: Asking, other: Asking) -> None:
        same = [sum(exact(one, rule) == other(one, rule) for one in given) for rule in RULES]
        print(f"{name:22}{same[0]:10}{same[1]:8}", flush=True)

    def over_weights(arms: np.ndarray) -> Asking:
        learners = {rule: Learner(arms, teacher="naive", selection=rule) for rule in RULES}
        return lambda history, rule: learners[rule].condition(history).arm

    def over_targets(teacher: str, rewards: np.ndarray | Likeness) -> Asking:
        common = {"teacher": teacher, "belief": "targets", "rewards": rewards}
        learners = {rule: Learner(table, **common, selection=rule) for rule in RULES}
        return lambda history, rule: learners[rule].condition(history).arm

    compare("naive, weights", over_weights(table), over_weights(features))
    for teacher in ("naive", "person"):
        compare(f"{teacher}, targets", over_targets(teacher, table), over_targets(teacher, likeness))
    with patch.object(rough_planning, "stream", lambda seed, *names: stream(seed + 1, *names)):
        others = over_targets("person", table)
    compare("person, other draws", over_targets("person", table), others)


def main() -> None:
    source = Vocabulary.load(sys.argv[1] if len(sys.argv) > 1 else "words10k")
    measure(Vocabulary(source.words[:WORDS], source.vectors[:WORDS]))


if __name__ == "__main__":
    main()
