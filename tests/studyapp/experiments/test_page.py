"""The page and the numbers of figures: every claim with its verdict by fit, escaped, and valid JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from markupsafe import escape
from small_experiments import constant, small_runs, small_section, verdicts

from studyapp.experiments import numbers
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.page import page
from studyapp.experiments.section import Section
from studyapp.experiments.store import Results

HOSTILE = "<script>alert('x')</script>&\"{{ 7 * 7 }}"


def tags(html: str) -> list[str]:
    """All tags, every one of which must be closed."""
    inside: list[str] = []
    seen: list[str] = []
    for end, tag in re.findall(r"<(/?)([a-z][a-z0-9]*)[^>]*>", html):
        if end:
            assert inside.pop() == tag
        else:
            seen.append(tag)
            inside += [tag] if tag not in ("meta", "br", "img") else []
    assert not inside
    return seen


def of_main(rewards: dict[str, dict[str, list[float]]]) -> Section:
    """Figure 3 without a picture, from the rewards of its pairs by fit."""
    runs = {fit: {"word": constant(series, fit=fit)} for fit, series in rewards.items()}
    return Section(FIGURES["main"], runs, {})


def test_the_page_has_every_figure_and_claim_of_the_catalogue_and_is_always_the_same() -> None:
    html, again = (page([small_section(name) for name in FIGURES.names]) for _ in range(2))
    assert html == again
    seen = tags(html)
    assert seen.count("img") == len(FIGURES)
    assert "script" not in seen
    for entry in FIGURES:
        assert f'id="{entry.name}"' in html
        assert f'href="numbers/{entry.name}.csv"' in html
        assert f'href="numbers/{entry.name}.json"' in html
        for claim in entry.claims:
            assert str(escape(claim.text.partition(" (")[0])) in html
    assert "across fits" not in html
    assert not re.search(r"\bnan\b", html)
    assert 'src="data:image/svg+xml;base64,' in html
    assert not re.search(r"(src|href)=\"(https?:|//)", html)


def test_both_fits_are_shown_side_by_side() -> None:
    html = page([small_section("multi-step", ("published", "converged")), small_section("active-wine")])
    assert tags(html).count("img") == 3
    heads = [html.index(f"{what} fits</th>") for what in ("converged", "published", "across")]
    assert heads == sorted(heads)
    assert 'colspan="2"' in html  # one verdict, where the fit makes no difference


def test_the_table_across_fits_lists_the_figures_of_each_claim() -> None:
    """N-P earns less than N-N with published fits only; P-N earns more with both."""
    close = {"P-N": [0.5, 0.6], "P-P": [0.7, 0.8], "N-N": [0.2, 0.3], "N-M": [0.2, 0.3], "P-M": [0.7, 0.8]}
    both = {"converged": close | {"N-P": [0.3, 0.4]}, "published": close | {"N-P": [0.1, 0.2]}}
    html = page([of_main(both)])
    table = html[html.index('id="fits"') : html.index('id="claims"')]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    cells = [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]
    assert [row[1] for row in cells] == ["cumulative reward", "concordance"] * 5
    assert cells[0][2:] == ["Figure 3", "", "", ""]  # P-N above N-N holds under both
    assert cells[4][2:] == ["", "Figure 3", "", ""]  # N-P below N-N depends on the optimiser
    assert 'id="fits"' not in page([of_main({"converged": both["converged"]})])


def test_whatever_a_file_of_results_or_a_claim_holds_is_escaped() -> None:
    section = small_section("main")
    results = section.runs_by_fit["converged"]["word"]
    hostile = Results(
        results.design | {"dataset": {"name": HOSTILE, "rows": 3}, HOSTILE: HOSTILE},
        {HOSTILE: HOSTILE},
        results.records | {HOSTILE: {}},
    )
    html = page([replace(section, runs_by_fit={"converged": {"word": hostile, HOSTILE: hostile}})])
    assert "script" not in tags(html)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "49" not in html.partition("<details>")[2].partition("</details>")[0]
    claims = (replace(section.entry.claims[0], text=f"{HOSTILE} (P-N above N-N)"),)
    html = page([replace(section, entry=replace(section.entry, claims=claims))])
    assert "script" not in tags(html)
    assert '<span class="nowrap">P-N</span> above <span class="nowrap">N-N</span>' in html


def test_notes_warn_of_few_replications_and_of_failed_fits() -> None:
    few = of_main({"converged": {"P-N": [0.5, 0.6], "N-N": [0.1, 0.2]}})
    assert "Fewer replications than in a full run" in page([few])
    full = of_main({"converged": {"P-N": [0.5] * 100}})
    assert 'class="note"' not in page([full])
    full.runs_by_fit["converged"]["word"].records["P-N"][3]["converged"] = False
    assert "In 1 of 100 replications" in page([full])


def test_verdicts_are_counted_by_fit_and_claims_without_results_are_undecided() -> None:
    series = {"P-N": [0.5, 0.51], "N-N": [0.1, 0.1], "N-M": [0.1, 0.1]}
    html = page([of_main({"converged": series, "published": series})])
    for fit in ("converged", "published"):
        assert f"with {fit} fits: 4 supported, 0 not supported, 6 undecided" in html
    for empty in (of_main({"converged": {}}), Section(FIGURES["main"], {"converged": {}}, {})):
        html = page([empty])
        tags(html)
        assert "0 supported, 0 not supported, 10 undecided" in html


# Numbers


def test_every_figures_numbers_are_valid_json_and_tidy_rows_with_the_same_values() -> None:
    first = {"accuracy": 0}
    for name in FIGURES.names:
        for replications in (1, 3):
            runs = small_runs(name, replications=replications)
            content = numbers.as_json(FIGURES[name], runs, verdicts(name, runs))
            assert json.loads(json.dumps(content, allow_nan=False))["figure"] == name
            assert len(content["claims"]) == len(FIGURES[name].claims)
            head, *rows = numbers.as_rows(runs)
            assert head == ["run", "series", "measure", "step", "mean", "low", "high", "replications"]
            assert len({tuple(row[:4]) for row in rows}) == len(rows)
            assert {row[0] for row in rows} == set(content["curves"])
            for run, series, measure, step, mean, low, high, count in rows:
                curve = content["curves"][run][series][measure]
                i = step - first.get(measure, 1)
                assert curve["n"] == count == replications
                assert (None in curve["ci95"]) is (replications == 1)
                assert mean == curve["mean"][i] is not None
                assert (low, high) == tuple(
                    curve[end][i] if replications > 1 else "" for end in ("low", "high")
                )
            file = io.StringIO()
            csv.writer(file).writerows(rows)
            assert "nan" not in file.getvalue()


def test_a_verdict_is_written_with_both_sides() -> None:
    runs = {"word": constant({"P-N": [0.4, 0.6], "N-N": [0.1, 0.1]})}
    first, *_, last = numbers.as_json(FIGURES["main"], runs, verdicts("main", runs))["claims"]
    assert first["left"] == [{"run": "word", "series": "P-N", "weight": 1.0}]
    assert (first["measure"], first["step"], first["n"]) == ("cumulative_reward", 30, 2)
    assert (first["left_mean"], first["right_mean"]) == pytest.approx((15.0, 3.0))
    assert first["estimate"] == pytest.approx(12.0)
    assert last["estimate"] is last["low"] is last["margin"] is None
    assert (last["verdict"], last["n"]) == ("undecided", 0)
