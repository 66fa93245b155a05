"""Sessions survive whatever ends them: kill -9, SIGTERM, SIGHUP, a closed terminal, a kill during a write.

The work is done by scripts that fork sessions.  A process with threads, as pytest has, must not fork.  The
long versions are marked ``prove``; the short ones show the same properties in every run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from meddling import DAMAGE

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"
)

TESTS = Path(__file__).parents[2]
PAGES = 14
prove = pytest.mark.prove
OTHERS = [damage.__name__ for damage in DAMAGE if damage.__name__ != "overwritten"]


def output_of(script: str, *arguments: str) -> str:
    command = [sys.executable, str(TESTS / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_session_ended_eight_times_in_four_ways_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    seed = "14"  # with this seed, each of the four ways is drawn, and SIGKILL three times or more
    ways = ("--endings", "KILL", "TERM", "HUP", "CLOSE")
    output = output_of("lives.py", str(tmp_path), "--kills", "8", "--seed", seed, "--short", *ways)
    assert "8 endings (" in output


@prove
@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_session_killed_at_60_random_moments_ends_as_if_nothing_had_happened(
    tmp_path: Path, seed: str
) -> None:
    assert "60 endings (-9)" in output_of("lives.py", str(tmp_path), "--kills", "60", "--seed", seed)


@prove
def test_a_session_survives_sigterm_sighup_and_a_closed_terminal(tmp_path: Path) -> None:
    ways = ("--endings", "TERM", "HUP", "CLOSE")
    assert "20 endings" in output_of("lives.py", str(tmp_path), "--kills", "20", *ways)


@pytest.mark.parametrize("only", [("--first", "answer"), pytest.param((), marks=prove)])
def test_a_session_killed_at_every_boundary_of_a_write_ends_as_if_nothing_had_happened(
    tmp_path: Path, only: tuple[str, ...]
) -> None:
    output = output_of("boundaries.py", str(tmp_path), *only)
    assert "always the same answers" in output
    assert " 0 torn tails" not in output  # it did kill in the middle of a write


@pytest.mark.parametrize("damage", ["overwritten", *(pytest.param(name, marks=prove) for name in OTHERS)])
def test_a_session_killed_while_its_log_is_written_again_loses_nothing_once_that_is_done(
    tmp_path: Path, damage: str
) -> None:
    assert "always the same answers" in output_of("boundaries.py", str(tmp_path), "--damage", damage)


@pytest.mark.parametrize("changes", ["5", pytest.param("30", marks=prove)])
def test_a_session_whose_log_another_program_changes_at_random_moments_loses_nothing(
    tmp_path: Path, changes: str
) -> None:
    output = output_of("lives.py", str(tmp_path), "--changes", changes)
    assert "always the same answers" in output


@prove
def test_a_session_survives_a_clock_set_back_and_forward_before_every_life(tmp_path: Path) -> None:
    assert "40 endings" in output_of("lives.py", str(tmp_path), "--kills", "40", "--clock")


@pytest.mark.parametrize("keys", [300, pytest.param(10_000, marks=prove)])
def test_random_keys_on_every_page_crash_nothing(tmp_path: Path, keys: int) -> None:
    output = output_of("monkeys.py", str(tmp_path), "--keys", str(keys))
    assert output.count(f" {keys}") == PAGES
