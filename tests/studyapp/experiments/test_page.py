"""The page shows every claim with its verdict by fit, and escapes whatever a results file holds."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markupsafe import escape
from small_experiments import constant, small_section

from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.page import page
from studyapp.experiments.section import Section
from studyapp.experiments.store import Results

HOSTILE = "<script>alert('x')</script>&\"{{ 7 * 7 }}"


class Tags(HTMLParser):
    """Checks that every tag is closed, and lists them."""

    EMPTY = frozenset({"meta", "br", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.seen.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(html: str) -> list[str]:
    parser = Tags()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return parser.seen


def of_main(rewards: dict[str, dict[str, list[float]]]) -> Section:
    """Figure 3 without a picture, from the rewards of its pairs by fit."""
    runs = {fit: {"word": constant(series, fit=fit)} for fit, series in rewards.items()}
    return Section(FIGURES["main"], runs, {})


def test_the_page_has_every_figure_and_claim_of_the_catalogue() -> None:
    html = page([small_section(name) for name in FIGURES.names])
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


def test_the_same_results_make_the_same_page() -> None:
    one, other = (page([small_section(name) for name in ("main", "active-example")]) for _ in range(2))
    assert one == other


def test_both_fits_are_shown_side_by_side() -> None:
    sections = [small_section("multi-step", ("published", "converged")), small_section("active-wine")]
    html = page(sections)
    assert tags(html).count("img") == 3
    assert (
        html.index("converged fits</th>") < html.index("published fits</th>") < html.index("across fits</th>")
    )
    assert 'colspan="2"' in html  # one verdict, where the fit makes no difference


@pytest.mark.parametrize(
    ("published", "outcome"),
    [
        ([0.50, 0.52], "holds under both fits"),
        ([0.05, 0.06], "depends on the optimiser"),  # not supported
        ([0.10, 0.11], "depends on the optimiser"),  # undecided, with a smaller estimate
        ([0.10, 0.90], "undecided"),
    ],
)
def test_the_page_says_whether_a_claim_depends_on_the_optimiser(published: list[float], outcome: str) -> None:
    both = {
        "converged": {"P-N": [0.5, 0.51], "N-N": [0.1, 0.1]},
        "published": {"P-N": published, "N-N": [0.1, 0.1]},
    }
    assert of_main(both).rows[0].across_fits == outcome
    assert f"<td>{outcome}</td>" in page([of_main(both)])
    assert of_main({"converged": both["converged"]}).rows[0].across_fits == ""


def test_whatever_a_results_file_holds_is_escaped() -> None:
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


def test_claims_are_escaped_and_pairs_are_not_broken_across_lines() -> None:
    section = of_main({"converged": {}})
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


def test_claims_without_results_are_undecided() -> None:
    for empty in (of_main({"converged": {}}), Section(FIGURES["main"], {"converged": {}}, {})):
        html = page([empty])
        tags(html)
        assert "10 undecided" in html
    assert "0 supported, 0 not supported" in html


def test_claims_are_counted_by_fit() -> None:
    both = {
        fit: {"P-N": [0.5, 0.51], "N-N": [0.1, 0.1], "N-M": [0.1, 0.1]} for fit in ("converged", "published")
    }
    html = page([of_main(both)])
    sentence = "with {} fits: 4 supported, 0 not supported, 6 undecided"
    assert sentence.format("converged") in html
    assert sentence.format("published") in html


def test_the_table_across_fits_lists_the_figures_of_each_claim() -> None:
    """N-P earns less than N-N with published fits only; P-N earns more with both."""
    close = {"P-N": [0.5, 0.6], "P-P": [0.7, 0.8], "N-N": [0.2, 0.3], "N-M": [0.2, 0.3], "P-M": [0.7, 0.8]}
    runs = {
        "converged": {"word": constant(close | {"N-P": [0.3, 0.4]})},
        "published": {"word": constant(close | {"N-P": [0.1, 0.2]}, fit="published")},
    }
    html = page([Section(FIGURES["main"], runs, {})])
    table = html[html.index('id="fits"') : html.index('id="claims"')]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    cells = [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]
    assert [row[1] for row in cells] == ["cumulative reward", "concordance"] * 5
    assert cells[0][2:] == ["Figure 3", "", "", ""]  # P-N above N-N holds under both
    assert cells[4][2:] == ["", "Figure 3", "", ""]  # N-P below N-N depends on the optimiser
    assert 'id="fits"' not in page([Section(FIGURES["main"], {"converged": runs["converged"]}, {})])
