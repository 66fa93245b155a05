"""The wide table: one row per participant and one column per model and outcome, for JASP, jamovi and SPSS.

A column is named OUTCOME_MODEL; a questionnaire's is QUESTIONNAIRE_ITEM_MODEL if
it is asked after rounds, and QUESTIONNAIRE_ITEM if it is asked at the end; for a score, ITEM is ``score``.
Those programs allow letters, digits and underscores, so any other character becomes an underscore.  The
columns follow from the studies of the sessions: each session brings its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Final

import numpy as np

from studyapp.base.outputs import write_csv
from studyapp.session.history import counted_rounds
from studyapp.session.saved import SavedSession
from studyapp.session.session import Session
from studyapp.study.items import Categories, Item, Numbers
from studyapp.study.plan import Round
from studyapp.tables.columns import Column, Described, Value, Written, total
from studyapp.tables.tables import PARTICIPANTS

WIDE: Final = Described(
    "wide",
    "participant",
    ("participant",),
    note="For JASP, jamovi, SPSS and others that want one row per participant. A column is named "
    "`OUTCOME_MODEL`. The columns of a questionnaire are named "
    "`QUESTIONNAIRE_ITEM_MODEL` if it is asked after rounds, and `QUESTIONNAIRE_ITEM` if it is asked at the "
    "end; `ITEM` is `score` for its score. Other characters than letters and digits become underscores. The "
    "outcomes are from the rounds that are `counted` in the table of rounds.",
)
LONGEST_NAME: Final = 64  # SPSS allows no longer one
ABOUT: Final = ("participant", "kind", "state")  # as in the table of participants

Cells = list[tuple[Column, str]]  # the cells of a row, with their columns


# Outcomes: of the rounds in which models are compared


OUTCOMES: Final = (
    Column("reward", "mean cumulative reward after the last question", "number", least=0),
    Column("found", "share of rounds in which the target was found", "number", least=0, most=1),
    Column(
        "time_to_find",
        "mean time to find the target, restricted to the questions of a round: a round that didn't find it "
        "counts with all its questions",
        "number",
        unit="questions",
        least=1,
    ),
    Column("yes", "share of yes answers", "number", least=0, most=1),
    Column("rt_ms", "median time to answer, without time away", "number", unit="ms", least=0),
)


def _values(session: Session, rounds: list[Round]) -> dict[str, float | None]:
    """The outcomes of some complete rounds."""
    if not rounds:
        return {}
    answers = [session.answers_in(round_) for round_ in rounds]
    found_at = [session.found_at(round_) for round_ in rounds]
    times = [a.rt_ms - (a.away_ms or 0.0) for own in answers for a in own if a.rt_ms is not None]
    return {
        "reward": fmean(total(answer.reward for answer in own) for own in answers),
        "found": fmean(at is not None for at in found_at),
        "time_to_find": fmean(at or session.study.questions for at in found_at),
        "yes": fmean(answer.answer == "y" for own in answers for answer in own),
        "rt_ms": round(median(times), 3) if times else None,
    }


def wide_cells(opened: SavedSession) -> Cells:
    """The row of a session; built in the process that read its log."""
    (row,) = PARTICIPANTS.entries(opened)
    about = [(column, row[column.name]) for column in PARTICIPANTS.columns if column.name in ABOUT]
    values = [*about, *_outcomes(opened.session), *_questionnaires(opened)]
    return [(column, column.written(value)) for column, value in values]


def _outcomes(session: Session) -> Iterator[tuple[Column, Value]]:
    counted = counted_rounds(session)
    rounds = {
        model: [round_ for round_ in session.plan if round_.round in counted and round_.model == model]
        for model in sorted(session.study.models)
    }
    for model, own in rounds.items():
        meaning = f"number of rounds with the model {model} that the outcomes below are from"
        yield Column(_name("rounds", model), meaning, "count", least=0), len(own)
    values = {model: _values(session, own) for model, own in rounds.items()}
    for outcome in OUTCOMES:
        for model in rounds:
            meaning = f"{outcome.meaning}; rounds with the model {model}"
            column = replace(outcome, name=_name(outcome.name, model), meaning=meaning)
            yield column, values[model].get(outcome.name)


# Questionnaires


def _questionnaires(opened: SavedSession) -> Iterator[tuple[Column, Value]]:
    study, responses = opened.session.study, _responses(opened)
    for names, groups in ((study.after_round, sorted(study.models)), (study.at_end, [None])):
        for name in names:
            questionnaire = study.questionnaire(name)
            for group in groups:
                given = [responses[name, item.id, group] for item in questionnaire.items]
                after = f", after rounds with the model {group}" if group else ""
                if score := questionnaire.score:
                    means = [np.array([fmean(map(int, values)) if values else np.nan]) for values in given]
                    computed = float(score.compute(means)[0])
                    yield (
                        Column(
                            _name(name, "score", group),
                            f"{score.title}{after}",
                            "number",
                            least=score.least,
                            most=score.most,
                        ),
                        None if np.isnan(computed) else computed,
                    )
                for item, values in zip(questionnaire.items, given, strict=True):
                    yield from _item(_name(name, item.id, group), item, values, group)


def _item(
    name: str, item: Item, values: Sequence[str | int], group: str | None
) -> Iterator[tuple[Column, Value]]:
    """The column of a scale, or of a choice at the end; other answers are in the table of responses."""
    match item.measure:
        case Numbers(least, most):
            after = f"mean answer after rounds with the model {group} to" if group else "answer to"
            meaning = f"{after}: {item.ask}"
            yield Column(name, meaning, "number", least=least, most=most), _mean(values)
        case Categories(levels) if group is None:
            yield Column(name, f"answer to: {item.ask}", "name", levels=levels), next(iter(values), None)


def _responses(opened: SavedSession) -> Mapping[tuple[str, str, str | None], list[str | int]]:
    """The given answers by questionnaire, item and model of the round before; None at the end."""
    models = {round_.round: round_.model for round_ in opened.session.plan}
    given: defaultdict[tuple[str, str, str | None], list[str | int]] = defaultdict(list)
    for event, _ in opened.session.responses():
        if event.value is not None:
            given[event.questionnaire, event.item, models.get(event.after or 0)].append(event.value)
    return given


def _mean(values: Sequence[str | int]) -> float | None:
    return fmean(map(int, values)) if values else None


def _name(*parts: str | None) -> str:
    name = re.sub("[^A-Za-z0-9_]", "_", "_".join(part for part in parts if part))
    return (name if name[0].isalpha() else f"q{name}")[:LONGEST_NAME]


# The table


def write_wide(rows: Iterable[Cells], folder: Path, name: str) -> Written:
    """Write the rows of all sessions under the columns of any."""
    table = [dict(row) for row in rows]
    columns = list(dict.fromkeys(column for row in table for column in row))  # in the order of the studies
    named = list(_with_own_names(columns))
    header = [column.name for column in named]
    write_csv(folder / name, [header, *([row.get(column, "") for column in columns] for row in table)])
    return Written(WIDE, named, len(table), name)


def _with_own_names(columns: Iterable[Column]) -> Iterator[Column]:
    """The columns with a number after a name that is taken: for SPSS, capital letters don't matter."""
    taken: set[str] = set()
    for column in columns:
        name, number = column.name, 1
        while name.lower() in taken:
            number += 1
            name = f"{column.name[: LONGEST_NAME - 4]}_{number}"
        taken.add(name.lower())
        yield replace(column, name=name)
