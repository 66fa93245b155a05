"""Every figure is drawn for whatever a study may be, whole, and in colours that can be told apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
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
from studyapp.analysis.power import find_power
from studyapp.analysis.results import Results

# Okabe and Ito, 2008: Color universal design.
OKABE_ITO = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"}

ALL = list(figures.FIGURES)
ASKED = {"after_round": ["mood", "nasa-tlx"], "at_end": ["you", "sus"]}
THREE = ["naive", "mixture", "planning"]
HOSTILE = "$a$ 1 0 1\n<i>b</i> 0 1 0\nR&D 0 1 1\n--> 1 0 2\n$\\frac{1 2 1 1\nö^2_ 0 2 1\n"


def models(names: list[str]) -> dict[str, Any]:
    return {name: {"teacher": "naive", "tau": i + 1} for i, name in enumerate(names)}


# By name: how many participants, and what is special about their study.
STUDIES: dict[str, tuple[int, dict[str, Any]]] = {
    "two models": (3, {}),
    "three models": (3, {"models": models(THREE)}),
    "three names as long as can be": (2, {"models": models([letter * 64 for letter in "abc"])}),
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
    "61 participants": (61, {"questions": 15, "bonus": None}),
    "121 participants": (121, {"questions": 21, "bonus": None}),
}
STRAINING = {  # one figure alone
    "long words": "words",
    "words of other scripts": "words",
    "a questionnaire of long names": "survey",
}
NEVER_DRAWN = {
    "one participant": {"p-values"},
    "one question": {"differences", "p-values"},
    "one target and no questionnaires": {"rounds", "survey"},
}


def results(folder: Path, name: str) -> Results:
    many, changes = STUDIES[name]
    words = changes.get("words")
    special = {key: value for key, value in changes.items() if key != "words"}
    if words:
        special = {"targets": "all", "practice": []} | special
        session = a_session(folder, words, **ASKED | special)
    else:
        session = a_session(folder, **ASKED | special)
    return with_planners(results_of(others_like(session, many)))


def drawn(found: Results, figure: str) -> Figure:
    """One figure alone."""
    with mpl.rc_context(figures.LOOK):
        return figures.FIGURES[figure][0](found)


def drawn_texts(figure: Figure) -> list[Text]:
    """All texts of a figure but the labels of ticks beyond the ends of an axis, which are not drawn."""
    beyond = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axes.get_visible() or not low <= tick.get_loc() <= high:
                    beyond |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in beyond]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def check_whole(figure: Figure) -> None:
    """Every text lies within the figure, and nothing has squeezed the axes to nothing."""
    with mpl.rc_context(figures.LOOK):
        figure.draw_without_rendering()
        for text in drawn_texts(figure):
            box = text.get_window_extent()
            inside = (box.x0 >= -1, box.y0 >= -1, box.x1 <= figure.bbox.x1 + 1, box.y1 <= figure.bbox.y1 + 1)
            assert all(inside), (text.get_text(), box, figure.bbox)
        for axes in figure.axes:
            if axes.get_visible() and axes.get_label() != "<colorbar>":
                assert min(axes.bbox.width, axes.bbox.height) / figure.dpi >= 0.5


# What is drawn


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in STRAINING])
def test_every_figure_is_drawn_with_all_of_its_text_inside(tmp_path: Path, name: str) -> None:
    all_of_it = figures.draw(results(tmp_path, name))
    assert list(all_of_it) == [each for each in ALL if each not in NEVER_DRAWN.get(name, set())]
    for figure in all_of_it.values():
        check_whole(figure)


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize(("name", "figure"), STRAINING.items())
def test_the_figure_that_a_study_strains_has_all_of_its_text_inside(
    tmp_path: Path, name: str, figure: str
) -> None:
    check_whole(drawn(results(tmp_path, name), figure))


def test_figures_are_saved_as_well_formed_svg_and_as_pdf(tmp_path: Path) -> None:
    saved = figures.save(figures.draw(results(tmp_path, "hostile words")), tmp_path / "figures")
    assert list(saved) == ALL
    for path in saved.values():
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
        assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF-")
    assert len(list((tmp_path / "figures").iterdir())) == 2 * len(ALL)


@pytest.mark.parametrize(
    ("name", "figure"),
    [("121 participants", "curves"), ("words of other scripts", "words"), ("three models", "survey")],
)
def test_the_same_results_make_the_same_bytes(tmp_path: Path, name: str, figure: str) -> None:
    found = results(tmp_path, name)
    for folder in ("first", "second"):
        figures.save({figure: drawn(found, figure)}, tmp_path / folder)
    for form in ("svg", "pdf"):
        first, second = (tmp_path / folder / f"{figure}.{form}" for folder in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_words_are_drawn_as_they_are_and_long_ones_cut(tmp_path: Path) -> None:
    def labels(name: str) -> list[str]:
        figure = drawn(results(tmp_path / name, name), "words")
        return [label.get_text() for label in figure.axes[0].get_yticklabels()]

    assert labels("hostile words") == ["$a$", "<i>b</i>", "R&D", "-->", "$\\frac{1", "ö^2_"]
    assert labels("long words") == [f"{letter * 19}…" for letter in "abcd"]


def test_each_of_few_participants_is_named_among_the_planners_and_of_many_their_number(
    tmp_path: Path,
) -> None:
    session = a_session(tmp_path)

    def planners(many: int) -> tuple[list[str], str]:
        axes = drawn(with_planners(results_of(others_like(session, many))), "planners").axes[0]
        return [label.get_text() for label in axes.get_yticklabels()], axes.get_ylabel()

    named, told = planners(60)
    assert (sorted(named), told) == ([f"P{number:03d}" for number in range(1, 61)], "")
    assert planners(61) == ([], "61 participants")


def test_participants_with_ids_as_long_as_can_be_are_named_in_full(tmp_path: Path) -> None:
    one, other = others_like(a_session(tmp_path), 2)
    long = [replace(one, participant="a" * 64), replace(other, participant="b" * 64)]
    figure = drawn(with_planners(results_of(long)), "planners")
    check_whole(figure)
    shown = {text.get_text().replace("\n", "") for text in drawn_texts(figure)}
    assert {"a" * 64, "b" * 64} <= shown


def test_the_survey_shows_scores_in_place_of_their_items_and_no_choices_or_texts(tmp_path: Path) -> None:
    axes = drawn(results(tmp_path, "two models"), "survey").axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["sus: score (0 to 100)", "nasa-tlx: score (0 to 100)", "mood: tired (0 to 3)"]


def test_lines_of_more_than_100_participants_are_an_image(tmp_path: Path) -> None:
    session = a_session(tmp_path)
    sizes = {}
    for many in (100, 101, 300):
        found = results_of(others_like(session, many))
        path = figures.save({"curves": drawn(found, "curves")}, tmp_path / str(many))["curves"]
        sizes[many] = path.stat().st_size
        assert (b"<image" in path.read_bytes()) == (many > 100)
    assert sizes[300] < 1.5 * sizes[101]


# Colours


def colours(figure: Figure) -> dict[str, str]:
    """Of everything with a name in a figure."""
    found = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            line = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
            if isinstance(line, Line2D):
                found[label] = mpl.colors.to_hex(line.get_color())
    return found


def test_models_differ_in_colours_of_okabe_and_ito_and_have_the_same_in_all_figures(tmp_path: Path) -> None:
    session = a_session(tmp_path, models=models([*THREE, "thompson", "greedy", "other"]), **ASKED)
    found = results_of(others_like(session, 2))
    shown = colours(drawn(found, "curves"))
    of_models = {model: shown[model] for model in found.models}
    assert len(set(of_models.values())) == len(found.models) == 6
    assert set(of_models.values()) <= OKABE_ITO
    for name in ("found", "yes", "times", "rounds", "survey"):
        shown = colours(drawn(found, name))
        assert {model: shown[model] for model in found.models} == of_models, name


def test_models_differ_in_print_without_colours(tmp_path: Path) -> None:
    found = results_of([a_session(tmp_path, models=models([f"model-{number}" for number in range(12)]))])
    lines = [line for line in drawn(found, "curves").axes[0].get_lines() if line.get_label() in found.models]
    assert len(lines) == 12
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 12


def test_whatever_has_a_name_is_in_a_palette_for_all_eyes(tmp_path: Path) -> None:
    for name, figure in figures.draw(results(tmp_path, "three models")).items():
        assert set(colours(figure).values()) <= OKABE_ITO | {figures.GREY}, name


# Power


@pytest.mark.parametrize(
    ("pair", "questions", "sizes"),
    [
        (("mixture", "naive"), 2, [4]),
        (("mixture", "naive"), 15, [4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50]),
        (("a" * 64, "b" * 64), 3, [2, 10_000]),
    ],
)
def test_the_power_is_drawn_with_all_of_its_text_inside(
    tmp_path: Path, pair: tuple[str, str], questions: int, sizes: list[int]
) -> None:
    difference = np.random.default_rng(1).normal(0.3, 1, (12, questions - 1))
    by_name = figures.draw_power({pair: find_power(difference, sizes)}, 0.05)
    (figure,) = by_name.values()
    check_whole(figure)
    shown = {text.get_text() for text in drawn_texts(figure)}
    assert {f"{questions} questions", "chance of p < 0.05", *map(str, sizes)} <= shown
    (path,) = figures.save(by_name, tmp_path).values()
    ElementTree.parse(path)


def test_no_two_pairs_of_models_have_the_same_file() -> None:
    power = find_power(np.random.default_rng(1).normal(0.3, 1, (12, 1)), [4])
    pairs = [("a", "b-c"), ("a-b", "c")]
    assert len(figures.draw_power(dict.fromkeys(pairs, power), 0.05)) == 2
