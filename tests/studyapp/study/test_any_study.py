"""Any study file: a valid one can be run to its end, and a broken one is refused with a message."""

from __future__ import annotations

import contextlib
import copy
import io
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study_files import Settings, loaded, run, small, study_files, texts, values, write

from core.errors import FileError
from studyapp.base import documents
from studyapp.cli import main
from studyapp.session.events import Answered, Finished
from studyapp.session.session import AskItem, AskWord, Rest, course
from studyapp.study import plan
from studyapp.study.loading import load
from studyapp.study.study import Study
from studyapp.study.wording import wording

with_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def check(path: Path) -> int:
    """The exit code of ``studyapp check``; with 2, there is a message and nothing else."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
        patch("studyapp.study.warnings._seconds_per_question", return_value=0.0),  # another test measures
    ):
        code = main(["check", str(path)])
    if code == 2:
        assert out.getvalue() == ""
        assert err.getvalue().startswith("studyapp: ")
    else:
        assert (code, err.getvalue()) == (0, "")
    return code


def holds_for_a_valid_study(folder: Path, chosen: Settings) -> None:
    study = loaded(folder, chosen)
    # Its record is a study with the same record.
    record = study.study.record()
    again = Study.model_validate(record)
    assert again.record() == record
    assert Study.model_validate(yaml.safe_load(documents.block(record) + "\n")).record() == record
    for name in study.study.models:
        assert again.settings(name, 3) == study.study.settings(name, 3)
    # Its texts, pasted in place of its own, are the same study.
    pasted = chosen | documents.parse(wording(study.study).encode(), "texts").data
    assert loaded(folder, pasted).study.record() == record
    # Its extent is that of the course.
    steps = list(course(study.study, plan.make(study, "P01")))
    counts = [sum(isinstance(step, kind) for step in steps) for kind in (AskWord, AskItem, Rest)]
    assert [study.extent.questions, study.extent.items, study.extent.breaks] == counts
    # It passes the check.
    assert check(write(folder, chosen)) == 0


@settings(with_folder, max_examples=20)
@given(study_files())
def test_a_valid_study_has_a_record_texts_and_an_extent_and_passes_the_check(
    tmp_path: Path, chosen: Settings
) -> None:
    holds_for_a_valid_study(tmp_path, chosen)


@pytest.mark.prove
@settings(with_folder, max_examples=300)
@given(study_files())
def test_any_valid_study_has_a_record_texts_and_an_extent_and_passes_the_check(
    tmp_path: Path, chosen: Settings
) -> None:
    holds_for_a_valid_study(tmp_path, chosen)


def runs_to_its_end(folder: Path, chosen: Settings) -> None:
    for learner in (chosen.get("learner", {}), *chosen["models"].values()):
        learner.pop("fit", None)  # the many steps of "published" take long
    study = loaded(folder, chosen)
    events = run(study, folder / "sessions")
    last = events[-1]
    assert isinstance(last, Finished)
    rounds = len(chosen["models"]) * (len(study.targets) + len(chosen.get("practice", [])))
    assert last.answers == rounds * chosen["questions"]
    assert sum(isinstance(event, Answered) for event in events) == last.answers
    assert (last.bonus is None) == ("bonus" not in chosen)


def test_the_small_study_can_be_run_to_its_end(tmp_path: Path) -> None:
    runs_to_its_end(tmp_path, small())


@pytest.mark.prove
@settings(with_folder, max_examples=30)
@given(study_files())
def test_any_valid_study_can_be_run_to_its_end(tmp_path: Path, chosen: Settings) -> None:
    runs_to_its_end(tmp_path / str(len(list(tmp_path.iterdir()))), chosen)


# Broken files


def _places(data: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every value in a file."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [
        inner_place for key, value in inner for inner_place in ((*place, key), *_places(value, (*place, key)))
    ]


WILD = st.sampled_from([0, -1, 2, 1e-300, 1e300, 10**18, 10**40, 0.1, -0.0, 1001]) | values(deep=4)


@st.composite
def mutated(draw: st.DrawFn) -> Settings:
    """A study with one setting removed, misnamed or given another value."""
    chosen = copy.deepcopy(draw(study_files()))
    place = draw(st.sampled_from(_places(chosen)))
    inner = chosen
    for part in place[:-1]:
        inner = inner[part]  # type: ignore[index]
    last: Any = place[-1]
    match draw(st.sampled_from(["drop", "rename", "change", "change"])):
        case "drop":
            del inner[last]
        case "rename" if isinstance(last, str):
            at = draw(st.integers(0, len(last)))
            inner[last[:at] + draw(texts()) + last[at + 1 :]] = inner.pop(last)
        case _:
            inner[last] = draw(WILD)
    return chosen


def is_loaded_or_refused(folder: Path, chosen: Settings) -> None:
    path = write(folder, chosen)
    try:
        load(path)
        code = 0
    except FileError:
        code = 2
    assert check(path) == code


@settings(with_folder, max_examples=40)
@given(mutated())
def test_a_study_with_a_wrong_setting_is_loaded_or_refused_with_a_message(
    tmp_path: Path, chosen: Settings
) -> None:
    is_loaded_or_refused(tmp_path, chosen)


@pytest.mark.prove
@settings(with_folder, max_examples=300)
@given(mutated())
def test_any_study_with_a_wrong_setting_is_loaded_or_refused_with_a_message(
    tmp_path: Path, chosen: Settings
) -> None:
    is_loaded_or_refused(tmp_path, chosen)


def damaged(raw: bytes, data: st.DataObject) -> bytes:
    """The file after some slips of the hand."""
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw)))
        match data.draw(st.sampled_from(["delete", "insert", "typed", "line"])):
            case "delete":
                raw = raw[:at] + raw[at + data.draw(st.integers(1, 20)) :]
            case "insert":
                raw = raw[:at] + data.draw(st.binary(max_size=5)) + raw[at:]
            case "typed":
                raw = raw[:at] + data.draw(texts()).encode() + raw[at:]
            case _:
                lines = raw.splitlines(keepends=True)
                index = data.draw(st.integers(0, max(0, len(lines) - 1)))
                raw = b"".join([*lines[:index], *lines[index : index + 1] * 2, *lines[index + 1 :]])
    return raw


@settings(with_folder, max_examples=40)
@given(st.data())
def test_a_damaged_study_file_is_loaded_or_refused_with_a_message(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = write(tmp_path, small())
    path.write_bytes(damaged(path.read_bytes(), data))
    assert check(path) in (0, 2)


@pytest.mark.prove
@settings(with_folder, max_examples=300)
@given(study_files(), st.data())
def test_any_damaged_study_file_is_loaded_or_refused_with_a_message(
    tmp_path: Path, chosen: Settings, data: st.DataObject
) -> None:
    path = write(tmp_path, chosen)
    path.write_bytes(damaged(path.read_bytes(), data))
    assert check(path) in (0, 2)
