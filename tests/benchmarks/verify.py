"""How many questions per second ``studyapp verify`` re-derives: ten simulated participants, 630 answers each.

For comparison: how long the same questions took when they were asked, according to the logs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from studyapp.session import log
from studyapp.session.events import Answered

PARTICIPANTS = 10


def main() -> None:
    command = [sys.executable, "-m", "studyapp.cli"]
    with tempfile.TemporaryDirectory() as folder:
        rehearse = [*command, "rehearse", "--participants", str(PARTICIPANTS), "--sessions", folder]
        subprocess.run(rehearse, check=True, stdout=subprocess.DEVNULL)
        began = time.perf_counter()
        done = subprocess.run([*command, "verify", folder], check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - began
        answers = [
            event
            for path in Path(folder).iterdir()
            for event in log.read(path).events
            if isinstance(event, Answered)
        ]
    asking = sum(event.compute_ms or 0.0 for event in answers) / 1000
    print(done.stdout.splitlines()[-1])
    print(f"{len(answers)} questions re-derived in {seconds:.1f} s, {len(answers) / seconds:.0f} per second")
    print(f"asking them took {asking:.1f} s on one core")


if __name__ == "__main__":
    main()
