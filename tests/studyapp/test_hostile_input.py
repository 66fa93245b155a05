"""Whatever a command is given, it ends with a code and a message.

A command that works is run after something was done to one of the files that it reads, or to its arguments.
However hostile that is, the command must

    end with 0, 1, 2 or 130, and with no exception
    end before PATIENCE is over, and need no more than MEMORY more than before
    print no traceback, and no character that a terminal obeys, except newlines and tabs
    say with 2 what is wrong: one message on stderr, which begins with "studyapp"

A test doesn't stop at the first fault: it lists each kind of fault once, with the smallest input that shows
it, which stays in the folder that the list names.  ``HOSTILE_SEED=7 pytest ...`` tries other inputs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shlex
import shutil
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from types import FrameType

import numpy as np
import pytest
import yaml
from chains import END, chained, event_of, parts
from hostile import NUMBERS, TERMINAL, as_json, damaged, damaged_cells, hostile_name, misshapen, nudged, token
from small_experiments import draw_nothing
from study_files import VECTORS, small
from study_folders import make

from core.vocabulary import Vocabulary
from studyapp.base import parallel
from studyapp.cli import COMMANDS, main, parser_of
from studyapp.tables.tables import PUBLISHED

if sys.platform == "win32":
    pytest.skip("Windows has neither alarms nor limits", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds: a busy machine is no fault
MEMORY = 1_500_000_000  # bytes of address space, of which a GB may be used
FEW, MANY = 8, 160
BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ONE_PER_LOG = ("export",)  # which has a message for each log as well

# What is damaged, and the commands that read it.  Everything is in one study folder.
SIMULATE = "--arms 3 --questions 2 --replications 2 --samples 2 --pairs N-N,P-M --processes 1"
OFFICE = (
    *("status", "status --json", "note P01 again", "note P01 --json", "exclude P01 --reason x --undo"),
    *("exclude P02 --reason x", "delete P01 --yes", "backup", "export"),
)
READ = {
    "study.yaml": ("check study.yaml", "check study.yaml --plan", "check study.yaml --texts", "status"),
    "words.txt": ("check study.yaml", "words build --vectors words.txt --words list --out new.txt"),
    "words.bin": ("words build --vectors words.bin --words list --out new.bin",),
    "list": ("words build --vectors words.txt --words list --out new.txt",),
    "sessions/P01.yaml": ("verify", "verify --json", "export", "status", "delete P01 --yes"),
    "study.log.yaml": OFFICE,
    "answers.csv": ("import answers.csv --study study.yaml --sessions new",),
    "data.npy": (f"simulate --data data.npy {SIMULATE} --out new",),
    "data.csv": (f"simulate --data data.csv {SIMULATE} --out new",),
    "simulated": (f"simulate --data data.npy {SIMULATE} --out simulated",),
    "results": ("reproduce --redraw --out .",),
}
# Each command with arguments that it refuses or that take it no time.
CHEAP = {
    "": "",
    "run": "run --study study.yaml --participant P01 --sessions logs",
    "check": "check study.yaml --plan --participant P01",
    "rehearse": "rehearse --study study.yaml --teacher random --participants 1 --sessions new",
    "new": "new mine --from short",
    "status": "status sessions",
    "note": "note P01 slept --in .",
    "exclude": "exclude P01 --reason snored",
    "delete": "delete P01 --yes --reason asked",
    "backup": "backup --out new",
    "verify": "verify sessions/P01.yaml --words words.txt",
    "preregister": "preregister --no-power --participants 4 --out new",
    "unblind": "unblind --reason done --yes",
    "analyse": "analyse empty --out new",
    "power": "power empty --study study.yaml --simulate 2 --out new",
    "people": "people fit empty --out people.yaml",
    "export": "export sessions --out new",
    "import": "import answers.csv --study study.yaml --sessions new",
    "words": "words build --vectors words.txt --words list --out new.txt",
    "simulate": f"simulate --data data.csv {SIMULATE} --out new",
    "reproduce": "reproduce active-example --redraw --out new",
}
# Not the study paper: a simulated participant takes half a minute with its published fits.
ODD_FILES = ("empty", "loop", "nowhere", "pipe", "missing", "missing/missing", "list/x", ".", "..", "short")
ANSWERS = "\n".join(
    [
        ",".join(PUBLISHED),
        "P01,1,true,plain,tea,1,no,n,0.25",
        "P01,1,true,plain,tea,2,tea,y,0.999900",
        "P01,2,false,both,no,1,café,y,0",
        "P01,2,false,both,no,2,ice cream,n,1",
        "P02,1,false,both,no,1,tea,n,0.1",
        "P02,1,false,both,no,2,no,y,0.9999",
    ]
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study folder with good files of every kind, and with what may be mistaken for a file."""
    folder = make(tmp_path_factory.mktemp("good") / "lab", "P01", "P02").path
    for command in ("note P01 slept", "exclude P01 --reason snored", "delete P02 --yes"):
        assert main([*command.split(), "--in", str(folder)]) == 0
    (folder / "spaceless").write_text(VECTORS.replace("ice cream", "ice_cream"), encoding="utf-8")
    Vocabulary.load(folder / "spaceless").save(folder / "words.bin")  # which has no spaces
    (folder / "list").write_text("# mine\ntea\nno\n\ncafé\n", encoding="utf-8")
    (folder / "answers.csv").write_text(f"{ANSWERS}\n", encoding="utf-8")
    numbers = np.random.default_rng(7).normal(size=(6, 3))
    np.save(folder / "data.npy", numbers)
    np.savetxt(folder / "data.csv", numbers, delimiter=",", fmt="%.3f")
    figures = ["active-example", "teaching-example", "--replications", "2", "--processes", "1"]
    with pytest.MonkeyPatch.context() as monkeypatch:
        draw_nothing(monkeypatch)
        simulated = ["simulate", "--data", str(folder / "data.npy"), *SIMULATE.split()]
        assert main([*simulated, "--out", str(folder / "simulated")]) == 0
        assert main(["reproduce", *figures, "--out", str(folder)]) == 0
    (folder / "empty").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere").symlink_to("missing")
    return folder


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes a hundred times as long as everything else, and starting processes ten times."""
    draw_nothing(monkeypatch)
    monkeypatch.setattr(parallel, "cores", lambda: 1)


# Attacks on files


def attacked(kind: str, random: Random, folder: Path) -> Sequence[str]:
    """Do something to a file, and return the arguments of a command that reads it."""
    place = folder / kind
    files = sorted(path for path in place.rglob("*.json*") if path.is_file()) if place.is_dir() else [place]
    file = random.choice(files)
    arguments = shlex.split(random.choice(READ[kind]))
    file.write_bytes(_changed(file, random))
    if kind in arguments and (name := hostile_name(random, file.name)) != file.name:
        file.rename(folder / name)
        arguments = [f"./{name}" if part == kind else part for part in arguments]
    return arguments


def _changed(file: Path, random: Random) -> bytes:
    raw = file.read_bytes()
    if random.random() < 0.4 or file.suffix in (".txt", ".bin", ""):
        return damaged(raw, random)
    match file.name:
        case "study.yaml":
            return _document(small(), random)
        case "study.log.yaml":
            return chained(_forged(parts(raw), 0, random), has_head=False)
        case "P01.yaml":
            documents = parts(raw)
            if random.random() < 0.3:
                head = yaml.safe_load(documents[0])
                fields = random.choice((misshapen, nudged))(head, random).items()
                lines = [f"{name}: {as_json(value, random)}" for name, value in fields if name != "chain"]
                documents[0] = "\n".join(["---", *lines]).encode(errors="surrogatepass") + END
            return chained(_forged(documents, 1, random))
    if file.suffix == ".csv":
        return damaged_cells(raw.decode(), random)
    lines = raw.splitlines()
    number = random.choice((0, random.randrange(len(lines))))
    with contextlib.suppress(ValueError):  # a line of a longer document
        lines[number] = _document(json.loads(lines[number]), random)
    return b"\n".join(lines) + b"\n"


def _document(data: object, random: Random) -> bytes:
    return as_json(random.choice((misshapen, nudged))(data, random), random).encode(errors="surrogatepass")


def _forged(documents: list[bytes], first: int, random: Random) -> list[bytes]:
    """The documents of a log with one or two others; their chain will be right."""
    forged = list(documents)
    for _ in range(random.choice((1, 1, 2))):
        number = random.randrange(first, len(documents))
        forged[number] = b"--- " + _document(event_of(documents[number]), random) + END
    return forged


# Attacks on arguments


def with_arguments(random: Random, folder: Path) -> Sequence[str]:
    """A command with something else, or something more, among its arguments."""
    os.mkfifo(folder / "pipe")
    command = random.choice([*CHEAP])
    given = CHEAP[command].split()
    for _ in range(random.choice((1, 1, 2))):
        # Mostly at the end: an argument between an option and its value is refused before anything else.
        at = random.choice((len(given), len(given), random.randrange(min(1, len(given)), len(given) + 1)))
        values = [n for n, part in enumerate(given) if n and part[:1] != "-"]
        way = random.choice(("option", "option", "value", "value", "value", "more", "double"))
        if way == "option":
            given[at:at] = _option(command, random)
        elif way == "value" and values:
            given[random.choice(values)] = _argument(random)
        elif way == "double" and given:
            given.insert(at, random.choice(given))
        else:
            given.insert(at, _argument(random))
    if command == "words":  # vectors may come through a pipe, and this one would keep it waiting
        given = [part.replace("pipe", "missing") for part in given]
    return given


def _argument(random: Random) -> str:
    # Never a device: a command that did write to it would spoil it.  No system passes on a zero byte.
    odd = random.choice(("\udcff", "-x", "--", "--x"))
    files = random.choice((*ODD_FILES, *READ))
    some = random.choice((files, random.choice(NUMBERS), token(random), random.choice(TERMINAL), odd))
    return "" if "\0" in some or some.startswith("/") else some[:50_000]


def _option(command: str, random: Random) -> list[str]:
    parser = parser_of([command] if command else list(COMMANDS))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and command:
            parser = action.choices[command]
    option = random.choice([option for action in parser._actions for option in action.option_strings])
    if option in ("--processes", "--scheduler"):  # their own tests: processes take seconds to start
        return [option, random.choice(("0", "-1", "x", ""))] if option == "--processes" else []
    value = _argument(random)
    ways = ([option], [option, value], [f"{option}={value}"], [f"{option}=--"], [option, value, value])
    return list(random.choice(ways))


# What must hold


class Hangs(BaseException):
    """Raised where a command is when its time is over; no ``except Exception`` can stop it."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: object  # None if it did not end by itself
    out: str
    err: str
    exception: BaseException | None = None


def outcome_of(arguments: Sequence[str], folder: Path) -> Outcome:
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
        return [f"{'hangs' if kind == 'Hangs' else f'raises {kind}'} at {_place(outcome.exception)}"]
    faults = [] if outcome.code in (0, 1, 2, 130) else [f"ends with {outcome.code}"]
    for name, text in (("stdout", outcome.out), ("stderr", outcome.err)):
        if "Traceback" in text:
            faults.append(f"prints a traceback on {name}")
        if any((c < " " or "\x7f" <= c < "\xa0") and c not in "\n\t" for c in text):
            faults.append(f"prints a control character on {name}")
        if not BIDIRECTIONAL.isdisjoint(text):
            faults.append(f"prints a bidirectional mark on {name}")
    if outcome.code == 2 and command != "verify":  # which prints verdicts instead
        messages = sum(line.startswith("studyapp") for line in outcome.err.splitlines())
        if messages == 0 or (messages > 1 and command not in ONE_PER_LOG):
            faults.append(f"ends with 2 and {messages} messages")
    return faults


def _place(exception: BaseException) -> str:
    """The last line of ours in a traceback."""
    ours = [
        f"{Path(frame.filename).relative_to(ROOT)}:{frame.lineno}"
        for frame in traceback.extract_tb(exception.__traceback__)
        if Path(frame.filename).is_relative_to(ROOT / "core")
        or Path(frame.filename).is_relative_to(ROOT / "studyapp")
    ]
    return ours[-1] if ours else "an unknown place"


@pytest.mark.parametrize("cases", [FEW, pytest.param(MANY, marks=pytest.mark.prove)])
@pytest.mark.parametrize("kind", [*READ, "arguments"])
def test_every_command_survives_hostile_input(kind: str, cases: int, good: Path, tmp_path: Path) -> None:
    seed = os.environ.get("HOSTILE_SEED", "0")
    found: dict[str, tuple[int, str]] = {}  # by fault: the size of the smallest input, and what it was
    for case in range(cases):
        place = tmp_path / str(case) / "lab"  # what a command writes to .. stays with its case
        shutil.copytree(good, place, symlinks=True)
        random = Random(f"{seed} {kind} {case}")
        arguments = with_arguments(random, place) if kind == "arguments" else attacked(kind, random, place)
        size = len(shlex.join(arguments)) + sum(
            path.lstat().st_size for path in place.rglob("*") if path.is_file()
        )
        outcome = outcome_of(arguments, place)
        command = arguments[0] if arguments and arguments[0] in COMMANDS else ""
        faults = faults_of(outcome, command)
        for fault in faults:
            said = outcome.exception or outcome.err or outcome.out
            shown = f"{command} {fault}: {shlex.join(arguments)[:200]!a} in {place}\n  {str(said)[:300]!a}"
            found[f"{command} {fault}"] = min(found.get(f"{command} {fault}", (size, shown)), (size, shown))
        if not faults:
            shutil.rmtree(place.parent)
    assert not found, "\n".join([f"HOSTILE_SEED={seed}:", *(shown for _, shown in found.values())])


def test_a_command_that_ends_badly_is_noticed() -> None:
    for outcome, command, faults in (
        (Outcome(0, "done\tnow\n", ""), "check", []),
        (Outcome(2, "", "studyapp: x.yaml: no\n  line 1: no\n"), "check", []),
        (Outcome(2, "x.yaml: changed\n", ""), "verify", []),
        (Outcome(3, "", ""), "check", ["ends with 3"]),
        (Outcome(2, "", ""), "check", ["ends with 2 and 0 messages"]),
        (Outcome(2, "", "studyapp: x\nstudyapp: y\n"), "check", ["ends with 2 and 2 messages"]),
        (Outcome(0, "\x1b[2J", ""), "check", ["prints a control character on stdout"]),
        (Outcome(1, "", "\u202e"), "check", ["prints a bidirectional mark on stderr"]),
        (Outcome(1, "", "Traceback (most"), "check", ["prints a traceback on stderr"]),
        (Outcome(None, "", "", KeyError("x")), "check", ["raises KeyError at an unknown place"]),
        (Outcome(None, "", "", Hangs()), "check", ["hangs at an unknown place"]),
    ):
        assert faults_of(outcome, command) == faults


def test_every_command_is_attacked() -> None:
    assert set(COMMANDS) <= set(CHEAP)
