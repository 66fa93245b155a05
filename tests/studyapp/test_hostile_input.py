"""Whatever a command is given, it ends with a code and a message: see attacks.py for what that means.

Twelve kinds of input are attacked, some 50 times each in every run and 2,500 times each in the long proofs.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import yaml
from chains import END, chained, event_of, parts
from hostile import NUMBERS, TERMINAL, as_json, damaged, damaged_cells, hostile_name, misshapen, nudged, token
from small_experiments import draw_nothing
from study_files import VECTORS, loaded, run, small, write
from study_folders import make

if sys.platform == "win32":
    pytest.skip("Windows has neither alarms nor limits", allow_module_level=True)

from attacks import Hangs, Outcome, faults_of, survey

from core.vocabulary import Vocabulary
from studyapp.cli import COMMANDS, main, parser_of
from studyapp.tables.tables import PUBLISHED

STREAMS = ("stdout", "stderr")
FEW, MANY, PARTS = 50, 500, 2  # the long proofs come in parts, for as many cores as there are

TABLE = "\n".join(
    [
        ",".join(PUBLISHED),
        "P01,1,true,plain,tea,1,no,n,0.25",
        "P01,1,true,plain,tea,2,tea,y,0.999900",
        "P01,2,false,both,n,1,café,y,0",
        "P01,2,false,both,n,2,ice cream,n,1",
        "P02,1,false,both,no,1,tea,n,0.1",
        "P02,1,false,both,no,2,no,y,0.9999",
    ]
)
SMALLEST = "--arms 3 --questions 2 --replications 2 --samples 2 --pairs N-N,P-M --processes 1"
SIMULATE = SMALLEST.split()


@dataclass(frozen=True)
class Good:
    """Good files of every kind, from which hostile ones are made."""

    study: bytes
    log: bytes
    head: dict[str, Any]  # of the log
    words: bytes  # as text
    binary_words: bytes
    table: bytes  # of numbers, as text
    array: bytes
    replications: bytes  # of simulate
    results: dict[str, bytes]  # of reproduce, by file name
    study_log: bytes  # of a study folder


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    folder = tmp_path_factory.mktemp("good")
    run(loaded(folder, small()), folder / "sessions")
    (folder / "words").write_text(
        VECTORS.replace("ice cream", "ice_cream"), encoding="utf-8"
    )  # binary has no spaces
    Vocabulary.load(folder / "words").save(folder / "words.bin")
    numbers = np.random.default_rng(7).normal(size=(6, 3))
    np.save(folder / "data.npy", numbers)
    np.savetxt(folder / "table.csv", numbers, delimiter=",", fmt="%.3f")
    with pytest.MonkeyPatch.context() as monkeypatch:
        draw_nothing(monkeypatch)
        assert main(["simulate", "--data", str(folder / "data.npy"), *SIMULATE, "--out", str(folder)]) == 0
        figures = ["active-example", "teaching-example", "--replications", "2", "--processes", "1"]
        assert main(["reproduce", *figures, "--out", str(folder)]) == 0
    lab = make(folder / "lab", "P01", "P02")
    for one in ("note P01 slept", "exclude P01 --reason snored", "delete P02 --yes", "backup"):
        assert main([*one.split(), "--in", str(lab.path)]) == 0
    assert main(["verify", str(lab.path)]) == 0
    read = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    log = (folder / "sessions" / "P01.yaml").read_bytes()
    return Good(
        read["study.yaml"],
        log,
        yaml.safe_load(parts(log)[0]),
        read["words.txt"],
        read["words.bin"],
        read["table.csv"],
        read["data.npy"],
        read["replications.jsonl"],
        {path.name: path.read_bytes() for path in (folder / "results").iterdir()},
        lab.log.read_bytes(),
    )


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes a hundred times as long as everything else."""
    draw_nothing(monkeypatch)


def save(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return name if not name.startswith("-") else f"./{name}"


# The twelve kinds


def study_files(good: Good, random: Random, folder: Path) -> Sequence[str]:
    save(folder, "words.txt", good.words)
    if random.random() < 0.5:
        content = damaged(good.study, random)
    else:
        content = as_json(random.choice((misshapen, misshapen, nudged))(small(), random), random).encode(
            errors="surrogatepass"
        )
    study = save(folder, hostile_name(random, "study.yaml"), content)
    return ["check", study, *random.choice(([], [], ["--plan"], ["--texts"]))]


def _log_command(random: Random, folder: Path, content: bytes) -> Sequence[str]:
    save(folder, "words.txt", VECTORS.encode())
    log = save(folder, hostile_name(random, "P01.yaml"), content)
    return random.choice((["verify", log], ["verify", "--json", log], ["export", ".", "--out", "out"]))


def logs(good: Good, random: Random, folder: Path) -> Sequence[str]:
    return _log_command(random, folder, damaged(good.log, random))


def forged_logs(good: Good, random: Random, folder: Path) -> Sequence[str]:
    """Logs whose chain was computed anew."""
    documents = parts(good.log)
    change = random.choice((misshapen, nudged, nudged))
    for _ in range(random.choice((1, 1, 2))):
        number = random.choice((0, random.randrange(len(documents)), random.randrange(len(documents))))
        if random.random() < 0.2:
            documents[number] = damaged(documents[number].removesuffix(END), random) + END
        elif number:
            event = change(event_of(parts(good.log)[number]), random)
            documents[number] = b"--- " + as_json(event, random).encode(errors="surrogatepass") + END
        else:
            head = change(good.head, random)
            lines = [f"{name}: {as_json(value, random)}" for name, value in head.items() if name != "chain"]
            documents[0] = "\n".join(["---", *lines]).encode(errors="surrogatepass") + END
    if random.random() < 0.1:
        one, other = random.randrange(1, len(documents)), random.randrange(1, len(documents))
        documents[one], documents[other] = documents[other], documents[one]
    return _log_command(random, folder, chained(documents))


def tables_to_import(good: Good, random: Random, folder: Path) -> Sequence[str]:
    save(folder, "words.txt", good.words)
    save(folder, "study.yaml", good.study)
    change = random.choice((damaged_cells(TABLE, random), damaged(f"{TABLE}\n".encode(), random)))
    table = save(folder, hostile_name(random, "table.csv"), change)
    return ["import", table, "--study", "study.yaml", "--sessions", "logs"]


def vectors_and_lists(good: Good, random: Random, folder: Path) -> Sequence[str]:
    header = good.words if random.random() < 0.5 else b"6 3\n" + good.words
    vectors, listed = random.choice((header, good.binary_words)), b"# mine\ntea\nno\n\ncaf\xc3\xa9\n"
    if random.random() < 0.7:
        vectors = damaged(vectors, random)
    else:
        listed = damaged(listed, random)
    one = save(folder, hostile_name(random, "vectors.txt"), vectors)
    other = save(folder, hostile_name(random, "list.txt"), listed)
    return ["words", "build", "--vectors", one, "--words", other, "--out", random.choice(("a.txt", "a.bin"))]


def word_sets(good: Good, random: Random, folder: Path) -> Sequence[str]:
    words = save(
        folder,
        hostile_name(random, "words.txt"),
        damaged(random.choice((good.words, b"6 3\n" + good.words, good.binary_words)), random),
    )
    study = small(words=words, targets=random.choice(("all", ["tea", "no"])))
    save(folder, "study.yaml", as_json(study, random).encode(errors="surrogatepass"))
    return ["check", "study.yaml"]


def arrays_and_tables(good: Good, random: Random, folder: Path) -> Sequence[str]:
    match random.choice(("array", "header", "table", "cells")):
        case "array":
            content, name = damaged(good.array[: random.choice((128, 272))], random), "data.npy"
        case "header":
            content, name = _array_with_header(random), "data.npy"
        case "table":
            content, name = damaged(good.table, random), "data.csv"
        case _:
            content, name = damaged_cells(good.table.decode(), random), "data.csv"
    data = save(folder, hostile_name(random, name), content)
    return ["simulate", "--data", data, *SIMULATE, "--out", "out"]


def _array_with_header(random: Random) -> bytes:
    """An array whose header, which NumPy reads as Python, says something else."""
    number = random.choice((token(random), "6", "3"))
    shape = random.choice(
        (f"({number}, 3)", f"({number},)", "(6, 3)", "()", "(2, 3, 3)", "(10**9, 10**9)", number)
    )
    types = (
        "'<f8'",
        "'|O'",
        "'<U9'",
        "'<c16'",
        "'<f2'",
        "'|b1'",
        "[('a', '<f8')]",
        "'>i8'",
        "'<M8[s]'",
        number,
    )
    header = f"{{'descr': {random.choice(types)}, 'fortran_order': False, 'shape': {shape}, }}"
    if random.random() < 0.3:
        header = damaged(header.encode(), random).decode("latin-1")
    raw = header.encode("utf-8", "replace")[:60_000] + b"\n"
    version = random.choice((1, 1, 2, 3, 9))
    length = len(raw) if random.random() < 0.8 else random.randrange(65536)
    size = length.to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + raw + random.randbytes(144)


def results(good: Good, random: Random, folder: Path) -> Sequence[str]:
    if random.random() < 0.5:
        (folder / "out").mkdir()
        save(folder, "data.npy", good.array)
        save(folder, "out/replications.jsonl", _changed_results(good.replications, random))
        return ["simulate", "--data", "data.npy", *SIMULATE, "--out", "out"]
    (folder / "results").mkdir()
    for name, content in good.results.items():
        save(folder / "results", name, content)
    name = random.choice(sorted(good.results))
    changed = _changed_results(good.results[name], random)
    save(folder / "results", hostile_name(random, name), changed)
    return ["reproduce", "--redraw", "--out", "."]


def _changed_results(raw: bytes, random: Random) -> bytes:
    """Results with some damage, or with a changed line and, two times in three, a new chain."""
    if random.random() < 0.3:
        return damaged(raw, random)
    lines = raw.splitlines()
    number = random.choice((0, random.randrange(len(lines))))
    fields = json.loads(lines[number])
    link = fields.pop("chain", None)
    changed = random.choice((misshapen, nudged))(fields, random)
    lines[number] = as_json(changed if link is None else changed | {"chain": link}, random).encode()
    if link is not None and random.random() < 0.7:
        lines = _chained_lines(lines)
    return b"\n".join(lines) + b"\n"


def _chained_lines(lines: Sequence[bytes]) -> list[bytes]:
    """Lines of results with the right links, computed as studyapp.experiments.results_file describes them."""
    link, done = "", []
    for line in lines:
        body = LINK.sub(b"", line)
        link = hashlib.sha256(link.encode() + body).hexdigest()[:32]
        done.append(body + f',"chain":"{link}"}}'.encode())
    return done


LINK = re.compile(rb', ?"chain": ?"[0-9a-f]*"\}\Z')


# What a command of the office may be asked for.
OFFICE = (
    *("status", "status --json", "note P01 again", "note P01", "exclude P01 --reason x --undo"),
    *("exclude P02 --reason x", "delete P01 --yes", "backup", "verify", "verify --json"),
)


def _office_command(good: Good, random: Random, folder: Path, study_log: bytes) -> Sequence[str]:
    write(folder, small())
    (folder / "sessions").mkdir()
    save(folder, "sessions/P01.yaml", good.log)
    save(folder, "study.log.yaml", study_log)
    return random.choice(OFFICE).split()


def study_logs(good: Good, random: Random, folder: Path) -> Sequence[str]:
    return _office_command(good, random, folder, damaged(good.study_log, random))


def forged_study_logs(good: Good, random: Random, folder: Path) -> Sequence[str]:
    """Logs of a study whose chain was computed anew."""
    documents = parts(good.study_log)
    for _ in range(random.choice((1, 1, 2))):
        number = random.randrange(len(documents))
        event = random.choice((misshapen, nudged))(event_of(parts(good.study_log)[number]), random)
        documents[number] = b"--- " + as_json(event, random).encode(errors="surrogatepass") + END
    return _office_command(good, random, folder, chained(documents, has_head=False))


def arguments(good: Good, random: Random, folder: Path) -> Sequence[str]:
    _furnish(good, folder)
    command = random.choice([*COMMANDS, *COMMANDS, ""])
    given = CHEAP[command].split()
    for _ in range(random.choice((1, 1, 2))):
        # Mostly at the end: an argument between an option and its value is refused before anything else.
        at = random.choice((len(given), len(given), random.randrange(min(1, len(given)), len(given) + 1)))
        match random.choice(("option", "option", "value", "value", "value", "more", "double")):
            case "option":
                given[at:at] = _option(command, random)
            case "value" if values := [n for n, part in enumerate(given) if n and part[:1] != "-"]:
                given[random.choice(values)] = _argument(random)
            case "double" if given:
                given.insert(at, random.choice(given))
            case _:
                given.insert(at, _argument(random))
    if command == "words":  # vectors may come through a pipe, and this one would keep it waiting
        given = [part.replace("pipe", "missing") for part in given]
    return given


def _furnish(good: Good, folder: Path) -> None:
    """A folder with good files, and with what may be mistaken for a file."""
    write(folder, small())
    save(folder, "P01.yaml", good.log)
    save(folder, "table.csv", TABLE.encode())
    save(folder, "data.csv", good.table)
    save(folder, "list.txt", b"tea\nno\n")
    save(folder, "study.log.yaml", good.study_log)
    (folder / "sessions").mkdir()
    save(folder, "sessions/P01.yaml", good.log)
    (folder / "logs").mkdir()
    save(folder, "logs/P01.yaml", good.log[:-3000])
    (folder / "empty").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere").symlink_to("missing")
    (folder / "elsewhere").symlink_to("data.csv")
    os.mkfifo(folder / "pipe")


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
    "backup": "backup --out out",
    "verify": "verify P01.yaml --words words.txt",
    "preregister": "preregister --no-power --participants 4 --out registered",
    "unblind": "unblind --reason done --yes",
    "analyse": "analyse empty --out out",
    "power": "power empty --study study.yaml --simulate 2 --out out",
    "people": "people fit empty --out people.yaml",
    "export": "export logs --out out",
    "import": "import table.csv --study study.yaml --sessions new",
    "words": "words build --vectors words.txt --words list.txt --out new.txt",
    "simulate": f"simulate --data data.csv {SMALLEST} --out out",
    "reproduce": "reproduce active-example --redraw --out out",
}
FILES = (
    *("sessions", "study.log.yaml"),
    *("study.yaml", "P01.yaml", "words.txt", "table.csv", "data.csv", "logs", "empty", "loop", "nowhere"),
    *(
        "elsewhere",
        "pipe",
        "missing",
        "missing/missing",
        "data.csv/x",
        ".",
        "..",
        "study20",
        "short",  # not paper: a simulated participant takes half a minute with its published fits
    ),
)


def _argument(random: Random) -> str:
    # Never a device: a command that did write to it would spoil it.  No system passes on a zero byte.
    odd = random.choice(("\udcff", "-x", "--", "--x"))
    some = random.choice(
        (random.choice(FILES), random.choice(NUMBERS), token(random), random.choice(TERMINAL), odd)
    )
    return "" if "\0" in some or some.startswith("/") else some[:50_000]


def _option(command: str, random: Random) -> list[str]:
    parser = parser_of([command] if command else list(COMMANDS))
    groups = [
        action
        for action in parser._actions
        if hasattr(action, "choices") and isinstance(action.choices, dict)
    ]
    inner = groups[0].choices.get(command) if groups else None  # type: ignore[union-attr]
    options = [option for action in (inner or parser)._actions for option in action.option_strings]
    option = random.choice(options)
    if option in ("--processes", "--scheduler"):  # their own tests: processes take seconds to start
        return [option, random.choice(("0", "-1", "x", ""))] if option == "--processes" else []
    value = _argument(random)
    ways = (
        [option],
        [option, value],
        [f"{option}={value}"],
        [f"{option}=--"],
        [option, value, _argument(random)],
    )
    return list(random.choice(ways))


KINDS: dict[str, Callable[[Good, Random, Path], Sequence[str]]] = {
    "study files": study_files,
    "logs": logs,
    "forged logs": forged_logs,
    "tables to import": tables_to_import,
    "vectors and lists": vectors_and_lists,
    "word sets": word_sets,
    "arrays and tables": arrays_and_tables,
    "results": results,
    "logs of a study": study_logs,
    "forged logs of a study": forged_study_logs,
    "arguments": arguments,
}


def _ranges() -> Iterator[object]:
    yield pytest.param(range(FEW), id=f"{FEW}")
    size = MANY // PARTS
    for part in range(PARTS):
        some = range(part * size, (part + 1) * size)
        yield pytest.param(some, id=f"{some.start}-{some.stop - 1}", marks=pytest.mark.prove)


@pytest.mark.parametrize("cases", list(_ranges()))
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_survives_hostile_input(kind: str, cases: range, good: Good, tmp_path: Path) -> None:
    survey(kind, partial(KINDS[kind], good), cases, tmp_path)


@pytest.mark.parametrize(
    ("outcome", "command", "faults"),
    [
        (Outcome(0, "done\tnow\n", ""), "check", []),
        (Outcome(2, "", "studyapp: x.yaml: no\n  line 1: no\n"), "check", []),
        (Outcome(2, "x.yaml: changed\n", ""), "verify", []),
        (Outcome(3, "", ""), "check", ["ends with 3"]),
        (Outcome(2, "", ""), "check", ["ends with 2 and 0 messages"]),
        (Outcome(2, "", "studyapp: x\nstudyapp: y\n"), "check", ["ends with 2 and 2 messages"]),
        (Outcome(0, "\x1b[2J", "\x9b"), "check", ["prints a control character on " + s for s in STREAMS]),
        (Outcome(1, "\u202e", ""), "check", ["prints a bidirectional mark on stdout"]),
        (Outcome(1, "", "Traceback (most"), "check", ["prints a traceback on stderr"]),
        (Outcome(None, "", "", KeyError("x")), "check", ["raises KeyError at an unknown place"]),
        (Outcome(None, "", "", Hangs()), "check", ["hangs at an unknown place"]),
    ],
)
def test_a_command_that_ends_badly_is_noticed(outcome: Outcome, command: str, faults: list[str]) -> None:
    assert faults_of(outcome, command) == faults
