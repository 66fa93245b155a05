"""Links that someone planted in the folder of results never lead a command to files elsewhere.

What a command writes is for the owner alone, even in a folder that is open to all.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_up import quick_analysis
from study_files import loaded, run, small

from studyapp.cli import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")

APPENDED = (".jsonl", ".yaml")  # results and logs: never replaced, and opened by modules of their own
Command = Callable[[Path], int]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sessions")
    study = loaded(folder, small(questions=3, bonus=None))
    for number in range(2):
        run(study, folder / "logs", f"P{number}")
    return folder


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


FIGURE = ["reproduce", "teaching-example", "--replications", "2", "--processes", "1"]
SIMULATION = [
    *("simulate", "--arms", "4", "--questions", "2", "--replications", "2"),
    *("--pairs", "N-N", "--samples", "2", "--processes", "1"),
]
COMMANDS = {
    "analyse": ["analyse", "{logs}/logs", "--words", "{logs}/words.txt", "--include", "simulated"],
    "power": ["power", "{logs}/logs", "--words", "{logs}/words.txt", "--participants", "2"],
    "simulate": SIMULATION,
    "reproduce": FIGURE,
}
FOLDERS = [
    ("analyse", "figures"),
    ("analyse", "data"),
    ("power", "sessions"),
    ("reproduce", "figures"),
    ("reproduce", "numbers"),
    ("reproduce", "results"),
]


@pytest.fixture
def command(request: pytest.FixtureRequest, logs: Path) -> Command:
    arguments = [part.format(logs=logs) for part in COMMANDS[request.param]]
    return lambda out: main([*arguments, "--out", str(out)])


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize("command", COMMANDS, indirect=True)
def test_a_link_in_the_place_of_any_file_is_replaced_and_its_target_stays(
    tmp_path: Path, command: Command
) -> None:
    assert command(tmp_path / "first") == 0
    written = {name for name in files(tmp_path / "first") if not name.endswith(APPENDED)}
    assert len(written) > 3

    out = tmp_path / "out"
    (tmp_path / "victim").write_text("mine")
    for name in written:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).parent.chmod(0o777)
        (out / name).symlink_to(tmp_path / "victim")
    assert command(out) == 0
    assert (tmp_path / "victim").read_text() == "mine"
    assert written <= files(out)
    for name in written:
        assert stat.S_IMODE((out / name).lstat().st_mode) == 0o600, name
        assert stat.S_ISREG((out / name).lstat().st_mode)
    assert not [name for name in files(out) if name.endswith(".part")]


@pytest.mark.parametrize(("command", "inner"), FOLDERS, indirect=["command"])
def test_a_link_in_the_place_of_a_folder_is_refused_before_the_work(
    tmp_path: Path, command: Command, inner: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / inner).symlink_to(tmp_path / "victim")
    assert command(tmp_path / "out") == 2
    problem = f"{tmp_path / 'out' / inner}: this is a link, but a folder is needed"
    assert problem in capsys.readouterr().err
    assert list((tmp_path / "victim").iterdir()) == []


@pytest.mark.parametrize("command", ["power"], indirect=True)
def test_a_link_to_a_folder_may_be_the_place_itself(tmp_path: Path, command: Command) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "there")
    assert command(tmp_path / "out") == 0
    assert "power.json" in files(tmp_path / "there")


def export(logs: Path, out: Path) -> int:
    return main(["export", str(logs / "logs"), "--out", str(out), "--force"])


def test_an_export_replaces_links_with_its_own_files(tmp_path: Path, logs: Path) -> None:
    assert export(logs, tmp_path / "out") == 0
    written = files(tmp_path / "out")
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "study-Small_description-answers_data.csv").write_text("mine")
    for name in written:
        (tmp_path / "out" / name).unlink()
    (tmp_path / "out" / "README.md").symlink_to(tmp_path / "victim")
    (tmp_path / "out" / "data").rmdir()
    (tmp_path / "out" / "data").symlink_to(tmp_path / "elsewhere")
    assert export(logs, tmp_path / "out") == 0
    assert files(tmp_path / "out") == written
    assert not (tmp_path / "out" / "data").is_symlink()
    for name in written:
        assert stat.S_IMODE((tmp_path / "out" / name).lstat().st_mode) == 0o600
    assert (tmp_path / "victim").read_text() == "mine"
    assert [path.read_text() for path in (tmp_path / "elsewhere").iterdir()] == ["mine"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "out", "victim"]
