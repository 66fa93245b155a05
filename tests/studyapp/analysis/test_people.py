"""The rounds of sessions to which people are fitted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_up import Table, answer_table, imported, quick_analysis, sessions_of_every_kind
from strategies import WORDS
from study_files import VECTORS, loaded, run, small, write

from core.errors import FileError, SettingError
from core.recall import NEVER
from studyapp.analysis.people_sessions import Sessions, read_sessions
from studyapp.study.loading import load

TARGETS = ["dog", "tea", "salt"]


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


def steered_table() -> Table:
    """Answers of three participants who steer, but for every seventh answer."""
    table, features = answer_table(3, TARGETS, 8, seed=1), WORDS.features()
    yes_before: set[tuple[str, str, str]] = set()
    for number, row in enumerate(table):
        likeness = features[WORDS.index(row["target"]), WORDS.index(row["word"])]
        key = row["participant"], row["round"], row["word"]
        means_yes = row["word"] == row["target"] or (likeness > 0.1 and key not in yes_before)
        if means_yes:
            yes_before.add(key)
        row["answer"] = "y" if means_yes != (number % 7 == 0) else "n"
    return table


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("people"), steered_table())


@pytest.fixture(scope="module")
def sessions(logs: Path) -> Sessions:
    return read_sessions([logs])


def test_answers_are_those_of_the_table_with_what_came_before_in_the_round(tmp_path: Path) -> None:
    table = answer_table(2, TARGETS, 12, seed=3)
    sessions = read_sessions([imported(tmp_path, table)])
    counted = [row for row in table if row["practice"] == "false"]
    answers = sessions.answers
    assert len(answers) == len(counted)
    said: dict[tuple[str, str], dict[str, int]] = {}
    for i, row in enumerate(counted):
        before = said.setdefault((row["participant"], row["round"]), {})
        names = sessions.persons[answers.person[i]], sessions.words[answers.target[i]]
        assert (*names, sessions.words[answers.word[i]]) == (row["participant"], row["target"], row["word"])
        assert (answers.yes[i], answers.number[i]) == (row["answer"] == "y", int(row["question"]))
        assert (answers.last[i], answers.found[i]) == (
            before.get(row["word"], NEVER),
            row["target"] in before,
        )
        before[row["word"]] = int(answers.yes[i])
    assert answers.found.any()
    assert (answers.last == 1).any()


# Reading


def test_rounds_whose_rewards_are_all_0_never_took_place(tmp_path: Path) -> None:
    table = answer_table(2, TARGETS, 5, seed=3)
    never = [row for row in table if (row["participant"], row["round"]) == ("P1", "4")]
    for row in never:
        row["reward"] = "0"
    sessions = read_sessions([imported(tmp_path, table)])
    assert len(sessions.answers) == 2 * 6 * 5 - 5
    assert sessions.notes == ["not included: 1 round of P1.yaml: all rewards are 0, so it never took place"]


def test_a_copied_log_counts_once_and_two_people_of_one_name_are_two(logs: Path, tmp_path: Path) -> None:
    copied, other = tmp_path / "copied", tmp_path / "other"
    shutil.copytree(logs, copied)
    other.mkdir()
    new = imported(other, answer_table(1, TARGETS, 8, seed=2))
    sessions = read_sessions([logs, copied, new])
    assert sessions.persons == ("imported/P0", "imported/P0", "P1", "P2")
    assert len(sessions.notes) == 3
    assert all("a copy of" in note for note in sessions.notes)


def test_the_fingerprint_is_that_of_the_answers_alone(logs: Path, tmp_path: Path) -> None:
    again = imported(tmp_path, steered_table())
    assert read_sessions([again]).fingerprint == read_sessions([logs]).fingerprint
    (again / "P2.yaml").unlink()
    assert read_sessions([again]).fingerprint != read_sessions([logs]).fingerprint


def test_one_damaged_log_is_one_clear_error(tmp_path: Path) -> None:
    logs = sessions_of_every_kind(tmp_path)
    with pytest.raises(FileError, match="move it to another folder"):
        read_sessions([logs])


def test_sessions_are_chosen_by_kind_and_state(tmp_path: Path) -> None:
    logs = sessions_of_every_kind(tmp_path)
    for name in ("broken", "notes", "again"):
        (logs / f"{name}.yaml").unlink()
    assert read_sessions([logs]).persons == ("person",)
    (logs / "person.yaml").unlink()
    simulated = read_sessions([logs])
    assert simulated.persons == ("sim1", "sim2")
    more = read_sessions([logs], include=["incomplete"])
    assert set(more.persons) > {"sim1", "sim2"}
    assert len(more.answers) < len(simulated.answers) / 2 * len(more.persons)  # some rounds were cut


def test_words_that_are_not_equally_alike_are_refused(tmp_path: Path) -> None:
    logs = []
    for number, tea in enumerate(("tea 1 0 1", "tea 1 0 9")):
        path = write(tmp_path / str(number), small())
        words = VECTORS.replace("tea 1 0 1", tea)
        (path.parent / "words.txt").write_text(words, encoding="utf-8")
        logs.append(path.parent / "logs")
        run(load(path), logs[-1], f"P{number}")
        (logs[-1] / "words.txt").write_text(words, encoding="utf-8")
    with pytest.raises(SettingError, match=r"the likeness of '.*' and '.*' is .* word vectors separately"):
        read_sessions(logs)


def test_sessions_with_different_kernels_agree_on_how_alike_words_are(tmp_path: Path) -> None:
    likeness = []
    for width in (1.5, 2.5):
        study = loaded(tmp_path / str(width), small(kernel_width=width))
        logs = tmp_path / str(width) / "logs"
        run(study, logs, "P1")
        (logs / "words.txt").write_text(VECTORS, encoding="utf-8")
        own = read_sessions([logs]).answers
        likeness.append({(t, w): x for t, w, x in zip(own.target, own.word, own.likeness, strict=True)})
    for pair in likeness[0].keys() & likeness[1].keys():
        assert likeness[0][pair] == pytest.approx(likeness[1][pair], abs=1e-12)


def test_sessions_of_two_word_sets_share_one_list_of_words(logs: Path, tmp_path: Path) -> None:
    study = loaded(tmp_path, small(targets=["café"], practice=[]))
    run(study, tmp_path / "logs", "X")
    (tmp_path / "logs" / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    both = read_sessions([logs, tmp_path / "logs"], include=["simulated"])
    assert len(both.words) == 20 + 6 - 1  # both sets have tea
    of_x = both.answers.person == both.persons.index("X")
    assert {both.words[i] for i in both.answers.target[of_x]} == {"café"}


def test_no_sessions_and_no_answers_outside_practice_are_one_clear_error(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    sitting = run(study, tmp_path / "logs", "P01")
    assert sitting
    with pytest.raises(FileError, match="no such file or folder"):
        read_sessions([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="no session logs"):
        read_sessions([tmp_path / "empty"])
