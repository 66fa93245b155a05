"""The study at a glance, what to do next, and looks at a folder in which anything may happen."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from offices import MODELS, a_full_office, events_of, put, study_folder
from study_files import run, small, write
from study_folders import as_person

from studyapp.office import study_log
from studyapp.office.conduct import record_study
from studyapp.office.events import Analysed, BackedUp, Deleted, Excluded, Noted, Unblinded, Verified
from studyapp.office.overview import advice, may_return
from studyapp.office.watch import Seen, Watch
from studyapp.session import log
from studyapp.session.events import Declined
from studyapp.session.ids import log_path
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import load

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)  # of the day on which the sessions of these tests began


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return study_folder(tmp_path / "lab", participants=2, blind=True)


def change(folder: StudyFolder, **changes: Any) -> None:
    write(folder.path, small(models=MODELS, **changes))


def next_steps(seen: Seen, now: datetime = NOON) -> str:
    return "\n".join(advice(seen.overview, seen.rows, seen.conduct, now))


def steps(folder: StudyFolder, now: datetime = NOON) -> str:
    return next_steps(Watch(folder).look(), now)


# --- what to do next


def test_a_new_study_is_checked_rehearsed_and_started(folder: StudyFolder) -> None:
    check = "Check the study (c) and rehearse it (h).\n"
    start = "Start P01 (s)."
    assert steps(folder) == f"{check}To try it yourself first, set stage to pilot (e).\n{start}"
    change(folder, stage="pilot")
    assert steps(folder) == f"{check}Try the study yourself, with an ID such as try-1 (s).\n{start}"


def test_who_has_not_finished_is_resumed_before_the_next_one_starts(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", 8))
    record_study(folder)
    assert steps(folder) == "P01 has not finished: resume (r).\nStart P02 (s)."
    put(folder, "P01", [*events_of("P01", 1), Declined(at="2026-11-18T10:00:00.000Z", clock_ms=1.0)])
    assert steps(folder) == "Start P02 (s)."


def test_who_may_not_come_back_is_not_waited_for(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", 8))
    missing = "study.log.yaml is missing: restore it from a backup.\n"
    assert steps(folder).startswith(f"{missing}P01 has not finished: resume (r).")
    change(folder, resume={"allowed": False})
    assert "resume (r)" not in steps(folder)
    assert "Start P02 (s)." in steps(folder)
    change(folder, resume={"within_hours": 3})
    (row,) = Watch(folder).look().rows
    assert row.last is not None
    limit = datetime.fromisoformat(row.last) + timedelta(hours=3)
    assert "P01 has not finished: resume (r)." in steps(folder, limit)
    assert "resume (r)" not in steps(folder, limit + timedelta(seconds=1))
    assert may_return(row, None, limit + timedelta(days=1000)), "as far as a faulty study file tells"
    put(folder, "P01")
    (row,) = Watch(folder).look().rows
    assert not may_return(row, None, NOON)


def test_machines_with_ids_of_their_own_keep_to_them(folder: StudyFolder) -> None:
    put(folder, "P01")
    put(folder, "P31", events_of("P31", host="lab-2"))
    change(folder, participants=4)
    assert "Start P02 (s)." in steps(folder)


def test_a_study_that_changed_in_what_matters_since_someone_began_is_pointed_out(folder: StudyFolder) -> None:
    record_study(folder)
    run(load(folder.file), folder.sessions, "P01")
    as_person(log_path(folder.sessions, "P01"))
    for harmless in ({"title": "Another title"}, {"participants": 9}):
        change(folder, **harmless)
        record_study(folder)
        assert "The study changed" not in steps(folder)
    change(folder, questions=3, targets=["tea"])
    record_study(folder)
    assert (
        "The study changed after P01 began (questions, targets): sessions before and after are not analysed "
        "together. Change it back (e), or make a new study folder."
    ) in steps(folder)
    change(folder)
    record_study(folder)
    assert "The study changed" not in steps(folder)


def test_a_study_with_enough_participants_is_closed_and_pilots_do_not_count(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", pilot=True))
    put(folder, "P02")
    assert "Start P03 (s)." in steps(folder)
    put(folder, "P01")
    assert "The planned number of participants (2) has finished: decide all exclusions (x)" in steps(folder)
    assert "Start" not in steps(folder)
    study_log.append(folder.log, Excluded("P01", "fell asleep", unblinded=False))
    assert "Start P03 (s)." in steps(folder), "who is excluded does not count"


def test_a_closed_study_is_verified_backed_up_analysed_and_unblinded_once(folder: StudyFolder) -> None:
    change(folder, collecting=False, blind=True)
    everybody = ["P01", "P02", "P03"]
    for participant in everybody:
        put(folder, participant)
    assert (
        "Analyse blind (a); then unblind (U).\n"
        "3 finished sessions are not verified yet: verify (v).\n"
        "3 finished sessions are not backed up yet: back up (b)."
    ) in steps(folder)
    chain = log.read(folder.sessions / "P01.yaml").chain
    saved = BackedUp("b.zip", "0" * 64, everybody[:2])
    study_log.append(folder.log, Verified("P01", chain, "verified"), saved)
    assert "2 finished sessions are not verified" in steps(folder)
    assert "back up" not in steps(folder)
    study_log.append(folder.log, Unblinded("all are in", finished=1, unfinished=0))
    assert "unblind" not in steps(folder)
    study_log.append(folder.log, Analysed("analysis", blind=True, participants=everybody))
    assert "Analyse (a): the report now names the models." in steps(folder)
    study_log.append(folder.log, Analysed("analysis", blind=False, participants=everybody))
    assert "Analyse" not in steps(folder)


def test_what_is_urgent_comes_first(folder: StudyFolder) -> None:
    change(folder, ids=["anna"])
    put(folder, "anna")
    assert "No IDs are left in the list: add more (e)." in steps(folder)
    put(folder, "anna").write_bytes(b"?")
    assert steps(folder).startswith("The log of anna can't be read")
    seen = Watch(folder).look()
    full = replace(seen, overview=replace(seen.overview, free=5_000_000))
    assert next_steps(full).startswith("Only 5 MB are free")


def test_participants_that_the_study_log_knows_but_whose_logs_are_gone_are_missed(
    folder: StudyFolder,
) -> None:
    study_log.append(folder.log, Noted("P01", "on time"), Deleted("P02", answers=3, head=None))
    put(folder, "P03")
    assert steps(folder).startswith("P01 and P02 have no log here")
    shutil.rmtree(folder.sessions)
    assert "Start P03 (s)." in steps(folder)  # and not P01: that would be two people under one ID


# --- looking again


def test_a_study_file_with_faults_leaves_the_participants_in_sight(folder: StudyFolder) -> None:
    change(folder, sessions="logs")
    put(folder, "P01")
    watch = Watch(folder)
    before = watch.look()
    for broken in ("title: [", "title: 1\nmodels: 2\n", ""):
        folder.file.write_text(broken)
        seen = watch.look()
        assert seen.rows == before.rows
        assert seen.overview.loaded is None
        assert "The study file has faults" in next_steps(seen)
    folder.file.unlink()
    assert watch.look().rows == before.rows
    change(folder, sessions="logs")
    assert watch.look().overview.problem == ""
    (folder.path / "words.txt").write_text("nonsense")
    assert watch.look().overview.loaded is None, "words that changed are read again"


def test_sessions_move_when_the_study_file_says_so(folder: StudyFolder) -> None:
    put(folder, "P01")
    watch = Watch(folder)
    assert len(watch.look().rows) == 1
    change(folder, sessions="elsewhere")
    assert watch.look().rows == []
    put(folder, "P02")
    assert [row.participant for row in watch.look().rows] == ["P02"]
    assert watch.sessions == folder.path / "elsewhere"


def test_nothing_is_read_again_that_did_not_change(folder: StudyFolder) -> None:
    a_full_office(folder)
    watch = Watch(folder)
    first, second = watch.look(), watch.look()
    assert first.overview.sha256 == hashlib.sha256(folder.file.read_bytes()).hexdigest()
    assert second.overview.loaded is first.overview.loaded
    assert second.conduct is first.conduct
    assert all(new is old for new, old in zip(second.rows, first.rows, strict=True))


def test_what_can_not_be_read_is_a_problem_and_what_was_seen_before_stays(folder: StudyFolder) -> None:
    a_full_office(folder)
    watch = Watch(folder)
    before = watch.look()
    assert before.problems == ()
    folder.log.write_bytes(folder.log.read_bytes().replace(b"asleep", b"awake!"))
    seen = watch.look()
    assert len(seen.problems) == 1
    assert "study.log.yaml" in seen.problems[0]
    assert seen.rows == before.rows
    assert Watch(folder).look().problems == seen.problems
    shutil.move(folder.sessions, folder.path / "moved")
    folder.sessions.write_text("")
    seen = watch.look()
    assert seen.rows == before.rows
    assert "this is a file" in seen.problems[1]
    shutil.rmtree(folder.path)
    seen = watch.look()
    assert (seen.rows, seen.overview.free) == ([], None)


def test_the_first_look_tells_how_far_it_is(folder: StudyFolder) -> None:
    for number in (1, 2, 3):
        put(folder, f"P0{number}")
    told: list[tuple[int, int]] = []
    Watch(folder).look(lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
