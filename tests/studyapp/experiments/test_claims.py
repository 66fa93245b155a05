"""Verdicts on claims, in cases small enough to work out by hand."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from rich.console import Console
from scipy import stats
from small_experiments import constant, rewards

from studyapp.experiments import claims
from studyapp.experiments.claims import (
    BOTH_FITS,
    NEITHER_FIT,
    OPTIMISER,
    SUPPORTED,
    UNDECIDED,
    UNSUPPORTED,
    Claim,
    Margin,
    Verdict,
    across_fits,
    gain,
    judge,
    side,
)
from studyapp.experiments.designs.bandits import CONCORDANCE, CUMULATIVE_REWARD
from studyapp.experiments.store import Results

LEFT, RIGHT = side("run", "P-P"), side("run", "N-N")


def claim(relation: str = "above", margin: Margin | None = None, **other: object) -> Claim:
    fields = {"text": "P-P wins", "left": LEFT, "right": RIGHT, "measure": CONCORDANCE, "step": 1} | other
    return Claim(relation=relation, margin=margin, **fields)  # type: ignore[arg-type]


def run_of(left: list[float], right: list[float]) -> dict[str, Results]:
    return {"run": rewards({"P-P": dict(enumerate(left)), "N-N": dict(enumerate(right))})}


def with_interval(low: float, high: float) -> list[float]:
    """Two values whose mean has this interval."""
    half = (high - low) / 2 / stats.t.ppf(0.975, 1)
    return [(low + high) / 2 - half, (low + high) / 2 + half]


def test_the_estimate_is_the_mean_paired_difference_with_the_interval_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    left, right = rng.normal(1, 1, 12), rng.normal(0, 1, 12)
    result = judge(claim(), run_of(left.tolist(), right.tolist()))
    interval = stats.ttest_rel(left, right).confidence_interval(0.95)
    assert result.estimate == pytest.approx((left - right).mean())
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high))
    assert (result.left, result.right, result.n) == (
        pytest.approx(left.mean()),
        pytest.approx(right.mean()),
        12,
    )


def test_replications_are_paired_by_number_and_unpaired_ones_are_left_out() -> None:
    runs = {"run": rewards({"P-P": {7: 1.0, 3: 5.0, 1: 100.0}, "N-N": {3: 4.0, 5: -100.0, 7: 0.5}})}
    result = judge(claim(), runs)
    assert result.differences == {3: 1.0, 7: 0.5}
    assert (result.n, result.estimate, result.left, result.right) == (2, 0.75, 3.0, 2.25)


@pytest.mark.parametrize(
    ("relation", "low", "high", "verdict"),
    [
        ("above", 0.1, 0.3, SUPPORTED),
        ("above", -0.1, 0.3, UNDECIDED),
        ("above", -0.3, -0.1, UNSUPPORTED),
        ("below", -0.3, -0.1, SUPPORTED),
        ("below", -0.3, 0.1, UNDECIDED),
        ("below", 0.1, 0.3, UNSUPPORTED),
        ("close", -0.4, 0.4, SUPPORTED),
        ("close", 0.1, 0.4, SUPPORTED),
        ("close", -0.6, 0.4, UNDECIDED),
        ("close", -0.6, 0.6, UNDECIDED),
        ("close", 0.6, 0.8, UNSUPPORTED),
        ("close", -0.8, -0.6, UNSUPPORTED),
    ],
)
def test_the_interval_decides_the_verdict(relation: str, low: float, high: float, verdict: str) -> None:
    left = with_interval(low, high)
    result = judge(claim(relation, Margin(0.5) if relation == "close" else None), run_of(left, [0.0, 0.0]))
    assert (result.low, result.high) == pytest.approx((low, high))
    assert result.verdict == verdict


def test_an_interval_that_touches_zero_is_undecided_and_one_that_touches_the_margin_is_within_it() -> None:
    same = run_of([0.5, 0.5], [0.5, 0.5])
    assert judge(claim("above"), same).verdict == UNDECIDED
    assert judge(claim("below"), same).verdict == UNDECIDED
    apart = run_of([1.0, 1.0], [0.5, 0.5])
    assert judge(claim("close", Margin(0.5)), apart).verdict == SUPPORTED
    assert judge(claim("close", Margin(0.49)), apart).verdict == UNSUPPORTED


def test_a_margin_can_be_a_share_of_the_right_sides_mean() -> None:
    runs = run_of([10.4, 10.6], [9.0, 11.0])
    result = judge(claim("close", Margin(0.1, share=True), measure=CUMULATIVE_REWARD), runs)
    assert result.margin == pytest.approx(1.0)
    assert Margin(0.1, share=True).around(-20.0) == 2.0
    assert Margin(0.03).around(20.0) == 0.03


def test_the_right_side_can_be_a_number() -> None:
    result = judge(claim("close", Margin(0.01), right=0.06), run_of([0.058, 0.058], []))
    assert (result.verdict, result.right) == (SUPPORTED, 0.06)
    assert result.estimate == pytest.approx(-0.002)


@pytest.mark.parametrize(("observed", "verdict"), [(0.5, SUPPORTED), (0.9, SUPPORTED), (3.0, UNSUPPORTED)])
def test_a_number_is_typical_if_one_more_replication_could_give_it(observed: float, verdict: str) -> None:
    values = np.random.default_rng(3).normal(0.5, 0.4, 20)
    result = judge(claim("typical", right=observed), run_of(values.tolist(), []))
    half = stats.t.ppf(0.975, 19) * values.std(ddof=1) * math.sqrt(1 + 1 / 20)
    assert (result.low, result.high) == pytest.approx(
        (values.mean() - half - observed, values.mean() + half - observed)
    )
    assert result.verdict == verdict


def test_one_in_twenty_numbers_from_the_same_population_is_not_typical() -> None:
    rng = np.random.default_rng(4)
    verdicts = [
        judge(claim("typical", right=float(rng.normal())), run_of(rng.normal(size=8).tolist(), [])).verdict
        for _ in range(2000)
    ]
    assert stats.binomtest(verdicts.count(UNSUPPORTED), len(verdicts), 0.05).pvalue > 0.001


def test_only_a_number_can_be_typical() -> None:
    with pytest.raises(ValueError, match="about a number"):
        claim("typical")


def test_gains_are_compared_replication_by_replication() -> None:
    here = rewards({"P-N": {0: 3.0, 1: 6.0, 2: 4.0}, "N-N": {0: 2.0, 1: 4.0, 2: 3.0}})
    there = rewards({"P-N": {0: 7.0, 1: 9.0, 2: 8.0}, "N-N": {0: 4.0, 1: 5.0}})
    smaller = claim("below", left=gain("here", "P-N", over="N-N"), right=gain("there", "P-N", over="N-N"))
    result = judge(smaller, {"here": here, "there": there})
    assert result.differences == {0: 1.0 - 3.0, 1: 2.0 - 4.0}
    assert (result.left, result.right, result.estimate, result.verdict) == (1.5, 3.5, -2.0, SUPPORTED)


def test_rewards_add_up_and_questions_count_from_one() -> None:
    runs = {"run": constant({"P-P": [0.5, 0.6], "N-N": [0.1, 0.1]}, questions=4)}
    result = judge(claim(measure=CUMULATIVE_REWARD, step=3), runs)
    assert result.left == pytest.approx(3 * 0.55)
    assert judge(claim(measure=CONCORDANCE, step=3), runs).left == pytest.approx(0.55)


@pytest.mark.parametrize(
    "runs",
    [
        {},
        {"another": rewards({"P-P": {0: 1.0}, "N-N": {0: 0.0}})},
        {"run": rewards({"P-P": {0: 1.0, 1: 2.0}})},
        {"run": rewards({"P-P": {0: 1.0, 1: 2.0}, "N-N": {}})},
        {"run": rewards({"P-P": {0: 1.0, 1: 2.0}, "N-N": {2: 1.0, 3: 1.0}})},
    ],
)
def test_a_claim_is_undecided_without_replications_of_both_sides(runs: dict[str, Results]) -> None:
    result = judge(claim(), runs)
    assert (result.verdict, result.n) == (UNDECIDED, 0)
    assert all(map(math.isnan, (result.estimate, result.low, result.high)))


def test_a_claim_about_a_step_that_does_not_exist_is_undecided() -> None:
    assert judge(claim(step=2), run_of([1.0, 1.0], [0.0, 0.0])).n == 0
    assert judge(claim(step=0), run_of([1.0, 1.0], [0.0, 0.0])).n == 0


@pytest.mark.parametrize("relation", claims.RELATIONS)
def test_a_claim_is_undecided_with_one_replication(relation: str) -> None:
    right = 0.5 if relation == "typical" else RIGHT
    margin = Margin(9.0) if relation == "close" else None
    result = judge(claim(relation, margin, right=right), run_of([1.0], [0.5]))
    assert (result.verdict, result.n, result.estimate) == (UNDECIDED, 1, 0.5)
    assert math.isnan(result.low)
    assert math.isnan(result.high)


def test_claims_that_make_no_sense_are_refused() -> None:
    for wrong in (
        {"relation": "beside"},
        {"relation": "close"},
        {"margin": Margin(1.0)},
    ):
        with pytest.raises(ValueError, match=r"margin|no such"):
            claim(**wrong)  # type: ignore[arg-type]


def verdict(word: str, *differences: float) -> Verdict:
    nothing = math.nan
    return Verdict(
        claim(), nothing, nothing, nothing, nothing, nothing, nothing, word, dict(enumerate(differences))
    )


def test_two_fits_together_say_whether_a_claim_depends_on_the_optimiser() -> None:
    yes, no, undecided = (
        verdict(SUPPORTED, 1.0, 1.1),
        verdict(UNSUPPORTED, -1.0, -1.1),
        verdict(UNDECIDED, 0.0, 0.1),
    )
    similar = verdict(UNDECIDED, 5.0, -5.0)
    assert across_fits(yes, yes) == BOTH_FITS
    assert across_fits(no, no) == NEITHER_FIT
    assert across_fits(yes, no) == across_fits(no, yes) == OPTIMISER
    assert across_fits(yes, undecided) == across_fits(undecided, yes) == OPTIMISER
    assert across_fits(yes, similar) == across_fits(yes, verdict(UNDECIDED)) == UNDECIDED
    assert across_fits(undecided, undecided) == across_fits(no, undecided) == UNDECIDED


def test_the_table_fits_a_terminal_of_80_columns_and_repeats_no_claim() -> None:
    long = "A claim as long as a claim of the paper can be, [bold]with brackets[/bold] that aren't markup"
    runs = run_of([-0.123456, -1.3], [0.987654, 10.0])
    verdicts = [
        judge(claim(text=long, measure=measure), runs) for measure in (CUMULATIVE_REWARD, CONCORDANCE)
    ]
    to = io.StringIO()
    Console(file=to, width=80).print(claims.table([*verdicts, judge(claim(text="nothing"), {})]))
    printed = to.getvalue()
    assert max(map(len, printed.splitlines())) <= 80
    assert "".join(printed.split()).count("[bold]") == 1  # once for both measures
    for text in ("cumulative reward", "concordance", "undecided", verdicts[1].interval, "nothing"):
        assert text in printed
