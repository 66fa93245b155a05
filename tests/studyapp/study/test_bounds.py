"""Every list of a study file has a largest length, and a longer one is refused before anything slow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.study.loading import load

ROOT = Path(__file__).parents[3]
PATIENCE = 60  # seconds, for a Python that starts on a busy machine
HEAD = "title: T\nmodels: {a: {teacher: naive}, b: {teacher: mixture}}\n"
ITEM = "{{id: i{}, kind: text, ask: b}}"


def listed(count: int, entry: str = "e{}") -> str:
    return "[" + ", ".join(entry.format(number) for number in range(count)) + "]"


def grouped(count: int, entry: str) -> str:
    return "{" + ", ".join(f"e{number}: {entry}" for number in range(count)) + "}"


def refused(folder: Path, text: str) -> str:
    path = folder / "study.yaml"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        load(path)
    return str(caught.value).removeprefix(str(path))


FILES = {
    "targets": (f"targets: {listed(1001)}", "targets has more than 1,000 entries; remove some"),
    "practice": (f"practice: {listed(1001)}", "practice has more than 1,000 entries; remove some"),
    "after_round": (f"after_round: {listed(51)}", "after_round is a list; it must have at most 50 entries"),
    "at_end": (f"at_end: {listed(51)}", "at_end is a list; it must have at most 50 entries"),
    "instructions": (
        f"instructions: {listed(51)}",
        "instructions is a list; it must have at most 50 entries",
    ),
    "questionnaires": (
        f"questionnaires: {grouped(51, f'[{ITEM.format(0)}]')}",
        "questionnaires is a group of settings; it must have at most 50 entries",
    ),
    "items": (
        f"questionnaires: {{you: {listed(101, ITEM)}}}",
        "questionnaires.you is a list; it must have at most 100 entries",
    ),
    "choices": (
        f"questionnaires: {{you: [{{id: a, kind: choice, ask: b, choices: {listed(10)}}}]}}",
        "questionnaires.you[1].choices is a list; it must have at most 9 entries",
    ),
    "settings": (
        "\n".join(f"k{number}: 1" for number in range(1000)),
        "the file has more than 1,000 entries",
    ),
    "values": (
        f"questionnaires: {grouped(30, listed(700))}",
        "there are more than 20,000 values; remove some",
    ),
    "a word": (f"targets: [{'x' * 1001}]", "it must have at most 1000 characters"),
}


@pytest.mark.parametrize(("text", "problem"), FILES.values(), ids=FILES)
def test_a_list_that_is_too_long_is_refused_by_its_name(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in refused(tmp_path, HEAD + text + "\n")


def test_a_list_that_is_too_long_is_the_only_fault_to_correct(tmp_path: Path) -> None:
    assert "faults" not in refused(tmp_path, HEAD + f"at_end: {listed(51, 'unknown')}\n")


def test_more_than_twenty_models_are_refused(tmp_path: Path) -> None:
    text = f"title: T\nmodels: {grouped(21, '{teacher: naive}')}\n"
    assert "models is a group of settings; it must have at most 20 entries" in refused(tmp_path, text)


def test_the_ready_made_questionnaires_that_are_asked_count_too(tmp_path: Path) -> None:
    text = f"{HEAD}at_end: [sus]\nquestionnaires: {grouped(50, f'[{ITEM.format(0)}]')}\n"
    problem = "questionnaires: there are 51, with the ready-made ones that are asked; a study has at most 50"
    assert problem in refused(tmp_path, text)


def test_the_longest_lists_are_read_and_make_a_valid_record(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("".join(f"e{number} {number + 1} 1\n" for number in range(1000)))
    items = listed(100, ITEM)
    questionnaires = ", ".join(
        f"e{number}: {items if number < 9 else '[' + ITEM.format(0) + ']'}" for number in range(50)
    )
    (tmp_path / "study.yaml").write_text(
        f"{HEAD}words: words.txt\ntargets: {listed(1000)}\nquestionnaires: {{{questionnaires}}}\n"
        f"at_end: {listed(50)}\n"
    )
    study = load(tmp_path / "study.yaml").study
    assert type(study).model_validate(study.record()) is not None
    assert len(study.items(study.at_end)) == 9 * 100 + 41


LONG = {
    "240,000 questionnaires": "at_end: [" + "a, " * 240_000 + "]",
    "60,000 unknown settings": "\n".join(f"k{number}: 1" for number in range(60_000)),
    "900,000 characters": "consent: " + "x " * 450_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_file_is_refused_instead_of_pondered(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.yaml").write_text(HEAD + text + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "studyapp.cli", "check", str(tmp_path / "study.yaml")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
