"""Sessions survive whatever ends them: kill -9, SIGTERM, SIGHUP, a closed terminal, a kill during a write.

The work is done by scripts that fork sessions.  A process with threads, as pytest has, must not fork.  The
long versions are marked ``prove``; the short ones show the same properties in every run.
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
PAGES = 14
prove = pytest.mark.prove


def output_of(folder: Path, script: str, *arguments: str) -> str:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, str(TESTS / script), str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_session_ended_eight_times_in_four_ways_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    seed = "14"  # with this seed, each of the four ways is drawn, and SIGKILL three times or more
    ways = ("--endings", "KILL", "TERM", "HUP", "CLOSE")
    output = output_of(tmp_path, "lives.py", "--kills", "8", "--seed", seed, "--short", *ways)
    assert "8 endings (" in output


@prove
def test_a_session_survives_whatever_ends_it_with_a_clock_set_back_and_forward(tmp_path: Path) -> None:
    assert "40 endings (-9)" in output_of(tmp_path / "killed", "lives.py", "--kills", "40", "--clock")
    ways = ("--endings", "TERM", "HUP", "CLOSE")
    assert "12 endings" in output_of(tmp_path / "ended", "lives.py", "--kills", "12", *ways)


@pytest.mark.parametrize("only", [("--first", "answer"), pytest.param((), marks=prove)])
def test_a_session_killed_at_every_boundary_of_a_write_ends_as_if_nothing_had_happened(
    tmp_path: Path, only: tuple[str, ...]
) -> None:
    output = output_of(tmp_path, "boundaries.py", *only)
    assert "always the same answers" in output
    assert " 0 torn tails" not in output  # it did kill in the middle of a write


@prove
@pytest.mark.parametrize("damage", ["overwritten", "removed"])
def test_a_session_killed_while_its_log_is_written_again_loses_nothing_once_that_is_done(
    tmp_path: Path, damage: str
) -> None:
    assert "always the same answers" in output_of(tmp_path, "boundaries.py", "--damage", damage)


@prove
def test_a_session_whose_log_another_program_changes_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    assert "always the same answers" in output_of(tmp_path, "lives.py", "--changes", "12")


@pytest.mark.parametrize("keys", [100, pytest.param(2_000, marks=prove)])
def test_random_keys_on_every_page_crash_nothing(tmp_path: Path, keys: int) -> None:
    output = output_of(tmp_path, "monkeys.py", "--keys", str(keys))
    assert output.count(f" {keys}") == PAGES
