"""Any study file: a valid one can be run to its end, and a broken one is refused with a message."""

from __future__ import annotations

import contextlib
import copy
import io
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proofs import holds_for
from study_files import Settings, loaded, run, small, study_files, texts, values, write

from core.errors import FileError
from studyapp.base import documents
from studyapp.cli import main
from studyapp.session.events import Answered, Finished
from studyapp.session.session import AskItem, AskWord, Rest, course
from studyapp.study import plan
from studyapp.study.loading import load
from studyapp.study.study import Study, schema
from studyapp.study.wording import wording

VALIDATOR = jsonschema.Draft202012Validator(schema())


def check(path: Path) -> int:
    """The exit code of ``studyapp check``; with 2, there is a message and nothing else."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
        patch("studyapp.study.warnings._seconds_per_question", return_value=0.0),  # another test measures
    ):
        code = main(["check", str(path)])
    if code == 2:
        first, *faults = err.getvalue().splitlines()
        assert out.getvalue() == ""
        assert first.startswith(f"studyapp: {path}")
        assert all(fault.startswith(("  line ", "  and ")) for fault in faults)
    else:
        assert (code, err.getvalue()) == (0, "")
    return code


@holds_for(8, 100, chosen=study_files())
def test_a_valid_study_has_a_record_texts_and_an_extent_and_passes_the_check_and_the_schema(
    tmp_path: Path, chosen: Settings
) -> None:
    study = loaded(tmp_path, chosen)
    # Its record is a study with the same record.
    record = study.study.record()
    again = Study.model_validate(record)
    assert again.record() == record
    assert Study.model_validate(yaml.safe_load(documents.block(record) + "\n")).record() == record
    for name in study.study.models:
        assert again.settings(name, 3) == study.study.settings(name, 3)
    # Its texts, pasted in place of its own, are the same study.
    pasted = chosen | documents.parse(wording(study.study).encode(), "texts").data
    assert loaded(tmp_path, pasted).study.record() == record
    # Its extent is that of the course.
    steps = list(course(study.study, plan.make(study, "P01")))
    counts = [sum(isinstance(step, kind) for step in steps) for kind in (AskWord, AskItem, Rest)]
    assert [study.extent.questions, study.extent.items, study.extent.breaks] == counts
    # It passes the check, and an editor takes it.
    assert check(write(tmp_path, chosen)) == 0
    VALIDATOR.validate(chosen)


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
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=25)
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
def mutated(draw: st.DrawFn) -> bytes:
    """A study with one setting removed, misnamed or given another value."""
    chosen = copy.deepcopy(draw(study_files()))
    place = draw(st.sampled_from(_places(chosen)))
    inner: Any = chosen
    for part in place[:-1]:
        inner = inner[part]
    last: Any = place[-1]
    match draw(st.sampled_from(["drop", "rename", "change", "change"])):
        case "drop":
            del inner[last]
        case "rename" if isinstance(last, str):
            at = draw(st.integers(0, len(last)))
            inner[last[:at] + draw(texts()) + last[at + 1 :]] = inner.pop(last)
        case _:
            inner[last] = draw(WILD)
    return f"{documents.block(chosen)}\n".encode()


@st.composite
def slipped(draw: st.DrawFn) -> bytes:
    """The small study's file after some slips of the hand."""
    raw = f"{documents.block(small())}\n".encode()
    for _ in range(draw(st.integers(1, 3))):
        at, gone = draw(st.integers(0, len(raw))), draw(st.integers(0, 20))
        raw = raw[:at] + draw(st.binary(max_size=5) | texts().map(str.encode)) + raw[at + gone :]
    return raw


@holds_for(50, 350, raw=mutated() | slipped())
def test_a_broken_study_file_is_loaded_or_refused_with_a_message(tmp_path: Path, raw: bytes) -> None:
    path = write(tmp_path, small())
    path.write_bytes(raw)
    code = 0
    try:
        load(path)
    except FileError:
        code = 2
    assert check(path) == code
