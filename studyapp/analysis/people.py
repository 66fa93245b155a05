"""People fitted to sessions: the file that is written, and what the parameters mean in plain words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from core.people import ABOUT, USUAL_LIKENESS, USUAL_QUESTION, People, nodes
from core.recall import NEVER
from core.wording import counted
from studyapp.analysis.people_sessions import Sessions
from studyapp.base import documents
from studyapp.base.environment import software
from studyapp.reporting.wording import percent

if TYPE_CHECKING:
    from core.people_fit import PeopleFit
from rich.table import Table
from rich.text import Text

from studyapp.base.console import Console
from studyapp.reporting.wording import number

Array = NDArray[np.float64]

DIGITS = 6  # of numbers in files: readable, and the same on every machine

MEANINGS = {
    "ready": "log-odds that somebody typical gives a hint at question 5",
    "ready_sd": "how much people differ in that (standard deviation)",
    "question": "change of these log-odds with the logarithm of the question's number",
    "found": "their change once the target has been asked about",
    "likeness": "log-odds that a word of likeness 0.15 seems relevant",
    "slope": "change of these log-odds with the logarithm of the likeness",
    "pair_sd": "how much pairs of words differ beyond their likeness",
    "opinion_sd": "how much opinions about the same pair differ",
    "again": "log-odds that somebody typical says yes to the same word again",
    "again_sd": "how much people differ in that",
    "slip": "chance of an answer that was not meant",
}


@dataclass(frozen=True)
class Fitted:
    """People, and the sessions they were fitted to."""

    fit: PeopleFit
    sessions: Sessions

    @property
    def people(self) -> People:
        return self.fit.people


def fit_sessions(sessions: Sessions) -> Fitted:
    """Fit people to all answers of some sessions."""
    import torch

    from core.people_fit import fit_people

    torch.set_num_threads(1)  # the tensors are small: a second thread would only get in the way
    return Fitted(fit_people(sessions.answers, sessions.words), sessions)


# Files


def mapping_of(fitted: Fitted) -> dict[str, Any]:
    """What a file of people holds."""
    fit, sessions = fitted.fit, fitted.sessions
    mapping: dict[str, Any] = _rounded(fitted.people.to_mapping())
    about: dict[str, Any] = {
        "standard_errors": _rounded(fit.standard_errors),
        "fitted_to": {
            "sessions": len(sessions.sessions),
            "kinds": sessions.kinds,
            "persons": len(sessions.persons),
            "rounds": sessions.rounds,
            "answers": len(sessions.answers),
            "answers_sha256": sessions.fingerprint,
            "words": len(sessions.words),
            "words_sha256": sorted({session.words_sha256 for session in sessions.sessions}),
            "log_likelihood": _rounded(fit.log_likelihood),
            "converged": fit.converged,
            "studyapp": software()["studyapp"],
        },
    }
    pairs = {name: mapping.pop(name) for name in ("words", "pairs") if name in mapping}
    return mapping | about | pairs


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, DIGITS)
        case dict():
            return {name: _rounded(own) for name, own in value.items()}
        case list():
            return [_rounded(own) for own in value]
    return value


def as_yaml(mapping: dict[str, Any]) -> str:
    """The mapping as a file that people can read: each parameter with its meaning, each target on a line."""
    lines = ["# How people answer (core/README.md); made by studyapp people fit."]
    for name, meaning in MEANINGS.items():
        lines.append(f"{name}: {documents.json_line(mapping[name])}  # {meaning}")
    about = {name: mapping[name] for name in ABOUT}
    pairs = {target: documents.OneLine(row) for target, row in mapping.get("pairs", {}).items()}
    return "".join(
        [
            "\n".join(lines),
            f"\n{documents.block(about).strip()}\n",
            f"words: {documents.flow(mapping['words']).strip()}\n" if "words" in mapping else "",
            documents.block({"pairs": pairs}).strip() + "\n" if pairs else "",
        ]
    )


def as_json(mapping: dict[str, Any]) -> str:
    """The same mapping as JSON, each target on a line."""
    lines = []
    for name, value in mapping.items():
        head = f" {documents.json_line(name)}: "
        if name == "pairs":
            rows = [f"  {documents.json_line(key)}: {documents.json_line(own)}" for key, own in value.items()]
            lines.append(head + "{\n" + ",\n".join(rows) + "\n }")
        else:
            lines.append(head + documents.json_line(value))
    return "{\n" + ",\n".join(lines) + "\n}\n"


# Words


def sentences(fitted: Fitted) -> list[str]:
    """What the parameters say, in plain words."""
    people = fitted.people
    early, late = (_chance(people, number, found=False) for number in (1, 10))
    usual, after = (_chance(people, USUAL_QUESTION, found=found) for found in (False, True))
    low, high = (
        _chance(people, USUAL_QUESTION, found=False, ready=people.ready + side * people.ready_sd)
        for side in (-1, 1)
    )
    word = f"a word of likeness {USUAL_LIKENESS:g}"
    lines = [
        f"Somebody typical says yes to {word}, asked about for the first time as question {USUAL_QUESTION}, "
        f"with probability {usual:.2f} (question 1: {early:.2f}, question 10: {late:.2f}; "
        f"once the target has been asked about: {after:.2f}).",
        f"People differ: somebody one standard deviation less or more ready to give hints does so with "
        f"{low:.2f} or {high:.2f}.",
    ]
    answers = fitted.sessions.answers
    again = ~answers.is_target & (answers.last == 1)
    if again.any():
        share = expit(people.again)
        lines.append(
            f"Asked about the same word again after a yes, somebody typical says yes with probability "
            f"{share:.2f} (in the sessions: {percent(answers.yes[again].mean())} of "
            f"{counted(int(again.sum()), 'answer')})."
        )
    else:
        lines.append(
            "No word but a target was asked about again after a yes: the sessions say nothing about "
            "'again' and 'again_sd', and the prior alone does."
        )
    if len(fitted.sessions.persons) == 1:
        lines.append("With one person, the sessions say little about how people differ; the prior does.")
    return lines


def predicted(fitted: Fitted) -> Array:
    """(N,), the chance of a yes to each question under the fit, where a pair's effect is not known.

    Each person has the u and the r that are most probable, or expected, after all answers.
    """
    answers, people = fitted.sessions.answers, replace(fitted.people, pairs=None)
    hint = expit(
        fitted.fit.ready[answers.person]
        + people.question * np.log(answers.number / USUAL_QUESTION)
        + people.found * answers.found
    )
    first = hint * people.relevance(answers.likeness[None], np.array([0]))[0]
    meant = np.where(answers.last == NEVER, first, np.where(answers.last == 1, _again(fitted), 0.0))
    return np.asarray(people.slip + (1 - 2 * people.slip) * np.where(answers.is_target, 1.0, meant))


def _again(fitted: Fitted) -> Array:
    """(N,), each person's expected chance of another yes to a word that got one."""
    people, answers = fitted.people, fitted.sessions.answers
    x, p = nodes(401, 5.0)
    again = expit(people.again + people.again_sd * x)
    chance = people.slip + (1 - 2 * people.slip) * again
    repeated = answers.of(~answers.is_target & (answers.last == 1))
    persons = len(fitted.sessions.persons)
    yes = np.bincount(repeated.person, repeated.yes, persons)[:, None]
    asked = np.bincount(repeated.person, minlength=persons)[:, None]
    weights = np.log(p) + yes * np.log(chance) + (asked - yes) * np.log1p(-chance)
    weights = np.exp(weights - weights.max(-1, keepdims=True))
    return np.asarray(((weights @ again) / weights.sum(-1))[answers.person])


def _chance(people: People, number: int, *, found: bool, ready: float | None = None) -> float:
    """The chance of a yes to a pair that nobody knows, of the usual likeness, asked for the first time."""
    relevance = replace(people, pairs=None).relevance(np.array([[USUAL_LIKENESS]]), np.array([0]))[0, 0]
    return float(
        people.chances(
            number,
            ready=people.ready if ready is None else ready,
            again=people.again,
            relevance=relevance,
            is_target=np.bool_(False),
            last=np.int8(NEVER),
            found=np.bool_(found),
        )
    )


# The terminal


def show_fit(fitted: Fitted, console: Console) -> None:
    """Print what was fitted, to what, and what it means."""
    fit, sessions = fitted.fit, fitted.sessions
    persons, answers = counted(len(sessions.persons), "person"), counted(len(sessions.answers), "answer")
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
