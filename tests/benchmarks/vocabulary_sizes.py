"""How ``tell`` grows with the number of words, on one thread: from the study's 20 to 2,000.

    python tests/benchmarks/vocabulary_sizes.py              some minutes
    python tests/benchmarks/vocabulary_sizes.py 20 1000      only these numbers of words

Each word has as many features as there are words, as in a study.  Every row is a process of its own, so that
the memory is its own: the most that it has held, features included.  ``first`` is the first question of a
learner, for which it draws from its prior.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import studyapp  # noqa: F401 (one thread; before NumPy)
from core import Learner, Vocabulary

WORDS = (20, 50, 100, 200, 500, 1000, 2000)
MODELS = (
    ("naive", "weights"),
    ("mixture", "weights"),
    ("naive", "targets"),
    ("mixture", "targets"),
    ("person", "targets"),
)
ANSWERS = 14
TRIES = 9


def vocabulary_of(words: int) -> Vocabulary:
    """The study's words, or frequent ones."""
    if words == 20:
        return Vocabulary.load("study20")
    everything = Vocabulary.load("words10k")
    return Vocabulary(everything.words[:words], everything.vectors[:words])


def measured(words: int, teacher: str, belief: str) -> dict[str, float]:
    """Seconds of processor time, and megabytes."""
    vocabulary = vocabulary_of(words)
    began = time.process_time()
    features = vocabulary.features()
    made_features = time.process_time()
    learner = Learner(features, teacher=teacher, belief=belief)
    made_learner = time.process_time()
    learner.tell(learner.begin(3), 1)
    first = time.process_time() - made_learner
    state = learner.condition([(7 * i % words, int(i % 3 == 0)) for i in range(ANSWERS)])
    tells, both = [], []
    for _ in range(TRIES):
        start = time.process_time()
        learner.tell(state, 1)
        middle = time.process_time()
        learner.tell_both(state)
        tells.append(middle - start)
        both.append(time.process_time() - middle)
    return {
        "features": made_features - began,
        "learner": made_learner - made_features,
        "first": first,
        "tell": sorted(tells)[TRIES // 2],
        "both": sorted(both)[TRIES // 2],
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[2] in {teacher for teacher, _ in MODELS}:  # a row
        print(json.dumps(measured(int(sys.argv[1]), *sys.argv[2:])))
        return
    print(f"One tell after {ANSWERS} answers, one thread; milliseconds of processor time, and MB\n")
    columns = ("features", "learner", "first", "tell", "both")
    print(
        f"{'teacher':8} {'belief':8}{'words':>7}"
        + "".join(f"{name:>10}" for name in columns)
        + f"{'over 20':>9}{'MB':>7}"
    )
    for teacher, belief in MODELS:
        least = None
        for words in [int(number) for number in sys.argv[1:]] or WORDS:
            row = json.loads(
                subprocess.run(
                    [sys.executable, __file__, str(words), teacher, belief],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
            )
            least = least or row["tell"]
            print(
                f"{teacher:8} {belief:8}{words:7,}"
                + "".join(f"{1e3 * row[name]:10.2f}" for name in columns)
                + f"{row['tell'] / least:8.1f}x{row['memory']:7,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
