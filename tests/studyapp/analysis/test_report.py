"""The page: its first screen, the flow of participants, its sections, and what it says about the data."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from made_up import a_session, others_like, quick_analysis, results_of, sessions_of_every_kind

from studyapp.analysis import figures
from studyapp.analysis.explanations import EXPLAINED
from studyapp.analysis.extract import Extract
from studyapp.analysis.gather import gather
from studyapp.analysis.notes import Flow, flow_of
from studyapp.analysis.quality import data_quality
from studyapp.analysis.report import page
from studyapp.analysis.results import Results, analyse
from studyapp.reporting.plots import SVG, rendered
from studyapp.reporting.wording import UNKNOWN

IMAGE = b'<svg width="100pt"></svg>'


class Page(HTMLParser):
    """The texts of a page; every tag must be closed."""

    EMPTY = frozenset({"meta", "br", "img"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def shown(results: Results) -> str:
    """The page of some results, with an empty image for every figure."""
    return page(results, {figure.name: IMAGE for figure in figures.FIGURES if figure.has_data(results)})


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Extract:
    return a_session(tmp_path_factory.mktemp("one"))


# The first screen


def test_the_first_screen_has_the_study_then_the_result_then_the_flow_then_one_figure(
    session: Extract,
) -> None:
    header = shown(results_of(others_like(session, 4))).partition("</header>")[0]
    order = ["<h1>", 'class="sub"', 'class="note"', 'class="lead"', 'class="flow"', 'id="figure-main"']
    places = [header.index(part) for part in order]
    assert places == sorted(places)
    assert header.count("<figure") == 1
    assert header.count('class="lead"') == 2
    text = Page(header.replace("<html", "<p").partition("<body>")[2] + "</header>").text
    assert "4 simulated participants · 2 models: both and plain" in text


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([("2026-03-02", "2026-03-02")], "2 March 2026"),
        ([("2026-03-02", "2026-03-02"), ("2026-03-07", "2026-03-09")], "2 to 9 March 2026"),
        ([("2026-03-02", "2026-04-09")], "2 March to 9 April 2026"),
        ([("2025-12-30", "2026-01-02")], "30 December 2025 to 2 January 2026"),
        ([("2026-03-02", "2026-03-02"), (None, None)], "2 March 2026"),
    ],
)
def test_the_page_says_when_sessions_ran(
    session: Extract, days: list[tuple[str | None, str | None]], said: str
) -> None:
    sessions = [
        replace(own, conduct=replace(own.conduct, began=began, ended=ended))
        for own, (began, ended) in zip(others_like(session, len(days)), days, strict=True)
    ]
    assert f" a round · {said}</p>" in shown(results_of(sessions))


def test_of_imported_sessions_no_dates_are_said(session: Extract) -> None:
    unknown = replace(session.conduct, began=None, ended=None)
    html = shown(results_of([replace(own, conduct=unknown) for own in others_like(session, 2)]))
    assert re.search(r" a round</p>", html)


# The flow of participants


def test_everyone_is_in_the_flow_with_a_reason_if_not_analysed(tmp_path: Path) -> None:
    logs = sessions_of_every_kind(tmp_path)
    with quick_analysis():
        people = flow_of(gather(logs).logs)
        more = flow_of(gather(logs, include=["incomplete", "simulated"], exclude=["sim2"]).logs)
    assert people == Flow(
        unreadable=3,
        started=8,
        unfinished={"did not reach the end": 2, "withdrew, answers deleted": 1, "withdrew": 1},
        finished=4,
        excluded={"simulated": 2, "pilot": 1},
        analysed=1,
        analysed_unfinished=0,
    )
    assert more.excluded == {"on request (--exclude)": 1, "pilot": 1}
    for flow in (people, more):
        assert flow.started == flow.finished + sum(flow.unfinished.values())
        assert flow.finished == sum(flow.excluded.values()) + flow.analysed - flow.analysed_unfinished
    assert more.analysed_unfinished == 1


def test_the_page_shows_the_flow(tmp_path: Path) -> None:
    with quick_analysis():
        html = shown(analyse(gather(sessions_of_every_kind(tmp_path))))
    text = Page(html).text
    assert "8 started (3 more logs can't be read)" in text
    assert "4 did not finish: 2 did not reach the end, " in text
    assert "3 excluded: 2 simulated, 1 pilot" in text
    assert "1 analysed" in text


# Sections


def test_sections_come_in_the_order_of_a_results_section(session: Extract) -> None:
    html = shown(results_of(others_like(session, 3)))
    Page(html)
    sections = re.findall(r'<h2 id="([^"]*)">', html)
    assert sections == [
        "finding",
        "reward",
        "samples",
        "answers",
        "order",
        "questionnaires",
        "methods",
        "quality",
        "tests",
        "sessions",
    ]
    linked = re.findall(r'<a href="#([^"]*)">', html)
    assert set(sections) <= set(linked)
    assert all(f'id="{name}"' in html for name in linked)


@pytest.mark.parametrize("participants", [1, 2, 8])
def test_the_page_is_whole_for_any_number_of_participants(session: Extract, participants: int) -> None:
    text = Page(shown(results_of(others_like(session, participants)))).text
    assert "nan" not in re.findall(r"\w+", text)
    assert "None" not in text
    assert not re.search(rf"[=<]\s{UNKNOWN}", text)  # nothing is said to be what is not known


def test_every_statistic_is_explained_in_the_methods(session: Extract) -> None:
    text = Page(shown(results_of(others_like(session, 3)))).text
    for sentence in EXPLAINED.values():
        assert sentence in text


def test_every_figure_has_a_text_for_those_who_cannot_see_it(session: Extract) -> None:
    alts = re.findall(r'<img [^>]*alt="([^"]*)"', shown(results_of(others_like(session, 3))))
    assert alts
    assert all(len(alt) > 40 for alt in alts)


def test_figures_are_shown_with_letters_of_the_same_size(session: Extract) -> None:
    results = results_of(others_like(session, 3))
    images = {name: rendered(figure, SVG)["svg"] for name, figure in figures.draw(results).items()}
    html = page(results, images)
    for name, image in images.items():
        points = re.search(rb'width="([0-9.]+)pt"', image)
        shown_at = re.search(rf'id="figure-{name}">\n<img [^>]*width: ([0-9]+)px', html)
        assert points
        assert shown_at
        assert float(shown_at[1]) == pytest.approx(1.6 * float(points[1]), abs=1)


# Data quality


def test_the_page_says_what_happened_in_the_sessions(session: Extract) -> None:
    one, other = others_like(session, 2)
    happened = replace(
        one.conduct, resumed=2, repaired=1, answers=100, changed=3, stray_keys=1, fits=50, unconverged=5
    )
    quiet = replace(
        one.conduct, resumed=0, repaired=0, answers=100, changed=0, stray_keys=0, fits=50, unconverged=0
    )
    one = replace(one, conduct=happened, late=np.array([2, 0]))
    other = replace(other, conduct=quiet, late=np.array([0, 0]))
    results = results_of([one, other])
    said = dict(data_quality(results.sample, results.times))
    assert said["Late questions"] == "2 of 200 (1 %) were not ready when the pause ended"
    assert said["Changed answers"] == "3 of 200 (1.5 %) were changed before Enter"
    assert said["Stray keys"] == "1 key had no meaning, or came too soon"
    assert said["Fits"] == "5 of 100 (5 %) did not converge"
    assert said["Resumed sessions"] == "1 of 2 (50 %) were left and continued later, 2 times in all"
    assert said["Damaged logs"] == "1 time, a log was repaired or had a torn end"
    assert said["Rounds left out"].startswith("0 of ")


def test_the_conduct_of_a_session_is_read_from_its_log(session: Extract) -> None:
    conduct = session.conduct
    assert conduct.answers == (session.asked >= 0).sum()
    assert conduct.fits == conduct.answers
    assert (conduct.resumed, conduct.repaired, conduct.unconverged) == (0, 0, 0)
    assert conduct.began == conduct.ended
