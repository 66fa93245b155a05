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
    SUPPORTED,
    UNDECIDED,
    UNSUPPORTED,
    Claim,
    Margin,
    Side,
    Term,
    Verdict,
    across_fits,
    judge,
)
from studyapp.experiments.designs.bandits import CONCORDANCE, CUMULATIVE_REWARD
from studyapp.experiments.store import Results

LEFT, RIGHT = (Term("run", "P-P"),), (Term("run", "N-N"),)


def claim(relation: str = "above", margin: Margin | None = None, **other: object) -> Claim:
    fields = {"text": "P-P wins", "left": LEFT, "right": RIGHT, "measure": CONCORDANCE, "step": 1} | other
    return Claim(relation=relation, margin=margin, **fields)  # type: ignore[arg-type]


def run_of(left: list[float], right: list[float]) -> dict[str, Results]:
    return {"run": rewards({"P-P": dict(enumerate(left)), "N-N": dict(enumerate(right))})}


def with_interval(low: float, high: float) -> list[float]:
    """Two values whose mean has this interval."""
    half = (high - low) / 2 / stats.t.ppf(0.975, 1)
    return [(low + high) / 2 - half, (low + high) / 2 + half]


def test_the_estimate_is_the_mean_difference_by_replication_with_the_interval_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    left, right = rng.normal(1, 1, 12), rng.normal(0, 1, 12)
    result = judge(claim(), run_of(left.tolist(), right.tolist()))
    interval = stats.ttest_rel(left, right).confidence_interval(0.95)
    assert result.estimate == pytest.approx((left - right).mean())
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high))
    assert (result.left, result.right) == pytest.approx((left.mean(), right.mean()))
    assert result.n == 12
    # Unpaired replications are left out.
    runs = {"run": rewards({"P-P": {7: 1.0, 3: 5.0, 1: 100.0}, "N-N": {3: 4.0, 5: -100.0, 7: 0.5}})}
    result = judge(claim(), runs)
    assert result.differences == {3: 1.0, 7: 0.5}
    assert (result.n, result.estimate, result.left, result.right) == (2, 0.75, 3.0, 2.25)


def test_the_interval_decides_the_verdict() -> None:
    for relation, low, high, expected in (
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
    ):
        margin = Margin(0.5) if relation == "close" else None
        result = judge(claim(relation, margin), run_of(with_interval(low, high), [0.0, 0.0]))
        assert (result.low, result.high) == pytest.approx((low, high))
        assert result.verdict == expected, (relation, low, high)
    # An interval that touches zero is undecided; one that touches the margin is within it.
    same, apart = run_of([0.5, 0.5], [0.5, 0.5]), run_of([1.0, 1.0], [0.5, 0.5])
    assert judge(claim("above"), same).verdict == judge(claim("below"), same).verdict == UNDECIDED
    assert judge(claim("close", Margin(0.5)), apart).verdict == SUPPORTED
    assert judge(claim("close", Margin(0.49)), apart).verdict == UNSUPPORTED


def test_a_margin_can_be_a_share_of_the_right_sides_mean_and_the_right_side_a_number() -> None:
    share = Margin(0.1, share=True)
    result = judge(claim("close", share, measure=CUMULATIVE_REWARD), run_of([10.4, 10.6], [9.0, 11.0]))
    assert result.margin == pytest.approx(1.0)
    assert (share.around(-20.0), Margin(0.03).around(20.0)) == (2.0, 0.03)
    result = judge(claim("close", Margin(0.01), right=0.06), run_of([0.058, 0.058], []))
    assert (result.verdict, result.right) == (SUPPORTED, 0.06)
    assert result.estimate == pytest.approx(-0.002)


def test_a_number_is_typical_if_one_more_replication_could_give_it() -> None:
    values = np.random.default_rng(3).normal(0.5, 0.4, 20)
    half = stats.t.ppf(0.975, 19) * values.std(ddof=1) * math.sqrt(1 + 1 / 20)
    for observed, expected in ((0.5, SUPPORTED), (0.9, SUPPORTED), (3.0, UNSUPPORTED)):
        result = judge(claim("typical", right=observed), run_of(values.tolist(), []))
        low, high = values.mean() - half - observed, values.mean() + half - observed
        assert (result.low, result.high) == pytest.approx((low, high))
        assert result.verdict == expected


def test_gains_are_compared_replication_by_replication() -> None:
    def gain(run: str) -> Side:
        return (Term(run, "P-N"), Term(run, "N-N", -1.0))

    here = rewards({"P-N": {0: 3.0, 1: 6.0, 2: 4.0}, "N-N": {0: 2.0, 1: 4.0, 2: 3.0}})
    there = rewards({"P-N": {0: 7.0, 1: 9.0, 2: 8.0}, "N-N": {0: 4.0, 1: 5.0}})
    smaller = claim("below", left=gain("here"), right=gain("there"))
    result = judge(smaller, {"here": here, "there": there})
    assert result.differences == {0: 1.0 - 3.0, 1: 2.0 - 4.0}
    assert (result.left, result.right, result.estimate, result.verdict) == (1.5, 3.5, -2.0, SUPPORTED)


def test_rewards_add_up_and_questions_count_from_one() -> None:
    runs = {"run": constant({"P-P": [0.5, 0.6], "N-N": [0.1, 0.1]}, questions=4)}
    assert judge(claim(measure=CUMULATIVE_REWARD, step=3), runs).left == pytest.approx(3 * 0.55)
    assert judge(claim(measure=CONCORDANCE, step=3), runs).left == pytest.approx(0.55)
    assert judge(claim(step=5), runs).n == judge(claim(step=0), runs).n == 0


def test_a_claim_is_undecided_without_two_replications_of_both_sides() -> None:
    for runs in (
        {},
        {"another": rewards({"P-P": {0: 1.0}, "N-N": {0: 0.0}})},
        {"run": rewards({"P-P": {0: 1.0, 1: 2.0}})},
        {"run": rewards({"P-P": {0: 1.0, 1: 2.0}, "N-N": {}})},
        {"run": rewards({"P-P": {0: 1.0, 1: 2.0}, "N-N": {2: 1.0, 3: 1.0}})},
    ):
        result = judge(claim(), runs)
        assert (result.verdict, result.n) == (UNDECIDED, 0)
        assert all(map(math.isnan, (result.estimate, result.low, result.high)))
    for relation in claims.RELATIONS:
        margin = Margin(9.0) if relation == "close" else None
        right = 0.5 if relation == "typical" else RIGHT
        result = judge(claim(relation, margin, right=right), run_of([1.0], [0.5]))
        assert (result.verdict, result.n, result.estimate) == (UNDECIDED, 1, 0.5)
        assert math.isnan(result.low)
        assert math.isnan(result.high)


def test_claims_that_make_no_sense_are_refused() -> None:
    for wrong in (
        {"relation": "beside"},
        {"relation": "close"},
        {"margin": Margin(1.0)},
        {"relation": "typical"},
    ):
        with pytest.raises(ValueError, match=r"margin|no such|about a number"):
            claim(**wrong)  # type: ignore[arg-type]


def test_two_fits_together_say_whether_a_claim_depends_on_the_optimiser() -> None:
    def verdict(word: str, *differences: float) -> Verdict:
        return Verdict(claim(), *[math.nan] * 6, word, dict(enumerate(differences)))

    yes, no = verdict(SUPPORTED, 1.0, 1.1), verdict(UNSUPPORTED, -1.0, -1.1)
    undecided, similar = verdict(UNDECIDED, 0.0, 0.1), verdict(UNDECIDED, 5.0, -5.0)
    assert across_fits(yes, yes) == claims.BOTH_FITS
    assert across_fits(no, no) == claims.NEITHER_FIT
    assert across_fits(yes, no) == across_fits(no, yes) == claims.OPTIMISER
    assert across_fits(yes, undecided) == across_fits(undecided, yes) == claims.OPTIMISER
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
