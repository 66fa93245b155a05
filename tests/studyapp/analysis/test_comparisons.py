"""Comparisons of models in summary.json, against computations from the table of answers; and tiny studies."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import published
import pytest
from made_up import Table, a_session, answer_table, imported, others_like, quick_analysis
from made_up import results_of as results_from
from scipy import stats
from study_files import loaded, run, small

from studyapp.analysis import summary, terminal
from studyapp.analysis.explanations import EXPLAINED, rows_of
from studyapp.analysis.gather import gather
from studyapp.analysis.results import Results, analyse
from studyapp.cli import main
from studyapp.reporting.terminal import console
from studyapp.reporting.wording import UNKNOWN


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


def results_of(sessions: Path, **options: Any) -> Results:
    return analyse(gather(sessions, **options))


def compared(results: Results) -> dict[str, Any]:
    """The first comparison in summary.json."""
    document = json.loads(json.dumps(summary.as_json(results), allow_nan=False))
    own: dict[str, Any] = document["comparisons"][0]
    return own


def cells(table: Table) -> dict[tuple[str, str, str], tuple[float, int]]:
    """The reward and the time to find of every round that is no practice."""
    rounds: defaultdict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in table:
        if row["practice"] == "false":
            rounds[row["participant"], row["target"], row["model"]].append(row)
    return {
        key: (
            sum(float(row["reward"]) for row in rows),
            next((int(row["question"]) for row in rows if row["word"] == row["target"]), len(rows) + 1),
        )
        for key, rows in rounds.items()
    }


def check(own: dict[str, Any], table: Table) -> None:
    values = cells(table)
    last = max(int(row["question"]) for row in table)
    people, targets = (sorted({key[i] for key in values}) for i in (0, 1))
    grids = {
        model: np.array([[values[p, t, model] for t in targets] for p in people])
        for model in ("mixture", "naive")
    }
    rewards, times = ([grids[model][..., k] for model in own["models"]] for k in (0, 1))
    assert own["question"] == last

    def is_test(given: dict[str, Any], first: np.ndarray, second: np.ndarray) -> None:
        expected = stats.ttest_rel(first, second)
        assert given["difference"] == pytest.approx((first - second).mean(), abs=1e-9)
        assert (given["t"], given["p"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-6)
        assert given["df"] == len(first) - 1
        interval = expected.confidence_interval()
        assert given["ci95"] == pytest.approx([interval.low, interval.high], rel=1e-6)

    is_test(own, *(grid.mean(1) for grid in rewards))
    is_test(own["by_target"], *(grid.mean(0) for grid in rewards))
    is_test(own["found"], *((grid <= last).mean(1) for grid in times))
    is_test(own["time_to_find"], *(np.minimum(grid, last).mean(1) for grid in times))
    for model, grid in zip(own["models"], times, strict=True):
        assert own["found"][model] == pytest.approx((grid <= last).mean())
        assert own["time_to_find"][model] == pytest.approx(np.minimum(grid, last).mean())
    differences = (rewards[0] - rewards[1]).mean(1)
    assert own["d_z"] == pytest.approx(differences.mean() / differences.std(ddof=1))
    without = [np.delete(differences, i) for i in range(len(differences))]
    left_out = own["leave_one_out"]
    assert left_out["lowest"] == pytest.approx(min(rest.mean() for rest in without))
    assert left_out["highest"] == pytest.approx(max(rest.mean() for rest in without))
    ps = [stats.ttest_1samp(rest, 0).pvalue for rest in without]
    assert (left_out["p_lowest"], left_out["p_highest"]) == pytest.approx((min(ps), max(ps)))
    assert people[int(np.argmax(differences))] == left_out["lowest_without"]
    flips = stats.permutation_test(
        (differences,),
        lambda d, axis: np.abs(d.mean(axis)),
        permutation_type="samples",
        alternative="greater",
    )
    assert own["p_sign_flip"] == pytest.approx(flips.pvalue)
    assert own["p_holm"] == own["p"]


def test_models_may_have_the_names_of_statistics_and_of_the_baseline(tmp_path: Path) -> None:
    models = {name: {"teacher": "naive"} for name in ("p", "random")}
    session = a_session(tmp_path, models=models, after_round=[], at_end=[])
    results = results_from(others_like(session, 3))
    own = compared(results)
    for name, outcome in (("found", own["found"]), ("time_to_find", own["time_to_find"]), ("reward", own)):
        assert set(outcome["means"]) == {"p", "random"}, name
        assert outcome["p"] is None or 0 < outcome["p"] <= 1
    with redirect_stdout(io.StringIO()) as printed:
        terminal.show(results, console())
    assert "p random random baseline difference" in printed.getvalue()


def test_a_p_that_does_not_exist_is_not_said_to_be_anything(tmp_path: Path) -> None:
    results = results_from(others_like(a_session(tmp_path, after_round=[], at_end=[]), 1))
    (comparison,) = results.comparisons.values()
    assert not [row for row in rows_of(comparison) if f"= {UNKNOWN}" in row[1]]


def with_finds(table: Table, seed: int) -> Table:
    """Some rounds find the target."""
    rng = np.random.default_rng(seed)
    chosen: dict[tuple[str, str], int] = {}
    for row in table:
        at = chosen.setdefault((row["participant"], row["round"]), int(rng.integers(1, 12)))
        if int(row["question"]) == at:
            row["word"] = row["target"]
        elif row["word"] == row["target"]:
            row["word"] = "frog"
    return table


@pytest.mark.parametrize("seed", range(2))
def test_the_comparison_has_the_numbers_of_an_independent_computation(tmp_path: Path, seed: int) -> None:
    table = with_finds(answer_table(5, ["tea", "salt", "dog", "cat"], 6, seed), seed)
    check(compared(results_of(imported(tmp_path, table))), table)


@published.needs_sessions
def test_the_published_sessions_differ_over_participants_but_not_clearly_over_targets(tmp_path: Path) -> None:
    assert main(["import", str(published.SESSIONS), "--sessions", str(tmp_path / "published")]) == 0
    results = results_of(tmp_path / "published")
    own = compared(results)
    check(own, published.rows())
    assert own["p"] == pytest.approx(0.0467, abs=5e-5)
    assert own["by_target"]["p"] == pytest.approx(0.0664, abs=5e-5)
    assert own["crossed"]["p"] == pytest.approx(0.0859, abs=5e-5)
    assert own["crossed"]["random_slopes"] == ["participant", "target"]
    found = results.found
    assert [(found[m].found, found[m].rounds) for m in ("mixture", "naive")] == [(77, 95), (86, 95)]


def test_a_target_that_was_not_completed_with_every_model_counts_with_none(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(after_round=[], at_end=[], bonus=None))
    for participant in ("P1", "P2"):
        run(study, tmp_path / "logs", participant)
    whole = results_of(tmp_path / "logs", words=tmp_path / "words.txt")
    path = tmp_path / "logs" / "P2.yaml"
    documents = path.read_bytes().split(b"...\n")
    last = max(i for i, document in enumerate(documents) if b'"event": "answer"' in document)
    path.write_bytes(b"...\n".join(documents[:last]) + b"...\n")  # the last answer is missing
    cut = results_of(tmp_path / "logs", words=tmp_path / "words.txt", include=["incomplete"])
    for model in cut.sample.models:
        assert cut.found[model].rounds == whole.found[model].rounds - 1


def test_every_statistic_of_a_comparison_is_explained_in_one_sentence(tmp_path: Path) -> None:
    results = results_of(imported(tmp_path, answer_table(4, ["tea", "salt"], 4, 3)))
    (comparison,) = results.comparisons.values()
    rows = rows_of(comparison)
    assert len(rows) == 10
    for sentence in EXPLAINED.values():
        assert sentence[0].isupper() or sentence.startswith(("p ", "95 % "))
        assert sentence.endswith(".")
        assert ". " not in sentence.replace("et al. ", "").replace("0. ", "")
    document = summary.as_json(results)
    named = {*document["comparisons"][0], *document["pairs"][0]["by_question"][0], *document}
    assert set(EXPLAINED) - {"reward", "share_ci95"} <= named


# Tiny studies: no warning, no traceback, and a reason for what cannot be computed


def with_constant_rewards(table: Table) -> Table:
    return [row | {"reward": "0.250000"} for row in table]


def all_found(table: Table) -> Table:
    return [row | {"word": row["target"]} for row in table]


def none_found(table: Table) -> Table:
    return [row | {"word": "elephant"} for row in table]


def the_same(table: Table) -> Table:
    return table


@pytest.mark.parametrize("participants", [1, 2, 3])
@pytest.mark.parametrize("targets", [["tea"], ["tea", "salt"]])
@pytest.mark.parametrize("change", [the_same, with_constant_rewards, all_found, none_found])
def test_tiny_studies_give_what_can_be_computed_and_reasons_for_the_rest(
    tmp_path: Path, participants: int, targets: list[str], change: Callable[[Table], Table]
) -> None:
    sessions = imported(tmp_path, change(answer_table(participants, targets, 3, 4)))
    results = results_of(sessions)
    document = json.loads(json.dumps(summary.as_json(results), allow_nan=False))
    for sentence in (document["main_result"]["finding"], document["main_result"]["reward"]):
        assert sentence.endswith(".")
        assert "nan" not in sentence
        assert "–" not in sentence  # noqa: RUF001 (nothing that is not known is mentioned)
    own = document["comparisons"][0]
    for test in (own, own["by_target"], own["found"], own["time_to_find"]):
        assert (test["p"] is None) == test["note"].startswith("cannot be computed: ")
    if participants == 1:
        assert own["note"] == "cannot be computed: there is only one participant"
        assert own["crossed"]["note"] == "there is only one participant"
    if participants > 1 and change is with_constant_rewards:
        assert own["note"] == "cannot be computed: every participant has the same difference"
    if len(targets) == 1:
        assert own["by_target"]["note"] == "cannot be computed: there is only one target"
    if change is none_found and participants > 1:
        low, high = document["found"]["naive"]["share_ci95"]
        assert low == 0
        assert high > 0.2
    for comparison in results.comparisons.values():
        assert all(value and "nan" not in value for _, value in rows_of(comparison))


def test_a_whole_analysis_of_the_smallest_study_ends_well(tmp_path: Path) -> None:
    sessions = imported(tmp_path, with_constant_rewards(answer_table(2, ["tea"], 2, 1)))
    with redirect_stdout(io.StringIO()) as printed:
        assert main(["analyse", str(sessions), "--out", str(tmp_path / "out"), "--margin", "1"]) == 0
    assert "no test: every participant has the same difference" in " ".join(printed.getvalue().split())
