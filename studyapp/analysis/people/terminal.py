"""The fitted people in the terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from core.wording import counted
from studyapp.analysis.people.fitted import MEANINGS, Fitted, sentences
from studyapp.base.console import Console
from studyapp.reporting.wording import number


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


def _table(*names: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for i, name in enumerate(names):
        table.add_column(name, justify="right" if i else "left")
    return table
