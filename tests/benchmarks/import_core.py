"""What ``import core`` costs, each time in a Python of its own: it must load neither SciPy nor torch.

python tests/benchmarks/import_core.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

RUNS = 15
ROOT = Path(__file__).parents[2]

ROWS = {
    "import core": "import core",
    "core.Vocabulary, and the 20 words": "import core; core.Vocabulary.load('study20')",
    "core.Learner (this loads SciPy)": "import core; core.Learner",
}


def seconds(code: str) -> tuple[float, list[str]]:
    """How long ``code`` takes to run, Python's own start aside, and which large packages it loaded."""
    probe = (
        "import sys, time; start = time.perf_counter()\n"
        f"{code}\n"
        "print(time.perf_counter() - start, *{'scipy', 'torch'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    time, *loaded = run.stdout.split()
    return float(time), loaded


def main() -> None:
    print(f"{'':48}{'median, s':>10}{'worst':>8}{'loads':>8}")
    for name, code in ROWS.items():
        runs = [seconds(code) for _ in range(RUNS)]
        times = [time for time, _ in runs]
        loaded = " ".join(runs[0][1]) or "-"
        print(f"{name:48}{statistics.median(times):10.3f}{max(times):8.3f}{loaded:>8}")


if __name__ == "__main__":
    main()
