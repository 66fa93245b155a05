"""Attacks on the command line: many hostile inputs, each of which must end well.

An attack is a function that writes hostile files into an empty folder and returns the arguments of a command.
``survey`` makes many of them and runs ``studyapp.cli.main`` on each, in this process.  Whatever the input, a
command must

    end with 0, 1, 2 or 130, and with no exception
    end within PATIENCE seconds, and need no more than MEMORY bytes more than before
    print no traceback, and no character that a terminal obeys, except newlines and tabs
    say with 2 what is wrong: one message on stderr, which begins with "studyapp"

A survey doesn't stop at the first fault: it lists each kind of fault once, with the smallest input that shows
it.  That input stays in the folder that the list names.  ``HOSTILE_SEED=7 pytest ...`` tries other inputs.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shlex
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from types import FrameType

from studyapp.cli import COMMANDS, main

PATIENCE = 300  # seconds: a busy machine is no fault
MEMORY = 1_500_000_000  # bytes of address space, of which a GB may be used
CODES = (0, 1, 2, 130)
ONE_PER_LOG = ("export",)  # which have a message for each log as well
ROOT = Path(__file__).parents[1]
BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

Attack = Callable[[Random, Path], Sequence[str]]


class Hangs(BaseException):
    """Raised where a command is when its time is over; no ``except Exception`` can stop it."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: object  # None if it did not end by itself
    out: str
    err: str
    exception: BaseException | None = None


def run(arguments: Sequence[str], folder: Path) -> Outcome:
    """Run a command in a folder, with limits on its time and memory."""
    written = BytesIO(), BytesIO()
    out, err = (TextIOWrapper(stream, encoding="utf-8", write_through=True) for stream in written)
    code: object = None
    exception: BaseException | None = None
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with _limits():
                code = main(list(arguments))
        except SystemExit as end:  # from argparse
            code = end.code
        except BaseException as error:  # the attack's result, whatever it is
            exception = error
    printed, said = (stream.getvalue().decode("utf-8", "replace") for stream in written)
    return Outcome(code, printed, said, exception)


@contextlib.contextmanager
def _limits() -> Iterator[None]:
    def over(_: int, __: FrameType | None) -> None:
        raise Hangs

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def faults_of(outcome: Outcome, command: str) -> list[str]:
    """What is wrong with how a command ended: a few words that are the same for the same fault."""
    if outcome.exception is not None:
        kind = type(outcome.exception).__name__
        return [
            f"{'hangs' if isinstance(outcome.exception, Hangs) else f'raises {kind}'} at {_place(outcome)}"
        ]
    faults = []
    if outcome.code not in CODES:
        faults.append(f"ends with {outcome.code}")
    for name, text in (("stdout", outcome.out), ("stderr", outcome.err)):
        if "Traceback" in text:
            faults.append(f"prints a traceback on {name}")
        if any(map(_is_control, text)):
            faults.append(f"prints a control character on {name}")
        if not BIDIRECTIONAL.isdisjoint(text):
            faults.append(f"prints a bidirectional mark on {name}")
    if outcome.code == 2 and command != "verify":  # which prints verdicts instead
        messages = sum(line.startswith("studyapp") for line in outcome.err.splitlines())
        if messages == 0 or (messages > 1 and command not in ONE_PER_LOG):
            faults.append(f"ends with 2 and {messages} messages")
    return faults


def _is_control(character: str) -> bool:
    """Does a terminal obey this character rather than show it?  Newlines and tabs are harmless."""
    return (character < " " or "\x7f" <= character < "\xa0") and character not in "\n\t"


def _place(outcome: Outcome) -> str:
    """The last line of ours in a traceback."""
    assert outcome.exception is not None
    frames = traceback.extract_tb(outcome.exception.__traceback__)
    ours = [
        frame
        for frame in frames
        if Path(frame.filename).is_relative_to(ROOT)
        and not Path(frame.filename).is_relative_to(ROOT / ".venv")
        and not Path(frame.filename).is_relative_to(ROOT / "tests")
    ]
    return f"{Path(ours[-1].filename).relative_to(ROOT)}:{ours[-1].lineno}" if ours else "an unknown place"


@dataclass
class _Example:
    """The smallest of the inputs that show a fault."""

    count: int = 0
    size: float = float("inf")
    case: int = -1
    arguments: Sequence[str] = ()
    outcome: Outcome = field(default_factory=lambda: Outcome(None, "", ""))


def survey(kind: str, attack: Attack, cases: range, folder: Path) -> None:
    """Run these cases of an attack, and fail with a list of the faults, if there are any."""
    seed = os.environ.get("HOSTILE_SEED", "0")
    found: dict[tuple[str, str], _Example] = {}
    for case in cases:
        place = folder / str(case) / "here"  # what a command writes to .. stays with its case
        place.mkdir(parents=True)
        arguments = attack(Random(f"{seed} {kind} {case}"), place)
        size = sum(len(part) for part in arguments) + sum(
            path.lstat().st_size for path in place.rglob("*") if path.is_file()
        )
        outcome = run(arguments, place)
        command = arguments[0] if arguments and arguments[0] in COMMANDS else ""
        faults = faults_of(outcome, command)
        for fault in faults:
            example = found.setdefault((command, fault), _Example())
            example.count += 1
            if size < example.size:
                example.size, example.case = size, case
                example.arguments, example.outcome = arguments, outcome
        if not faults:
            shutil.rmtree(place.parent)
    for path in folder.iterdir():  # only examples stay
        if path.name not in {str(example.case) for example in found.values()}:
            shutil.rmtree(path)
    assert not found, _report(kind, seed, cases, folder, found)


def _report(kind: str, seed: str, cases: range, folder: Path, found: dict[tuple[str, str], _Example]) -> str:
    lines = [
        f"{kind}: {len(found)} kinds of fault in cases {cases.start} to {cases.stop - 1}, HOSTILE_SEED={seed}"
    ]
    for (command, fault), example in sorted(found.items(), key=lambda item: -item[1].count):
        shown = shlex.join(part if len(part) < 60 else f"{part[:50]}..." for part in example.arguments)
        lines.append(f"  {command} {fault}: {example.count} times, such as case {example.case}: {shown!a}")
        if example.outcome.exception is not None:
            lines.append(f"      {ascii(str(example.outcome.exception))[:200]}")
        else:
            lines.append(f"      {ascii(example.outcome.err or example.outcome.out)[:300]}")
    return "\n".join([*lines, f"The input of each case is in {folder}/CASE/here"])
