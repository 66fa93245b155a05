"""The page: every claim with its verdict, by fit, and nothing of a results file that is not escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape
from small_experiments import rising, small_runs

from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.page import Section, page
from studyapp.experiments.results import Results

HOSTILE = "<script>alert('x')</script>&\"{{ 7 * 7 }}"


class Tags(HTMLParser):
    """Checks that what is opened is closed, and counts."""

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


def section(name: str, folder: Path, fits: tuple[str, ...] = ("converged",)) -> Section:
    """A figure with small results; what is drawn is tested elsewhere."""
    entry = FIGURES[name]
    pictures = {fit: folder / (f"{name}.{fit}.svg" if entry.by_fit else f"{name}.svg") for fit in fits}
    for path in pictures.values():
        path.write_bytes(b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    return Section(entry, {fit: small_runs(name, fit) for fit in fits}, pictures)


def of_main(rewards: dict[str, dict[str, list[float]]]) -> Section:
    """Figure 3 without a picture, from the rewards of its pairs by fit."""
    runs = {fit: {"word": rising(series, fit=fit)} for fit, series in rewards.items()}
    return Section(FIGURES["main"], runs, {})


def test_every_claim_and_figure_of_the_catalogue_is_on_the_page(tmp_path: Path) -> None:
    html = page([section(name, tmp_path) for name in FIGURES])
    seen = tags(html)
    assert seen.count("img") == len(FIGURES)
    assert "script" not in seen
    for name, entry in FIGURES.items():
        assert f'id="{name}"' in html
        stem = f"{name}.converged" if entry.by_fit else name
        assert f'href="numbers/{stem}.csv"' in html
        assert f'href="numbers/{stem}.json"' in html
        for claim in entry.claims:
            assert str(escape(claim.text.partition(" (")[0])) in html
    assert "stands on" not in html
    assert not re.search(r"\bnan\b", html)
    assert 'src="data:image/svg+xml;base64,' in html
    assert not re.search(r"(src|href)=\"(https?:|//)", html)


def test_the_same_results_make_the_same_page(tmp_path: Path) -> None:
    one, other = (page([section(name, tmp_path) for name in ("main", "active-example")]) for _ in range(2))
    assert one == other


def test_both_fits_stand_side_by_side(tmp_path: Path) -> None:
    sections = [section("multi-step", tmp_path, ("published", "converged")), section("active-wine", tmp_path)]
    html = page(sections)
    assert tags(html).count("img") == 3
    assert (
        html.index("converged fits</th>") < html.index("published fits</th>") < html.index("stands on</th>")
    )
    assert 'colspan="2"' in html  # one verdict, where the fit makes no difference


@pytest.mark.parametrize(
    ("published", "told"),
    [
        ([0.50, 0.52], "the method"),
        ([0.05, 0.06], "the optimiser"),  # not supported
        ([0.10, 0.11], "the optimiser"),  # undecided, and surely less
        ([0.10, 0.90], "open"),
    ],
)
def test_what_a_claim_stands_on_is_told(published: list[float], told: str) -> None:
    both = {
        "converged": {"P-N": [0.5, 0.51], "N-N": [0.1, 0.1]},
        "published": {"P-N": published, "N-N": [0.1, 0.1]},
    }
    assert of_main(both).rows[0]["stands_on"] == told
    assert f"<td>{told}</td>" in page([of_main(both)])
    assert of_main({"converged": both["converged"]}).rows[0]["stands_on"] == ""


def test_whatever_a_results_file_carries_is_escaped(tmp_path: Path) -> None:
    found = section("main", tmp_path)
    results = found.runs_by_fit["converged"]["word"]
    hostile = Results(
        results.design | {"dataset": {"name": HOSTILE, "rows": 3}, HOSTILE: HOSTILE},
        {HOSTILE: HOSTILE},
        results.records | {HOSTILE: {}},
    )
    html = page([replace(found, runs_by_fit={"converged": {"word": hostile, HOSTILE: hostile}})])
    assert "script" not in tags(html)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "49" not in html.partition("<details>")[2].partition("</details>")[0]


def test_claims_are_escaped_and_pairs_kept_in_one_line() -> None:
    found = of_main({"converged": {}})
    claims = (replace(found.entry.claims[0], text=f"{HOSTILE} (P-N above N-N)"),)
    html = page([replace(found, entry=replace(found.entry, claims=claims))])
    assert "script" not in tags(html)
    assert '<span class="nowrap">P-N</span> above <span class="nowrap">N-N</span>' in html


def test_a_reader_is_told_of_few_replications_and_failed_fits() -> None:
    few = of_main({"converged": {"P-N": [0.5, 0.6], "N-N": [0.1, 0.2]}})
    assert "Fewer replications than in a full run" in page([few])
    assert "Fewer replications" in page([few])
    many = of_main({"converged": {"P-N": [0.5] * 100}})
    assert 'class="note"' not in page([many])
    many.runs_by_fit["converged"]["word"].records["P-N"][3]["converged"] = False
    assert "In 1 of 100 replications" in page([many])


def test_results_that_are_missing_are_undecided() -> None:
    for nothing in (of_main({"converged": {}}), Section(FIGURES["main"], {"converged": {}}, {})):
        html = page([nothing])
        tags(html)
        assert "10 undecided" in html
    assert "0 supported, 0 not supported" in html


def test_claims_are_counted_by_fit() -> None:
    both = {
        fit: {"P-N": [0.5, 0.51], "N-N": [0.1, 0.1], "N-M": [0.1, 0.1]} for fit in ("converged", "published")
    }
    html = page([of_main(both)])
    told = "with {} fits 4 supported, 0 not supported, 6 undecided"
    assert told.format("converged") in html
    assert told.format("published") in html


def test_what_each_claim_stands_on_is_told_with_its_figures() -> None:
    """N-P earns less than N-N with published fits only; P-N earns more with both."""
    close = {"P-N": [0.5, 0.6], "P-P": [0.7, 0.8], "N-N": [0.2, 0.3], "N-M": [0.2, 0.3], "P-M": [0.7, 0.8]}
    runs = {
        "converged": {"word": rising(close | {"N-P": [0.3, 0.4]})},
        "published": {"word": rising(close | {"N-P": [0.1, 0.2]}, fit="published")},
    }
    html = page([Section(FIGURES["main"], runs, {})])
    table = html[html.index('id="grounds"') : html.index('id="claims"')]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    cells = [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]
    assert [row[1] for row in cells] == ["cumulative reward", "concordance"] * 5
    assert cells[0][2:] == ["Figure 3", "", "", ""]  # P-N above N-N: the method
    assert cells[4][2:] == ["", "Figure 3", "", ""]  # N-P below N-N: the optimiser
    assert 'id="grounds"' not in page([Section(FIGURES["main"], {"converged": runs["converged"]}, {})])
