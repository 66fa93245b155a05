"""One bad log never stops the work on the others: every command goes on with them, and names the bad one."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chains import chained, parts
from made_up import quick_analysis
from study_files import VECTORS, loaded, run, small

from core.errors import FileError
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Event, RoundBegan, Started
from studyapp.session.log_format import encode
from studyapp.session.saved import open_session
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loaded import LoadedStudy

GOOD = ("P01", "P02", "P03")
Damage = Callable[[list[Any]], bytes]


def numbered(renumber: Callable[[int], int]) -> Damage:
    """The same session with other numbers of rounds, in its plan and in all of its events."""

    def damage(events: list[Any]) -> bytes:
        head, *later = events
        plan = [replace(round_, round=renumber(round_.round)) for round_ in head.plan]
        moved = []
        for event in later:
            name = "round" if isinstance(event, RoundBegan | Answered) else "after"
            if getattr(event, name, None) is not None:
                event = replace(event, **{name: renumber(getattr(event, name))})
            moved.append(event)
        return encode([replace(head, plan=plan), *moved])

    return damage


def planned(change: Callable[[list[Any]], list[Any]]) -> Damage:
    """The same session with another plan."""
    return lambda events: encode([replace(events[0], plan=change(events[0].plan)), *events[1:]])


def each(**changes: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda plan: [replace(round_, **changes) for round_ in plan]


def answered(**changes: Any) -> Damage:
    """The same session with one answer changed."""

    def damage(events: list[Any]) -> bytes:
        place = [i for i, event in enumerate(events) if isinstance(event, Answered)][5]
        return encode([*events[:place], replace(events[place], **changes), *events[place + 1 :]])

    return damage


def headed(**changes: Any) -> Damage:
    """The same session with another head."""
    return lambda events: encode([replace(events[0], **changes), *events[1:]])


def studied(**changes: Any) -> Damage:
    return lambda events: headed(study=events[0].study | changes)(events)


def replaced(old: bytes, new: bytes) -> Damage:
    """The same log with other bytes and a new chain."""
    return lambda events: chained(parts(encode(events).replace(old, new, 1)))


# Most of them have a valid chain: whoever makes such a log can compute one.
DAMAGES: dict[str, Damage] = {
    "rounds-from-0": numbered(lambda number: number - 1),
    "rounds-from-101": numbered(lambda number: number + 100),
    "rounds-below-0": numbered(lambda number: number - 100),
    "rounds-in-reverse": numbered(lambda number: 7 - number),
    "rounds-doubled": numbered(lambda number: (number + 1) // 2),
    "rounds-beyond": numbered(lambda number: number + 10**12),
    "no-rounds": lambda events: encode([replace(events[0], plan=[])]),
    "fewer-rounds": planned(lambda plan: plan[:-1]),
    "all-practice": planned(each(practice=True)),
    "no-practice": planned(each(practice=False)),
    "one-model": planned(each(model="plain")),
    "unknown-model": planned(each(model="nonsense")),
    "one-target": planned(each(target="tea")),
    "unknown-target": planned(
        lambda plan: [replace(one, target="nonsense") if one.target == "tea" else one for one in plan]
    ),
    "unknown-first": planned(each(first="nonsense")),
    "unknown-word": answered(word="nonsense"),
    "endless-answer": answered(rt_ms=1e18),
    "negative-answer": answered(rt_ms=-5.0),
    "always-away": answered(away_ms=1e9),
    "negative-delay": answered(delay_ms=-1e6),
    "negative-changes": answered(changes=-3),
    "huge-reward": answered(reward=45.0),
    "other-reward": answered(reward=0.123456),
    "no-stopwatch": answered(clock_ms=None),
    "end-of-time": answered(shown_at="9999-12-31T23:59:59.999Z"),
    "no-time": answered(shown_at=None),
    "another-round": answered(round=6),
    "another-question": answered(question=7),
    "nan": replaced(b'"away_ms": 0.0', b'"away_ms": NaN'),
    "unknown-event": replaced(b'"event": "consent"', b'"event": "assent"'),
    "invalid-study": studied(questions=-1),
    "another-number-of-questions": studied(questions=3),
    "enormous-study": studied(questions=1000, targets="all"),
    "other-words": headed(words_sha256="0" * 64),
    "missing-words": headed(words="nowhere.txt"),
    "no-id": headed(participant="../P01"),
    "anothers-id": headed(participant="P01"),
    "old-schema": lambda events: encode(events).replace(b"schema: 3", b"schema: 1", 1),
    "changed": lambda events: encode(events).replace(b'"answer": "y"', b'"answer": "n"', 1),
    "cut-in-the-head": lambda events: encode(events)[:300],
    "empty": lambda _: b"",
    "zeros": lambda _: b"\0" * 4096,
    "not-a-log": lambda _: b"just: notes\n...\n",
    "binary": lambda _: bytes(range(256)) * 10,
}
# These are read, and something else is wrong: verify finds it, or the analysis has no use for them.
READABLE = {"unknown-target", "unknown-word", "other-words", "missing-words", "other-reward"}
BEGUN_AGAIN = {"cut-in-the-head", "empty", "zeros"}  # without a whole head, nothing was saved yet


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> LoadedStudy:
    return loaded(tmp_path_factory.mktemp("study"), small())


@pytest.fixture(scope="module")
def good(study: LoadedStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three good logs."""
    folder = tmp_path_factory.mktemp("good")
    for participant in GOOD:
        run(study, folder, participant)
    (folder / "words.txt").write_text(VECTORS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def among(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same three, among one log with every kind of damage."""
    folder = tmp_path_factory.mktemp("among")
    for path in good.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    head, *events = log.read(good / "P01.yaml").events
    assert isinstance(head, Started)
    for name, damage in DAMAGES.items():
        (folder / f"{name}.yaml").write_bytes(damage([replace(head, participant=name), *events]))
    (folder / "folder.yaml").mkdir()
    if sys.platform != "win32":
        os.mkfifo(folder / "pipe.yaml")
        (folder / "link.yaml").symlink_to(folder / "nowhere")
    return folder


def bad(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem not in (*GOOD, "folder"))


def printed(capsys: pytest.CaptureFixture[str], code: int, *arguments: str | Path) -> tuple[str, str]:
    """What a command prints, and its errors; it must end with this code."""
    with quick_analysis():
        assert main([str(argument) for argument in arguments]) == code
    return capsys.readouterr()


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_log_is_refused_where_it_is_opened(among: Path, name: str) -> None:
    if name in READABLE:
        open_session(among / f"{name}.yaml")
        return
    with pytest.raises(FileError):
        open_session(among / f"{name}.yaml")


def test_verify_replays_the_good_logs_and_names_the_bad_ones(
    among: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, _ = printed(capsys, 1, "verify", "--json", among)
    verdicts = {result["log"].removesuffix(".yaml"): result["verdict"] for result in json.loads(output)}
    assert sorted(verdicts) == sorted([*GOOD, *bad(among)])
    assert [name for name, verdict in verdicts.items() if verdict == "verified"] == list(GOOD)
    assert set(verdicts.values()) == {"verified", "different", "changed", "unreadable"}


def test_analyse_and_power_use_the_good_logs_and_name_the_bad_ones(
    good: Path, among: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, file in (("analyse", "summary.json"), ("power", "power.json")):
        results = []
        for folder, names in ((good, []), (among, bad(among))):
            out = tmp_path / command / folder.name
            out.parent.mkdir(exist_ok=True)
            _, errors = printed(capsys, 0, command, folder, "--out", out)
            lines = errors.splitlines()
            assert [sum(f"{name}.yaml" in line for line in lines) for name in names] == [1] * len(names)
            assert len(lines) == len(names)
            results.append(json.loads((out / file).read_text()))
        for name in ("curves", "paired_t", "participants") if command == "analyse" else ("pairs", "level"):
            assert results[0].get(name) == results[1].get(name), name


def test_export_has_the_good_logs_and_names_the_bad_ones(
    among: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, errors = printed(capsys, 1, "export", among, "--out", tmp_path / "out")
    readable = READABLE  # an export needs no words, and replays nothing
    unreadable = [name for name in bad(among) if name not in readable]
    lines = errors.splitlines()
    assert [sum(f"/{name}.yaml" in line for line in lines) for name in unreadable] == [1] * len(unreadable)
    (table,) = (tmp_path / "out" / "data").glob("*participants*.csv")
    with table.open(newline="") as file:
        participants = {row["participant"] for row in csv.DictReader(file)}
    assert participants == {*GOOD, *readable}


@pytest.mark.parametrize("name", sorted(set(DAMAGES) - BEGUN_AGAIN))
def test_a_damaged_log_is_not_resumed(study: LoadedStudy, good: Path, tmp_path: Path, name: str) -> None:
    """It is unfinished, so nothing else keeps it from being resumed."""
    head, *events = log.read(good / "P01.yaml").events
    assert isinstance(head, Started)
    path = tmp_path / f"{name}.yaml"
    raw = DAMAGES[name]([replace(head, participant=name), *unfinished(events)])
    path.write_bytes(raw)
    try:
        sitting = Sitting.open(study, Participant(name, teacher="random"), tmp_path)
    except FileError:
        assert path.read_bytes() == raw  # it is left alone
        return
    # What only a replay can find, the learner finds when the round continues.
    sitting.close()
    assert name in READABLE


def unfinished(events: list[Event]) -> list[Event]:
    return [event for event in events if event.event != "finished"]
