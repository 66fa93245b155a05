"""``studyapp people``: a model of how people answer, learned from saved sessions."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.checks import whole
from core.errors import SettingError
from core.files import check_free, replacing
from studyapp.base.outputs import check_folder, make_folder, write_csv, write_json
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import (
    Commands,
    add_folders,
    add_include,
    add_out,
    add_words,
    session_folders,
)
from studyapp.office.standing import standing_of

__all__ = ["register"]

FORMS = (".yaml", ".yml", ".json")
STUDIES = 40
MOST_STUDIES = 100_000


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    people = commands.add_parser(
        "people",
        help="learn from saved sessions how people answer",
        description="A model of how people answer, learned from saved sessions.",
    )
    subcommands = people.add_subparsers(title="commands", metavar="COMMAND", required=True)
    fit = subcommands.add_parser(
        "fit",
        help="fit people to sessions",
        description="Fit the model of people to all answers in the sessions, practice excluded. Writes a "
        "file of people for study files (people: FILE) and a figure beside it, the fit over the answers.",
    )
    _add_sessions(fit)
    fit.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        default=Path("people.yaml"),
        help="the file of people to write, .yaml or .json; the figure has the same name with .svg (default: "
        "people.yaml)",
    )
    fit.add_argument("--force", action="store_true", help="overwrite the --out file and its figure")
    fit.set_defaults(run=_fit)
    compare = subcommands.add_parser(
        "compare",
        help="compare people with other models of the answers",
        description="Leave one person out at a time, and compare how well people who are fitted to the "
        "others, and other models, predict the answers. Then let simulated people play the study of the "
        "sessions, and compare what they do with what the real ones did. Writes all numbers "
        "(comparison.json, comparison.csv, checks.json) and figures.",
    )
    _add_sessions(compare)
    compare.add_argument(
        "--studies",
        metavar="N",
        type=int,
        default=STUDIES,
        help=f"number of studies to simulate; 0: none (default: {STUDIES})",
    )
    add_out(compare, "people")
    compare.set_defaults(run=_compare)


def _add_sessions(parser: argparse.ArgumentParser) -> None:
    add_folders(parser)
    add_include(parser)
    add_words(parser)


def _fit(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    if out.suffix not in FORMS:
        raise SettingError(f"--out {out}: the name must end in .yaml or .json")
    picture = out.with_suffix(".svg")
    for path in (out, picture):
        check_free(path, overwrite=arguments.force)

    from studyapp.analysis.figures.people import draw_fit
    from studyapp.analysis.people.fitted import as_json, as_yaml, fit_sessions, mapping_of
    from studyapp.analysis.people.reading import read_sessions
    from studyapp.analysis.people.terminal import show_fit
    from studyapp.reporting import plots
    from studyapp.reporting.terminal import console

    sessions = read_sessions(
        session_folders(arguments.sessions), words=arguments.words, include=arguments.include
    )
    fitted = fit_sessions(sessions)
    mapping = mapping_of(fitted)
    text = as_json(mapping) if out.suffix == ".json" else as_yaml(mapping)
    image = plots.rendered(draw_fit(fitted), {"svg": plots.FORMS["svg"]})["svg"]
    for path, content in ((out, text.encode()), (picture, image)):
        with replacing(path, overwrite=arguments.force) as file:
            file.write(content)
    show_fit(fitted, console())
    say(*sessions.notes, f"People: {out}. Figure: {picture}")
    _warn(fitted.fit.converged)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    studies = whole("--studies", arguments.studies, 0, MOST_STUDIES)
    check_folder(out)
    if studies and standing_of(arguments.sessions).blind:
        problem = (
            "this study is blind, and comparing it with simulated ones would tell how its models compare"
        )
        raise SettingError(f"{problem}; add --studies 0, or run studyapp unblind first")

    from studyapp.analysis import figures
    from studyapp.analysis.figures.people import draw_checks, draw_comparison
    from studyapp.analysis.people import checking, comparing
    from studyapp.analysis.people.fitted import fit_sessions
    from studyapp.analysis.people.reading import read_sessions
    from studyapp.analysis.people.terminal import show_checks, show_comparison
    from studyapp.reporting.terminal import console

    sessions = read_sessions(
        session_folders(arguments.sessions), words=arguments.words, include=arguments.include
    )
    comparing.check_persons(sessions)
    fitted = fit_sessions(sessions)
    comparison = comparing.compare_models(sessions, fitted.people)
    make_folder(out)
    write_json(out / "comparison.json", comparing.as_json(comparison))
    write_csv(out / "comparison.csv", comparing.as_rows(comparison))
    figures.write({"comparison": draw_comparison(comparison)}, out, pdf=True)
    show_comparison(comparison, console())
    unchecked = checking.why_not(sessions)
    if studies and not unchecked:
        checks = checking.check_people(sessions, fitted.people, studies)
        write_json(out / "checks.json", checking.as_json(checks))
        figures.write({"checks": draw_checks(checks)}, out, pdf=True)
        say("")
        show_checks(checks, console())
    elif studies:
        say(f"No studies were simulated: {unchecked}.")
    say(*sessions.notes, f"Figures and numbers: {out}")
    _warn(fitted.fit.converged and bool(comparison.converged.all()))
    return 0


def _warn(converged: bool) -> None:
    if not converged:
        report("studyapp: a fit did not converge; don't rely on it, and please report it")
