"""People in the terminal: the fit, the comparison, the checks."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from core.wording import counted
from studyapp.analysis.people.checking import BANDS, Check, Checks
from studyapp.analysis.people.comparing import MODELS, Comparison
from studyapp.analysis.people.fitted import MEANINGS, Fitted, sentences
from studyapp.base.console import Console
from studyapp.reporting.terminal import short
from studyapp.reporting.wording import number

__all__ = ["show_checks", "show_comparison", "show_fit"]

MOST_PERSONS = 8  # with a column of their own; the files have all


def show_fit(fitted: Fitted, console: Console) -> None:
    """Print what was fitted, to what, and what it means."""
    fit, sessions = fitted.fit, fitted.sessions
    persons, answers = counted(sessions.persons, "person"), counted(len(sessions.rounds.answers), "answer")
    console.print(
        Text(f"People, fitted to {answers} of {persons} ({', '.join(sessions.kinds)})", style="bold")
    )
    table = _table("parameter", "estimate", "error", "meaning")
    table.columns[3].justify = "left"
    for name, meaning in MEANINGS.items():
        estimate, error = getattr(fitted.people, name), fit.standard_errors[name]
        digits = 4 if name == "slip" else 2
        table.add_row(name, number(estimate, digits), number(error, digits), meaning)
    console.print(table)
    for line in sentences(fitted):
        console.print(line, soft_wrap=True)
    if fit.converged:
        console.print(f"The fit converged in {counted(fit.iterations, 'iteration')}.")


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print the log-likelihood per answer by model, on average and for each person."""
    console.print(Text("Log-likelihood per answer of the person left out, in nats", style="bold"))
    shown = comparison.persons[:MOST_PERSONS]
    table = _table("model", "mean", *map(short, shown))
    for model, label in MODELS.items():
        scores = comparison.scores[model][: len(shown)]
        table.add_row(label, number(comparison.mean(model), 4), *(number(score, 3) for score in scores))
    console.print(table)
    if len(comparison.persons) > len(shown):
        console.print(f"The first {len(shown)} of {len(comparison.persons)} persons are shown.")
    betas = " and ".join(f"{beta:g}" for beta in comparison.beta)
    low, high = comparison.alpha.min(), comparison.alpha.max()
    console.print(
        f"The planning teacher has beta = {betas}; alpha of the mixture is {low:.2f} to {high:.2f}."
    )


def show_checks(checks: Checks, console: Console) -> None:
    """Print the most important measures, real and simulated."""
    studies, persons = counted(checks.studies, "simulated study", "simulated studies"), checks.persons
    console.print(Text(f"Real people, and {studies} of {counted(persons, 'person')}", style="bold"))
    table = _table("measure", "real", "simulated", "95 % of studies")
    own = checks.measures
    for i, (low, high) in enumerate(BANDS):
        _row(table, f"yes, likeness {low:g} to {high:g}, first time", own["yes_first"], i, 2)
    for i, (low, high) in enumerate(BANDS):
        _row(table, f"yes, likeness {low:g} to {high:g}, again", own["yes_again"], i, 2)
    for i, when in enumerate(("before", "after")):
        label = f"yes, similar word, first time, {when} the target was asked about"
        _row(table, label, own["yes_after_found"], i, 2)
    for model in checks.models:
        name = short(model)
        _row(table, f"{name}: reward after {checks.questions} questions", own[f"reward_{model}"], -1, 2)
        _row(table, f"{name}: share of targets found", own[f"found_{model}"], 0, 2)
        _row(table, f"{name}: question that found it", own[f"time_to_find_{model}"], 0, 1)
    console.print(table)
    inside, count = checks.inside
    console.print(f"{inside} of all {count} real values are within the 95 % of simulated studies.")


def _row(table: Table, label: str, check: Check, i: int, digits: int) -> None:
    real, mean, low, high = (
        number(part[i], digits) for part in (check.real, check.mean, check.low, check.high)
    )
    table.add_row(label, real, mean, f"{low} to {high}")


def _table(*names: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for i, name in enumerate(names):
        table.add_column(name, justify="right" if i else "left")
    return table
