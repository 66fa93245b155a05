"""The same participant in several logs: told, and never counted twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
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


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders, each with a participant of its own, and P01 in the first."""
    study = loaded(tmp_path, small())
    for machine, participants in (("a", ("P01", "P02")), ("b", ("P03",))):
        for participant in participants:
            run(study, tmp_path / machine, participant)
        shutil.copy(tmp_path / "words.txt", tmp_path / machine)
    return tmp_path / "a", tmp_path / "b"


def left_out(*folders: Path) -> dict[Path, LeftOut]:
    return repeated(find_logs(folders), KINDS)


def shortened(log: Path, to: Path, events: int) -> None:
    to.write_bytes(encode(open_session(log).saved.events[:events]))


def test_participants_with_one_log_each_all_count(machines: tuple[Path, Path]) -> None:
    assert left_out(*machines) == {}


def test_of_equal_logs_the_first_counts(machines: tuple[Path, Path]) -> None:
    one, other = machines
    shutil.copy(one / "P01.yaml", other)
    ((path, log),) = left_out(one, other).items()
    assert path == other / "P01.yaml"
    assert log == LeftOut(f"the same session as {one / 'P01.yaml'}, which counts", is_copy=True)
    assert list(left_out(other, one)) == [one / "P01.yaml"]


def test_a_log_that_goes_on_counts_instead_of_the_one_it_continues(machines: tuple[Path, Path]) -> None:
    one, other = machines
    for events in (1, 9):
        shortened(one / "P01.yaml", other / "P01.yaml", events)
        for folders in ((one, other), (other, one)):
            ((path, log),) = left_out(*folders).items()
            assert path == other / "P01.yaml"
            assert log.is_copy
            assert log.reason == f"{one / 'P01.yaml'} continues this session and counts instead"


def test_of_different_sessions_under_one_id_none_counts(machines: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = machines
    run(loaded(tmp_path, small()), other, "P01")  # at another time
    (tmp_path / "c").mkdir()
    shortened(one / "P01.yaml", tmp_path / "c" / "P01.yaml", 5)
    found = left_out(one, other, tmp_path / "c")
    assert {path.parent.name: log.is_copy for path, log in found.items()} == {
        "a": False,
        "b": False,
        "c": True,
    }
    assert f"another session has the same ID, P01: {other / 'P01.yaml'};" in found[one / "P01.yaml"].reason
    copy = found[tmp_path / "c" / "P01.yaml"]  # it is not said that the session it is a copy of counts
    assert copy.reason == f"{one / 'P01.yaml'} continues this session"


def test_a_session_that_went_on_in_two_ways_is_two_sessions(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    one, other = machines
    shortened(one / "P01.yaml", other / "P01.yaml", 9)
    run(loaded(tmp_path, small()), other, "P01")  # resumes it
    assert [log.is_copy for log in left_out(one, other).values()] == [False, False]


def test_a_session_with_deleted_answers_does_not_count_through_a_copy(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    one, other = machines
    shortened(one / "P01.yaml", other / "P01.yaml", 9)
    shutil.copy(other / "P01.yaml", one)
    sitting = open_sitting(loaded(tmp_path, small()), other)
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


def test_only_sessions_of_the_wanted_kinds_are_compared(machines: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = machines
    run(loaded(tmp_path, small()), other, "P01")
    assert len(repeated(find_logs([one, other]), ["simulated"])) == 2
    assert repeated(find_logs([one, other]), ["person", "imported"]) == {}
    (other / "P01.yaml").write_text("nothing")  # reported by whoever reads all logs
    assert left_out(one, other) == {}


# The commands agree


def analysed(out: Path, *folders: Path) -> dict[str, bool]:
    assert main(["analyse", *map(str, folders), "--out", str(out)]) == 0
    sessions = json.loads((out / "summary.json").read_text())["sessions"]
    return {session["log"]: session["included"] for session in sessions}


def exported(out: Path, *folders: Path) -> set[str]:
    main(["export", *map(str, folders), "--out", str(out), "--force"])
    (table,) = (out / "data").glob("*-participants_data.csv")
    return {line.split(",")[0] for line in table.read_text().splitlines()[1:]}


def test_analyse_and_export_count_the_same_sessions_of_two_machines(
    machines: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = machines
    shutil.copy(one / "P01.yaml", other)
    included = analysed(tmp_path / "analysis", one, other)
    assert [log for log, counts in included.items() if not counts] == [str(other / "P01.yaml")]
    copy = f"not included: {other / 'P01.yaml'}: the same session as {one / 'P01.yaml'}, which counts"
    printed, error = capsys.readouterr()
    assert copy in printed.splitlines()
    assert flow_of(gather(one, other).logs).started == 3  # participants, not logs
    assert error == ""
    assert exported(tmp_path / "out", one, other) == {"P01", "P02", "P03"}
    (other / "P01.yaml").unlink()
    run(loaded(tmp_path, small()), other, "P01")
    capsys.readouterr()
    included = analysed(tmp_path / "analysis", one, other)
    assert sorted(log for log, counts in included.items() if not counts) == [
        str(one / "P01.yaml"),
        str(other / "P01.yaml"),
    ]
    assert len([line for line in capsys.readouterr().err.splitlines() if "has the same ID" in line]) == 2
    assert exported(tmp_path / "out", one, other) == {"P02", "P03"}
    # An excluded participant needs no choice.
    capsys.readouterr()
    assert (
        main(["analyse", str(one), str(other), "--exclude", "P01", "--out", str(tmp_path / "analysis")]) == 0
    )
    assert "has the same ID" not in capsys.readouterr().err


def test_a_participant_who_is_excluded_is_one_participant_whatever_the_number_of_copies(
    machines: tuple[Path, Path],
) -> None:
    one, other = machines
    shutil.copy(one / "P01.yaml", other)
    flow = flow_of(gather(one, other, exclude=["P01"]).logs)
    assert (flow.started, flow.excluded, flow.analysed) == (3, {"on request (--exclude)": 1}, 2)


def test_where_people_share_an_id_simulated_participants_do_not_take_their_place(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    imports = []
    for machine, seed in (("c", 0), ("d", 1)):
        (tmp_path / machine).mkdir()
        imports.append(imported(tmp_path / machine, answer_table(1, ["tea"], 3, seed)))
    with pytest.raises(FileError, match="none of the sessions here can be analysed"):
        gather(*imports, *machines)
