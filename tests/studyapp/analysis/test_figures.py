"""Every figure can be drawn for any study, with all of its text inside and in distinguishable colours."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from made_up import a_session, others_like, results_of, with_planners
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from studyapp.analysis import figures
from studyapp.analysis.comparisons import compared_in
from studyapp.analysis.figures.layout import spread
from studyapp.analysis.figures.power import draw_power
from studyapp.analysis.outcomes import OUTCOMES, TIME
from studyapp.analysis.power import PairPower, effect_of, power_of
from studyapp.analysis.results import Results
from studyapp.analysis.teachers import Fit
from studyapp.base.outputs import inner_folder
from studyapp.reporting.plots import DARK, FORMS, GREY, INK, LOOK, SVG, rendered

# Okabe and Ito, 2008: Color universal design
OKABE_ITO = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"}

ALL = list(figures.FIGURES.names)
ASKED = {"after_round": ["mood", "nasa-tlx"], "at_end": ["you", "sus"]}
THREE = ["naive", "mixture", "planning"]
HOSTILE = "$a$ 1 0 1\n<i>b</i> 0 1 0\nR&D 0 1 1\n--> 1 0 2\n$\\frac{1 2 1 1\nö^2_ 0 2 1\n"


def models(names: list[str]) -> dict[str, Any]:
    return {name: {"teacher": "naive", "tau": i + 1} for i, name in enumerate(names)}


# By name: the number of participants, and the settings that differ from the small study.
STUDIES: dict[str, tuple[int, dict[str, Any]]] = {
    "two models": (3, {"questions": 15, "bonus": None}),
    "three models": (3, {"models": models(THREE)}),
    "three names of the greatest length": (2, {"models": models([letter * 64 for letter in "abc"])}),
    "one participant": (1, {}),
    "one question": (3, {"questions": 1, "bonus": None}),
    "one target and no questionnaires": (3, {"targets": ["tea"], "after_round": [], "at_end": []}),
    "hostile words": (2, {"words": HOSTILE, "targets": "all", "practice": [], "bonus": None}),
    "long words": (2, {"words": "".join(f"{c * 70} {i} 1 1\n" for i, c in enumerate("abcd"))}),
    "words of other scripts": (2, {"words": "日本 1 0 1\n茶 0 1 0\n\U0001f600 0 1 1\nקפה 1 0 2\n"}),
    "a questionnaire of long names": (
        2,
        {
            "questionnaires": {"q" * 64: [{"id": "i" * 64, "kind": "scale", "ask": "?"}]},
            "after_round": ["q" * 64],
            "at_end": ["q" * 64],
        },
    ),
    "a questionnaire of long questions": (
        2,
        {
            "questionnaires": {
                "q": [{"id": "i", "kind": "scale", "ask": "Was it " + "very " * 90 + "hard?"}]
            },
            "after_round": ["q"],
            "at_end": ["q"],
        },
    ),
    "61 participants": (61, {}),
    "121 participants": (121, {"questions": 21, "bonus": None}),
}
STRAINED = {  # studies that only one figure finds difficult
    "long words": "words",
    "words of other scripts": "words",
    "a questionnaire of long names": "survey",
    "a questionnaire of long questions": "survey",
    "61 participants": "planners",
}
NOT_DRAWN = {
    "one question": {"differences"},
    "one target and no questionnaires": {
        "by-target",
        "steering",
        "rounds",
        "survey",
    },  # no question was about a similar word
}


@cache
def results(name: str) -> Results:
    """The results of one of the studies."""
    participants, changes = STUDIES[name]
    with TemporaryDirectory() as folder:
        if "words" in changes:
            session = a_session(Path(folder), **ASKED | {"targets": "all", "practice": []} | changes)
        else:
            session = a_session(Path(folder), **ASKED | changes)
    return with_planners(results_of(others_like(session, participants)))


def drawn(results: Results, name: str) -> Figure:
    """One figure alone."""
    with mpl.rc_context(LOOK):
        return figures.FIGURES[name].draw(results)


def drawn_texts(figure: Figure) -> list[Text]:
    """All texts of a figure except the labels of ticks beyond the ends of an axis, which are not drawn."""
    beyond = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axes.get_visible() or not low <= tick.get_loc() <= high:
                    beyond |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in beyond]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def check_text_is_inside(figure: Figure) -> None:
    """Every text lies within the figure, and the axes keep a visible size."""
    with mpl.rc_context(LOOK):
        figure.draw_without_rendering()
        for text in drawn_texts(figure):
            box = text.get_window_extent()
            inside = (box.x0 >= -1, box.y0 >= -1, box.x1 <= figure.bbox.x1 + 1, box.y1 <= figure.bbox.y1 + 1)
            assert all(inside), (text.get_text(), box, figure.bbox)
        for axes in figure.axes:
            if axes.get_visible() and axes.get_label() != "<colorbar>":
                assert axes.bbox.width / figure.dpi >= 0.5
                assert axes.bbox.height / figure.dpi >= 0.2  # a row of tiles


# What is drawn


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in (*STRAINED, "hostile words")])
def test_every_figure_is_drawn_with_all_of_its_text_inside(name: str) -> None:
    by_name = figures.draw(results(name))
    assert list(by_name) == [figure for figure in ALL if figure not in NOT_DRAWN.get(name, set())]
    for figure in by_name.values():
        check_text_is_inside(figure)


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize(("name", "figure"), STRAINED.items())
def test_the_figure_that_a_study_makes_difficult_has_all_of_its_text_inside(name: str, figure: str) -> None:
    check_text_is_inside(drawn(results(name), figure))


def test_figures_of_hostile_words_are_written_as_well_formed_svg_and_on_request_as_pdf(
    tmp_path: Path,
) -> None:
    by_name = figures.draw(results("hostile words"))
    for figure in by_name.values():
        check_text_is_inside(figure)
    folder = inner_folder(tmp_path, "figures")
    assert figures.write(by_name, folder) == figures.write(by_name, folder)
    assert {path.suffix for path in folder.iterdir()} == {".svg"}
    images = figures.write(by_name, folder, pdf=True)
    assert list(images) == ALL
    for name, image in images.items():
        assert ElementTree.fromstring(image).tag == "{http://www.w3.org/2000/svg}svg"
        assert (tmp_path / "figures" / f"{name}.svg").read_bytes() == image
        assert (tmp_path / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF-")
    assert len(list((tmp_path / "figures").iterdir())) == 2 * len(ALL)


@pytest.mark.parametrize(
    ("name", "figure"),
    [("121 participants", "paired"), ("words of other scripts", "words"), ("three models", "survey")],
)
def test_the_same_results_give_the_same_bytes(name: str, figure: str) -> None:
    first, second = (rendered(drawn(results(name), figure), FORMS) for _ in range(2))
    assert first == second


def test_words_are_drawn_as_they_are_and_long_ones_are_cut() -> None:
    def labels(name: str) -> list[str]:
        figure = drawn(results(name), "words")
        return [label.get_text() for label in figure.axes[0].get_yticklabels()]

    assert labels("hostile words") == ["$a$", "<i>b</i>", "R&D", "-->", "$\\frac{1", "ö^2_"]
    assert labels("long words") == [f"{letter * 19}…" for letter in "abcd"]


@pytest.mark.parametrize("name", ["steering", "planners"])
def test_up_to_40_participants_are_named_beside_their_row_and_more_are_counted(
    tmp_path: Path, name: str
) -> None:
    session = a_session(tmp_path)

    def rows(participants: int) -> tuple[list[str], str]:
        axes = drawn(with_planners(results_of(others_like(session, participants))), name).axes[0]
        return [label.get_text() for label in axes.get_yticklabels()], axes.get_ylabel()

    names, label = rows(40)
    assert (sorted(names), label) == ([f"P{number:03d}" for number in range(1, 41)], "")
    assert rows(41) == ([], "41 participants")


@pytest.mark.parametrize("name", ["steering", "planners"])
def test_long_ids_of_participants_are_cut(tmp_path: Path, name: str) -> None:
    one, other = others_like(a_session(tmp_path), 2)
    long = [replace(one, participant="a" * 64), replace(other, participant="b" * 64)]
    figure = drawn(with_planners(results_of(long)), name)
    check_text_is_inside(figure)
    shown = {text.get_text() for text in drawn_texts(figure)}
    assert {"a" * 23 + "…", "b" * 23 + "…"} <= shown


def test_the_caption_about_the_teachers_has_the_numbers_of_the_results_at_hand() -> None:
    shown = results("two models")
    fit = next(iter(shown.fits.values()))
    coin = np.log(0.5)
    alphas = (replace(fit.alpha, mean=0.123), replace(fit.alpha, mean=0.789))
    low, high = (
        replace(fit, alpha=alphas[0], planning=coin - 0.1),
        replace(fit, alpha=alphas[1], planning=-0.1),
    )

    def caption(**fits: Fit) -> str:
        return figures.FIGURES["planners"].caption(replace(shown, fits=fits))

    assert "Alpha ranges from 0.12 to 0.79 here. The answers of 1 of 2 participants are" in caption(
        a=low, b=high
    )
    assert "2 of the 3 participants were drawn at random." in caption(a=low, b=high)
    assert "Alpha is 0.79 here." in caption(b=high)
    assert "coin" not in caption(b=high)
    assert not re.search(
        r"\d", caption(b=high).partition("beta of 20.")[0].replace("95 %", "").replace("of 0", "")
    )


def test_the_survey_shows_scores_instead_of_their_items_and_no_choices_or_texts() -> None:
    axes = drawn(results("two models"), "survey").axes[0]
    assert [label.get_text().split("\n")[0] for label in axes.texts] == [
        "Tired? (0 to 3)",
        "Raw TLX, from 0 to 100 (most",
        "SUS score, from 0 to 100 (best)",
    ]


def test_lines_of_more_than_100_participants_are_drawn_as_an_image(tmp_path: Path) -> None:
    session = a_session(tmp_path)
    sizes = {}
    for participants in (100, 101, 300):
        figure = drawn(results_of(others_like(session, participants)), "paired")
        image = rendered(figure, SVG)["svg"]
        sizes[participants] = len(image)
        assert (b"<image" in image) == (participants > 100)
    assert sizes[300] < 1.5 * sizes[101]


# Colours


def colours(figure: Figure) -> dict[str, str]:
    """The colours of everything that has a label in a figure."""
    by_label = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            line = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
            if isinstance(line, Line2D):
                by_label[label] = mpl.colors.to_hex(line.get_color())
    return by_label


def test_models_have_different_colours_of_okabe_and_ito_and_keep_them_in_all_figures(tmp_path: Path) -> None:
    names = [*THREE, "thompson", "greedy", "other"]
    results = results_of(others_like(a_session(tmp_path, models=models(names), **ASKED), 2))
    shown = colours(drawn(results, "main"))
    of_models = {model: shown[model] for model in names}
    assert len(set(of_models.values())) == 6
    assert set(of_models.values()) <= OKABE_ITO
    for figure in ("found", "yes", "times", "rounds", "survey"):
        shown = colours(drawn(results, figure))
        assert {model: shown[model] for model in names} == of_models, figure


def test_models_differ_in_line_style_or_marker_where_there_are_no_colours(tmp_path: Path) -> None:
    names = [f"model-{number}" for number in range(12)]
    figure = drawn(results_of([a_session(tmp_path, models=models(names))]), "main")
    lines = [line for line in figure.axes[1].get_lines() if line.get_label() in names]
    assert len(lines) == 12
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 12


def test_everything_with_a_label_has_a_colour_of_okabe_and_ito_or_is_grey() -> None:
    for name, figure in figures.draw(results("three models")).items():
        assert set(colours(figure).values()) <= OKABE_ITO | {GREY, INK}, name


@pytest.mark.parametrize("name", ["two models", "three models"])
def test_on_a_dark_page_every_colour_of_a_figure_is_exchanged(name: str) -> None:
    for figure in figures.draw(results(name)).values():
        svg = rendered(figure, SVG)["svg"].decode()
        style = svg[svg.index("<style>@media") : svg.index("}</style></defs>")]
        used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", svg.replace(style, "")))
        assert used <= DARK.keys()
        assert all(f': {colour}"]' in style for colour in used)


def test_an_svg_keeps_its_text() -> None:
    svg = rendered(drawn(results("words of other scripts"), "words"), SVG)["svg"].decode()
    assert ">日本<" in svg
    assert "DejaVu Sans', sans-serif" in svg


# What is said about a figure


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in STRAINED])
def test_every_figure_says_in_words_what_it_shows(name: str) -> None:
    for figure in figures.FIGURES:
        if figure.has_data(results(name)):
            for text in (figure.caption(results(name)), figure.alt(results(name))):
                assert text[-1] == "."
                assert not re.search(r"nan|None|\b1 (rounds|participants|targets|words|answers)\b", text)


def test_a_caption_speaks_of_intervals_only_where_there_are_any() -> None:
    for name in ("main", "found", "differences", "by-target", "paired", "yes", "rounds", "survey", "times"):
        figure = figures.FIGURES[name]
        assert "95 % interval" in figure.caption(results("two models")), name
        assert "95 % interval" not in figure.caption(results("one participant")), name


def test_lines_join_the_values_of_one_participant_and_never_models(tmp_path: Path) -> None:
    shown = results_of(others_like(a_session(tmp_path, models=models(THREE), **ASKED), 4))
    (left, right) = drawn(shown, "paired").axes
    for axes, values in (
        (left, {model: TIME.of_participants(shown.sample, model) for model in shown.sample.models}),
        (right, {model: curves[:, -1] for model, curves in shown.rewards.curves.items()}),
    ):
        (lines,) = [own for own in axes.collections if len(own.get_paths()) == 4]
        expected = np.column_stack([values[model] for model in shown.sample.models])
        assert np.allclose([path.vertices[:, 1] for path in lines.get_paths()], expected)
    for name in ("found", "differences", "by-target", "yes", "survey", "words"):
        for axes in drawn(shown, name).axes:
            for line in axes.get_lines():
                assert line.get_linestyle() == "None" or len(set(line.get_xydata()[:, 0])) <= 2, name


def test_targets_are_sorted_by_the_difference_in_reward(tmp_path: Path) -> None:
    shown = results_of(others_like(a_session(tmp_path, targets="all", practice=[]), 5))
    axes = drawn(shown, "by-target").axes[0]
    dots = axes.get_lines()[1].get_xdata()
    assert list(dots) == sorted(dots, reverse=True)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert sorted(names[:-1]) == sorted(shown.sample.targets)
    assert names[-1] == "all targets"


# Labels at the ends of lines


def test_labels_keep_their_distance_and_their_order() -> None:
    places = spread([0.5, 0.51, 0.1, 0.49, 0.99, 1.0], 0.1, 0.0, 1.0)
    assert np.diff(np.sort(places)).min() >= 0.1 - 1e-6
    assert list(np.argsort(places)) == [2, 3, 0, 1, 4, 5]
    assert places.min() >= 0
    assert places.max() <= 1 + 1e-9
    assert list(spread([0.2, 0.8], 0.1, 0.0, 1.0)) == [0.2, 0.8]
    assert np.allclose(np.diff(np.sort(spread([0.5] * 30, 0.1, 0.0, 1.0))), 1 / 29)


# Power


def powers(pair: tuple[str, str], sizes: list[int], shift: float = 0.3, spread: float = 1.0) -> PairPower:
    """The power from 12 people, of whom half are a standard deviation above the others."""
    noise = spread * (np.arange(12) % 2 - 0.5)
    effects, found = {}, {}
    for outcome in OUTCOMES:
        better = 1 if outcome.more_is_better else -1
        values = [better * (shift + noise), np.zeros(12)]
        cells = [own[:, None] for own in values]
        own = compared_in(outcome, pair, [""] * 12, values, cells)
        effects[outcome.name] = effect_of(own)
        found[outcome.name] = power_of(effects[outcome.name], pair, outcome, pair[0], 15, sizes, 0.05)
    return PairPower(models=pair, sessions=12, participants=sizes, effects=effects, power=found)


@pytest.mark.parametrize(
    ("pair", "sizes"),
    [
        (("mixture", "naive"), [4]),
        (("mixture", "naive"), [5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200]),
        (("a" * 64, "b" * 64), [2, 10_000]),
    ],
)
def test_the_power_is_drawn_with_all_of_its_text_inside(pair: tuple[str, str], sizes: list[int]) -> None:
    figure = draw_power(powers(pair, sizes), 0.05)
    check_text_is_inside(figure)
    shown = {text.get_text() for text in drawn_texts(figure)}
    assert str(sizes[0]) in shown
    ElementTree.fromstring(rendered(figure, SVG)["svg"])


def test_the_figure_of_the_power_says_the_direction_in_words() -> None:
    for shift, verdict in ((2.0, "show this"), (-2.0, "show the opposite"), (0.0, "don't show this")):
        figure = draw_power(powers(("mixture", "naive"), [4, 8], shift), 0.05)
        titles = [" ".join(axis.get_title(loc="left").split()) for axis in figure.axes]
        for title, outcome in zip(titles, OUTCOMES, strict=True):
            assert title.startswith(f"to show that mixture {outcome.does} d_z ")
            assert title.endswith(f"the sessions {verdict}")


def test_a_power_that_is_not_known_is_drawn_too() -> None:
    figure = draw_power(powers(("a", "b"), [4], spread=0.0), 0.05)
    check_text_is_inside(figure)
    assert "no effect size" in figure.axes[0].get_title(loc="left")
