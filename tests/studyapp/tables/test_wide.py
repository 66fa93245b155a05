"""The wide table: one row per participant, with the numbers of an analysis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exports import cells
from made_up import answer_table, imported, quick_analysis
from study_files import loaded, open_sitting, run, small

from studyapp.analysis.gather import gather
from studyapp.analysis.outcomes import OUTCOMES
from studyapp.analysis.questionnaires import questionnaire_results
from studyapp.analysis.sample import Sample
from studyapp.session.saved import find_logs, open_session
from studyapp.tables.columns import Column, Written
from studyapp.tables.wide import wide_cells, write_wide


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


def written(sessions: Path, out: Path) -> tuple[Written, list[dict[str, str]]]:
    table = write_wide((wide_cells(open_session(path)) for path in find_logs([sessions])), out, "wide.csv")
    header, *rows = cells(out / "wide.csv")
    return table, [dict(zip(header, row, strict=True)) for row in rows]


def test_outcomes_are_those_of_the_analysis(tmp_path: Path) -> None:
    sessions = imported(tmp_path, answer_table(4, ["tea", "salt", "dog"], 15, 3))
    table, rows = written(sessions, tmp_path)
    sample = Sample(gather(sessions).sessions)
    assert [row["participant"] for row in rows] == sample.participants
    for model in ("mixture", "naive"):
        for outcome in OUTCOMES:
            values = [float(row[f"{outcome.name}_{model}"]) for row in rows]
            assert values == pytest.approx(outcome.of_participants(sample, model).tolist(), abs=1e-12)
        yes = [session.yes[sample.rounds(session, model)].mean() for session in sample.sessions]
        assert [float(row[f"yes_{model}"]) for row in rows] == pytest.approx(yes)
        assert {row[f"rounds_{model}"] for row in rows} == {"3"}
        assert {row[f"rt_ms_{model}"] for row in rows} == {""}  # nobody's times are known
    assert (table.rows, len(table.columns)) == (4, 3 + 2 * 6)


def test_questionnaires_have_the_scores_of_the_analysis(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(at_end=["you", "nasa-tlx"], after_round=["mood", "sus"]))
    for participant in ("P01", "P02"):
        run(study, tmp_path / "sessions", participant)
    (tmp_path / "sessions" / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    _, rows = written(tmp_path / "sessions", tmp_path)
    means = {
        (result.questionnaire, result.item): {
            group: float(estimate.mean) for group, estimate in result.by_group.items()
        }
        for result in questionnaire_results(Sample(gather(tmp_path / "sessions").sessions))
    }
    for (questionnaire, item), groups in means.items():
        for group, mean in groups.items():
            name = re.sub("[^A-Za-z0-9_]", "_", "_".join(filter(None, (questionnaire, item, group))))
            assert np.mean([float(row[name]) for row in rows]) == pytest.approx(mean)
    assert ("sus", "score") in means
    assert {row["you_side"] for row in rows} <= {"left", "no"}
    assert not [name for name in rows[0] if name.startswith("you_remarks")]  # free text


def test_a_participant_without_rounds_that_count_has_empty_outcomes(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    run(study, tmp_path / "sessions", "P01")
    open_sitting(study, tmp_path / "sessions", "P02").close()
    _, (_, row) = written(tmp_path / "sessions", tmp_path)
    assert (row["participant"], row["state"], row["rounds_both"]) == ("P02", "incomplete", "0")
    assert {row[name] for name in ("reward_both", "found_plain", "mood_tired_plain", "you_side")} == {""}


def test_names_are_unique_and_fit_every_program(tmp_path: Path) -> None:
    own = {"1-2": small()["questionnaires"]["mood"]}
    for number, models in enumerate(
        [("a-b", "a_b"), ("A", "a"), ("m" * 64, "m" * 63 + "n"), ("1", "2"), ("x", "rounds_x")]
    ):
        named = {"models": {name: {"teacher": "naive"} for name in models}, "questionnaires": own}
        study = loaded(tmp_path, small(**named, after_round=["1-2"], at_end=["1-2"]))
        run(study, tmp_path / str(number))
        table, (row,) = written(tmp_path / str(number), tmp_path)
        names = list(row)
        assert len({name.lower() for name in names}) == len(names) == len(table.columns)
        assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]{0,63}", name) for name in names)
        assert [cell for name, cell in row.items() if name.startswith("rounds_")][:2] == ["2", "2"]
        assert len({column.meaning for column in table.columns}) == len(names)  # each says its model in full


def test_sessions_of_different_studies_share_the_columns_that_mean_the_same(tmp_path: Path) -> None:
    one, other = (Column(name, "what it is", "count") for name in ("a", "b"))
    another = replace(one, meaning="something else")
    write_wide([[(one, "1"), (other, "2")], [(one, "3"), (another, "4")]], tmp_path, "wide.csv")
    assert (tmp_path / "wide.csv").read_text().split() == ["a,b,a_2", "1,2,", "3,,4"]
