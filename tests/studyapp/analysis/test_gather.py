"""Which sessions are included in an analysis, and the reasons for the others."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_up import answer_table, imported, quick_analysis, sessions_of_every_kind
from study_files import loaded, run, small

from core.errors import FileError, SettingError
from studyapp.analysis.gather import Gathered, gather
from studyapp.office.conduct import conduct_of
from studyapp.office.events import Excluded, Included, Unblinded
from studyapp.office.standing import Standing
from studyapp.session.log_format import encode


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sessions_of_every_kind(tmp_path_factory.mktemp("every-kind"))


def included(gathered: Gathered) -> list[str]:
    names = [status.path.name for status in gathered.logs if status.included]
    assert sorted(names) == sorted(session.path.name for session in gathered.sessions)
    return names


def reason(gathered: Gathered, name: str) -> str:
    (status,) = (status for status in gathered.logs if status.path.name == f"{name}.yaml")
    return status.reason


def test_peoples_finished_sessions_are_included_and_every_other_log_has_a_reason(logs: Path) -> None:
    gathered = gather(logs)
    assert included(gathered) == ["person.yaml"]
    assert gathered.kinds == ["person"]
    assert len(gathered.logs) == 11
    assert reason(gathered, "again").startswith("this is the log of person, but the file is not named person")
    assert reason(gathered, "sim1") == "simulated (to include it: --include simulated)"
    assert reason(gathered, "piloted") == "pilot (to include it: --include pilot)"
    assert reason(gathered, "half") == "incomplete (to include it: --include incomplete)"
    assert reason(gathered, "left") == "withdrawn (to include it: --include withdrawn)"
    assert reason(gathered, "gone") == "withdrawn, and the answers were deleted"
    assert re.match(r"line \d+: ", reason(gathered, "broken"))
    assert reason(gathered, "notes")
    assert [status.path.name for status in gathered.broken] == ["again.yaml", "broken.yaml", "notes.yaml"]


def test_options_include_other_kinds_and_exclude_participants(logs: Path) -> None:
    gathered = gather(logs, include=["simulated", "pilot"], exclude=["sim2"])
    assert included(gathered) == ["person.yaml", "piloted.yaml", "sim1.yaml"]
    assert reason(gathered, "sim2") == "excluded by --exclude"
    gathered = gather(logs, include=["incomplete", "simulated"])
    # In an unfinished session, targets count that were completed with every model; there may be none.
    assert "half.yaml" in included(gathered)
    assert reason(gathered, "quarter") == "no target was completed with every model"


def test_whom_the_experimenter_excluded_is_left_out_with_the_reason_and_when_it_was(logs: Path) -> None:
    before, after = (
        Excluded("sim1", "fell asleep", unblinded=False),
        Excluded("sim2", "left early", unblinded=True),
    )
    unblinded = Unblinded("done", 4, 0)
    for conduct, reasons in (
        (conduct_of([before]), ["excluded by the experimenter: fell asleep", ""]),
        (
            conduct_of([before, unblinded, after]),
            [
                "excluded by the experimenter before the unblinding: fell asleep",
                "excluded by the experimenter after the unblinding: left early",
            ],
        ),
        (conduct_of([before, Included("sim1", "a mistake", unblinded=False)]), ["", ""]),
    ):
        gathered = gather(logs, include=["simulated"], standing=Standing(conduct=conduct))
        assert [reason(gathered, name) for name in ("sim1", "sim2")] == reasons
        assert included(gathered) == ["person.yaml"] + [
            f"{name}.yaml" for name, why in zip(("sim1", "sim2"), reasons, strict=True) if not why
        ]


def test_without_people_simulated_sessions_are_included(logs: Path, tmp_path: Path) -> None:
    shutil.copytree(logs, tmp_path / "logs")
    for name in ("person", "again", "piloted"):
        (tmp_path / "logs" / f"{name}.yaml").unlink()
    gathered = gather(tmp_path / "logs")
    assert included(gathered) == ["sim1.yaml", "sim2.yaml"]
    assert gathered.kinds == ["simulated"]


def test_sessions_of_another_study_are_left_out_with_the_settings_that_differ(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for participant in ("a", "b"):
        run(loaded(tmp_path, small()), logs, participant)
    run(loaded(tmp_path, small(questions=3)), logs, "c")
    gathered = gather(logs, words=tmp_path / "words.txt")
    assert included(gathered) == ["a.yaml", "b.yaml"]
    problem = "belongs to a different study than most sessions here (it differs in: questions)"
    assert problem in reason(gathered, "c")


def test_a_corrected_wording_of_a_questionnaire_leaves_nobody_out(tmp_path: Path) -> None:
    logs, study = tmp_path / "logs", small()
    before = loaded(tmp_path, study)
    questionnaires = {
        name: [item | {"ask": f"{item['ask']} (corrected)"} for item in items]
        for name, items in study["questionnaires"].items()
    }
    run(before, logs, "a")
    run(before, logs, "b")
    run(loaded(tmp_path, study | {"questionnaires": questionnaires}), logs, "c")
    assert included(gather(logs, words=tmp_path / "words.txt")) == ["a.yaml", "b.yaml", "c.yaml"]


def test_if_nothing_can_be_analysed_the_error_has_all_reasons(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("nothing\n...\n")
    with pytest.raises(FileError, match=r"none of the sessions here can be analysed:\n  a\.yaml: "):
        gather(tmp_path)


def test_an_unknown_participant_cannot_be_excluded(logs: Path) -> None:
    with pytest.raises(SettingError, match=r"no session here has this participant \(did you mean 'sim"):
        gather(logs, exclude=["sim3"])


def test_rewards_that_are_not_similarities_are_refused_unless_imported(tmp_path: Path) -> None:
    sessions = gather(imported(tmp_path, answer_table(2, ["tea", "salt"], 3, 5))).sessions
    assert sum(len(session.other_rewards) for session in sessions) == 24
    events = run(loaded(tmp_path, small()), tmp_path / "logs")
    changed = [type(e)(**vars(e) | {"reward": 0.123456}) if e.event == "answer" else e for e in events]
    (tmp_path / "logs" / "P01.yaml").write_bytes(encode(changed))
    with pytest.raises(FileError, match="the reward is not the similarity of the word to the target"):
        gather(tmp_path / "logs", words=tmp_path / "words.txt")
