"""Ready-made questionnaires, also in another language, are scored as their authors score them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import a_session, results_of
from study_files import loaded, run, small

from studyapp.session.events import Responded
from studyapp.study.questionnaires import READY_MADE


def translated(name: str) -> list[dict[str, Any]]:
    """A ready-made questionnaire with every word changed."""
    changed = []
    for item in READY_MADE[name].items:
        settings = item.model_dump(mode="json")
        changed.append(settings | {key: f"auf Deutsch: {settings[key]}" for key in ("ask", "low", "high")})
    return changed


@pytest.mark.parametrize(
    ("name", "answers", "score"),
    [
        ("nasa-tlx", [0] * 6, 0.0),
        ("nasa-tlx", [20] * 6, 100.0),
        ("nasa-tlx", [10, 10, 10, 10, 0, 20], 50.0),
        ("sus", [5, 1] * 5, 100.0),
        ("sus", [1, 5] * 5, 0.0),
        ("sus", [3] * 10, 50.0),
        ("sus", [4, 2, 5, 1, 3, 3, 4, 2, 4, 1], 77.5),
    ],
)
def test_a_score_runs_from_0_to_100(name: str, answers: list[int], score: float) -> None:
    scored = READY_MADE[name].score
    assert scored is not None
    assert scored.compute([np.array([float(answer)]) for answer in answers]) == pytest.approx([score])


@pytest.mark.parametrize("name", READY_MADE.names)
def test_a_translated_questionnaire_is_asked_in_its_own_words_and_scored_by_the_analysis(
    tmp_path: Path, name: str
) -> None:
    changes: dict[str, Any] = {
        "questionnaires": {name: translated(name)},
        "after_round": [],
        "at_end": [name],
    }
    session = a_session(tmp_path, **changes)
    results = results_of([session])
    events = run(loaded(tmp_path, small(**changes)), tmp_path / "again")
    values = [np.array([float(event.value or 0)]) for event in events if isinstance(event, Responded)]
    score, first, *_ = results.questionnaires
    assert (score.questionnaire, score.item) == (name, "score")
    expected = READY_MADE[name].score
    assert expected is not None
    assert score.by_group[""].mean == pytest.approx(expected.compute(values)[0])
    assert first.ask.startswith("auf Deutsch: ")
