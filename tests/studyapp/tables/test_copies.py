"""The same participant in several logs: told, and never counted twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from exports import records
from made_up import answer_table, imported, quick_analysis
from study_files import loaded, open_sitting, run, small

from core.errors import FileError
from studyapp.analysis.gather import gather
from studyapp.analysis.notes import flow_of
from studyapp.cli import main
from studyapp.session.log_format import encode
from studyapp.session.saved import KINDS, find_logs, open_session
from studyapp.tables.copies import LeftOut, repeated


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders, each with a participant of its own, and P01 in the first; another P01 apart."""
    folder = tmp_path_factory.mktemp("recorded")
    study = loaded(folder, small())
    for machine, participant in (("a", "P01"), ("a", "P02"), ("b", "P03"), ("apart", "P01")):
        run(study, folder / machine, participant)
        shutil.copy(folder / "words.txt", folder / machine)
    return folder


@pytest.fixture
def machines(recorded: Path, tmp_path: Path) -> tuple[Path, Path]:
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path / "a", tmp_path / "b"


def left_out(*folders: Path) -> dict[Path, LeftOut]:
    return repeated(find_logs(folders), KINDS)


def shortened(log: Path, to: Path, events: int) -> None:
    to.write_bytes(encode(open_session(log).saved.events[:events]))


def test_of_equal_logs_the_first_counts(machines: tuple[Path, Path]) -> None:
    one, other = machines
    assert left_out(one, other) == {}
    shutil.copy(one / "P01.yaml", other)
    same = LeftOut(f"the same session as {one / 'P01.yaml'}, which counts", is_copy=True)
    assert left_out(one, other) == {other / "P01.yaml": same}
    assert list(left_out(other, one)) == [one / "P01.yaml"]


def test_a_log_that_goes_on_counts_instead_of_the_one_it_continues(machines: tuple[Path, Path]) -> None:
    one, other = machines
    shortened(one / "P01.yaml", other / "P01.yaml", 9)
    longer = LeftOut(f"{one / 'P01.yaml'} continues this session and counts instead", is_copy=True)
    for folders in ((one, other), (other, one)):
        assert left_out(*folders) == {other / "P01.yaml": longer}
    run(loaded(one.parent, small()), other, "P01")  # goes on in another way: two sessions
    assert [log.is_copy for log in left_out(one, other).values()] == [False, False]


def test_of_different_sessions_under_one_id_none_counts(machines: tuple[Path, Path]) -> None:
    one, other = machines
    third = one.parent / "c"
    third.mkdir()
    shutil.copy(one.parent / "apart" / "P01.yaml", other)
    shortened(one / "P01.yaml", third / "P01.yaml", 5)
    found = left_out(one, other, third)
    assert {path.parent.name: log.is_copy for path, log in found.items()} == {
        "a": False,
        "b": False,
        "c": True,
    }
    assert f"another session has the same ID, P01: {other / 'P01.yaml'};" in found[one / "P01.yaml"].reason
    # It is not said that the session it is a copy of counts.
    assert found[third / "P01.yaml"].reason == f"{one / 'P01.yaml'} continues this session"
    # Only sessions of the wanted kinds are compared, and logs that can be read.
    assert repeated(find_logs([one, other]), ["person", "imported"]) == {}
    (other / "P01.yaml").write_text("nothing")
    assert left_out(one, other) == {}


def test_a_session_with_deleted_answers_does_not_count_through_a_copy(machines: tuple[Path, Path]) -> None:
    one, other = machines
    shortened(one / "P01.yaml", other / "P01.yaml", 9)
    shutil.copy(other / "P01.yaml", one)
    sitting = open_sitting(loaded(one.parent, small()), other)
    sitting.withdraw(delete=True)
    sitting.close()
    for folders in ((one, other), (other, one)):
        ((path, log),) = left_out(*folders).items()
        assert path == one / "P01.yaml"
        assert log.reason.endswith(f"deleted in {other / 'P01.yaml'}; delete this copy too")


def test_the_same_answers_imported_twice_count_once(tmp_path: Path) -> None:
    table = answer_table(2, ["tea"], 3, 0)
    for machine in ("a", "b"):
        (tmp_path / machine).mkdir()
    found = left_out(imported(tmp_path / "a", table), imported(tmp_path / "b", table))
    assert [path.parent.parent.name for path in found] == ["b", "b"]
    assert all(log.is_copy for log in found.values())


def test_analyse_and_export_count_the_same_sessions_of_two_machines(
    machines: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = machines

    def counted(copy: Path) -> tuple[set[str], set[str], str, str]:
        """Whom analyse and export count if this is P01's log in the second folder, and what analyse says."""
        shutil.copy(copy, other)
        arguments = [str(one), str(other), "--out"]
        assert main(["analyse", *arguments, str(tmp_path / "analysis")]) == 0
        said = capsys.readouterr()
        sessions = json.loads((tmp_path / "analysis" / "summary.json").read_text())["sessions"]
        main(["export", str(one), str(other), "--out", str(tmp_path / "out"), "--force"])
        exported = {row["participant"] for row in records(tmp_path / "out", "participants")}
        capsys.readouterr()
        return {session["log"] for session in sessions if not session["included"]}, exported, *said

    first, second = one / "P01.yaml", other / "P01.yaml"
    not_included, exported, printed, error = counted(first)
    assert (not_included, exported, error) == ({str(second)}, {"P01", "P02", "P03"}, "")
    assert f"not included: {second}: the same session as {first}, which counts" in printed.splitlines()
    assert flow_of(gather(one, other).logs).started == 3  # participants, not logs
    flow = flow_of(gather(one, other, exclude=["P01"]).logs)
    assert (flow.started, flow.excluded, flow.analysed) == (3, {"on request (--exclude)": 1}, 2)

    not_included, exported, _, error = counted(one.parent / "apart" / "P01.yaml")
    assert (not_included, exported) == ({str(first), str(second)}, {"P02", "P03"})
    assert error.count("has the same ID") == 2
    excluding = gather(one, other, exclude=["P01"])  # an excluded participant needs no choice
    assert not [warning for warning in excluding.warnings() if "has the same ID" in warning]


def test_where_people_share_an_id_simulated_participants_do_not_take_their_place(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    imports = []
    for machine, seed in (("c", 0), ("d", 1)):
        (tmp_path / machine).mkdir()
        imports.append(imported(tmp_path / machine, answer_table(1, ["tea"], 3, seed)))
    with pytest.raises(FileError, match="none of the sessions here can be analysed"):
        gather(*imports, *machines)
