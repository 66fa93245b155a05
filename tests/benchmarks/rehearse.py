"""How long a simulated participant of the published study takes: 600 answers, both models, one core."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
QUESTIONS = 600
PUBLISHED = (2.0, 0.2)  # seconds per question of the published implementation on this machine: mixture, naive


def main() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    published = sum(PUBLISHED) * QUESTIONS / 2
    for teacher in ("person", "naive", "random", "planning"):
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "studyapp.cli",
                "rehearse",
                "--teacher",
                teacher,
                "--participants",
                "1",
            ]
            began = time.perf_counter()
            subprocess.run([*command, "--sessions", folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - began
        ratio = published / seconds
        print(
            f"{teacher:9} {seconds:5.1f} s for {QUESTIONS} answers, start included; {ratio:.0f} times as fast"
        )
    print(f"as the published implementation, whose models need {published:.0f} s for as many questions")


if __name__ == "__main__":
    main()
