"""Sessions survive whatever ends them: kill -9, SIGTERM, SIGHUP, a closed terminal, in the middle of a write.

The work is done by scripts that fork sessions, which a process with threads, as pytest's are, must not.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"
)

TESTS = Path(__file__).parents[2]


def output_of(script: str, *arguments: str) -> str:
    command = [sys.executable, str(TESTS / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("seed", ["1", "2"])
def test_killed_at_60_random_moments_a_session_ends_as_if_nothing_had_happened(
    tmp_path: Path, seed: str
) -> None:
    assert "60 endings (-9)" in output_of("lives.py", str(tmp_path), "--kills", "60", "--seed", seed)


def test_so_it_does_after_sigterm_sighup_and_a_closed_terminal(tmp_path: Path) -> None:
    message = output_of("lives.py", str(tmp_path), "--kills", "20", "--endings", "TERM", "HUP", "CLOSE")
    assert "20 endings" in message


def test_killed_at_every_boundary_of_every_write_a_session_ends_as_if_nothing_had_happened(
    tmp_path: Path,
) -> None:
    message = output_of("boundaries.py", str(tmp_path))
    assert "always the same story" in message
    assert " 0 torn tails" not in message  # it did kill in the middle of a write


def test_ten_thousand_random_keys_on_every_page_crash_nothing(tmp_path: Path) -> None:
    message = output_of("monkeys.py", str(tmp_path), "--keys", "10000")
    assert message.count(" 10000") == 12  # pages
