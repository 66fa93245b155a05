"""``studyapp people``: a model of how people answer, learned from saved sessions."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from core.errors import SettingError, StudyappError
from core.files import check_free, replacing
from core.wording import counted
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_folders, add_include, add_words, session_folders

FORMS = (".yaml", ".yml", ".json")
ENOUGH = 180  # answers of a person: a session of the study ``short``


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
    add_folders(fit)
    add_include(fit)
    add_words(fit)
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


def _fit(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    if out.suffix not in FORMS:
        raise SettingError(f"--out {out}: the name must end in .yaml or .json")
    if find_spec("torch") is None:
        raise StudyappError(
            "people fit needs torch, which is not installed; run: pip install 'studyapp[people]'"
        )
    picture = out.with_suffix(".svg")
    for path in (out, picture):
        check_free(path, overwrite=arguments.force)

    from studyapp.analysis.figures.people import draw_fit
    from studyapp.analysis.people import as_json, as_yaml, fit_sessions, mapping_of, show_fit
    from studyapp.analysis.people_sessions import read_sessions
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
    if not fitted.fit.converged:
        report(
            f"studyapp: the fit to {counted(len(sessions.answers), 'answer')} of "
            f"{counted(len(sessions.persons), 'person', 'persons')} did not converge, so don't rely on it; "
            f"two people with {ENOUGH} answers each are usually enough"
        )
    return 0
