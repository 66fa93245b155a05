"""Whatever is in a results file, ``reproduce --redraw`` and ``simulate`` end well or with one clear line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from proofs import holds_for
from result_chains import chained, contents
from small_experiments import draw_nothing, make_bandits_small

from studyapp.cli import main
from studyapp.experiments import figures

SAVE = figures.save
FIGURES = ["active-example", "teaching-example", "main", "reward-profiles", "user-study"]
SIMULATE = [
    *("simulate", "--pairs", "N-N,P-M", "--arms", "12", "--questions", "4", "--samples", "64"),
    *("--replications", "3", "--processes", "1"),
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        [],
        {},
        [[]],
        [{}],
        {"a": []},
        "",
        "x" * 300,
        "\x1b]52;c;aGk=\x07",
        "\u202e",
        "\ud800",
    ),
    *(0, 1, -1, 0.5, 1e12, -1e12, 1e308, -1e308, 1e-320, 10**30, -(10**30), 10**5000),
    *(float("nan"), float("inf"), [0.1] * 1000, ["N-N"], "N-N", "published"),
]
EXTREMES = [0.0, 1.0, 0.5, 1e-320, -1e-320, 1e12, -1e12, 10.0, -10.0, 0, 1, 8, 59]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of ``reproduce`` and one of ``simulate``, with few small replications."""
    folder = tmp_path_factory.mktemp("saved")
    with pytest.MonkeyPatch.context() as patch:
        make_bandits_small(patch)
        draw_nothing(patch)
        redraw = ["reproduce", *FIGURES, "--replications", "2", "--processes", "1", "--out"]
        assert main([*redraw, str(folder / "reproduction")]) == 0
        assert main([*SIMULATE, "--out", str(folder / "simulation")]) == 0
        yield folder


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to everything inside a value."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*above, key)
        yield from places(value[key], (*above, key))


def put(value: Any, place: tuple[Any, ...], new: Any) -> None:
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = new


def got(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def altered(raw: bytes, random: Random) -> bytes:
    """A results file in which one thing is different, with a new chain."""
    lines = contents(raw)
    number = random.choice([0, random.randrange(len(lines))])  # the design as often as all else
    line: Any = lines[number]
    place = random.choice(list(places(line)))
    parent = got(line, place[:-1])
    match random.randrange(8):
        case 0 | 1 | 2:
            put(line, place, random.choice(VALUES))
        case 3:
            lists = [place for place in places(line) if isinstance(got(line, place), list)]
            if lists:
                place = random.choice(lists)
                put(line, place, [random.choice(EXTREMES)] * len(got(line, place)))
        case 4:
            parent.pop(place[-1])
        case 5 if isinstance(parent, dict):
            parent[random.choice(["", "a", "chain", "kind", "series", "\x1b[2J"])] = random.choice(VALUES)
        case 6:
            lines.insert(random.randrange(len(lines) + 1), json.loads(json.dumps(random.choice(lines))))
        case _:
            random.shuffle(lines)
    try:
        return chained(lines)
    except ValueError:  # a number with too many digits to be written
        return raw


def torn(raw: bytes, random: Random) -> bytes:
    """A results file with other bytes, and the chain as it was."""
    begin = random.randrange(len(raw))
    end = begin + random.randrange(40)
    junk = random.choice([b"", random.randbytes(20), b"\n", b"\0" * 9, b"[" * 5000, b"0", raw[:begin]])
    return random.choice([raw[:begin], raw[:begin] + junk + raw[end:], raw[:begin] + junk])


def assert_ends_well(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    code = main(command)
    error = capsys.readouterr().err
    assert code in (0, 2)
    assert (error.count("\n") == 1) is (code == 2)
    assert error.rstrip("\n").isprintable()


def damage(path: Path, random: Random) -> None:
    path.write_bytes(random.choice([altered, altered, torn])(path.read_bytes(), random))


@holds_for(40, 300, seed=st.integers(0, 2**64))
def test_redrawing_damaged_results_ends_well_or_with_one_line(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    random, out = Random(seed), tmp_path / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(saved / "reproduction" / "results", out / "results")
    damage(random.choice(sorted((out / "results").iterdir())), random)
    assert_ends_well(["reproduce", "--redraw", "--out", str(out)], capsys)


@holds_for(40, 300, seed=st.integers(0, 2**64))
def test_continuing_damaged_results_ends_well_or_with_one_line(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    random, out = Random(seed), tmp_path / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(saved / "simulation", out)
    damage(out / "replications.jsonl", random)
    assert_ends_well([*SIMULATE, "--out", str(out)], capsys)


@pytest.mark.parametrize(
    ("run", "changes"),
    [
        ("active-example", {"weights": [1e12, 1e-320, 0.0]}),
        ("active-example", {"weights": [0.0, 0.0, 0.0]}),
        ("active-example", {"weights": [0.0, 1e12, -1e12]}),
        ("active-example", {"pool": [[0.0, 0.0]] * 60, "start": [[0.0, 0.0]] * 2}),
        ("active-example", {"accuracy": [0.0] * 11, "queries": [0] * 10, "labels": [0] * 60}),
        ("teaching-example", {"probability": [0.0] * 10, "advantage": [1e12], "after_yes": [0.0] * 10}),
        ("word.converged", {"reward": [0.0] * 4, "concordance": [0.0] * 4}),
        ("word.converged", {"reward": [1e-320] * 4, "concordance": [1.0] * 4}),
        ("profile-word", {"probability": [1e-320] * 9}),
        ("user-study-converged", {"asked": [[1, 1, 1, 1, 1]] * 6}),  # one target all the time
        ("user-study-converged", {"asked": [[0, 0, 0, 0, 0]] * 6}),  # no target ever
        ("user-study-converged", {"targets": [0, 0, 0]}),
    ],
)
def test_extreme_numbers_that_are_allowed_are_drawn(
    saved: Path, tmp_path: Path, run: str, changes: dict[str, Any]
) -> None:
    shutil.copytree(saved / "reproduction" / "results", tmp_path / "results")
    path = tmp_path / "results" / f"{run}.jsonl"
    head, *records = contents(path.read_bytes())
    path.write_bytes(chained([head, *(record | changes for record in records)]))
    for other in (tmp_path / "results").iterdir():
        together = ("profile", "user-study")  # figures that need several files
        if other != path and not any(
            run.startswith(name) and other.name.startswith(name) for name in together
        ):
            other.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "save", SAVE)
        assert main(["reproduce", "--redraw", "--out", str(tmp_path)]) == 0
    assert list((tmp_path / "figures").glob("*.svg"))
