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


def test_a_score_runs_from_0_to_100() -> None:
    for name, answers, score in (
        ("nasa-tlx", [0] * 6, 0.0),
        ("nasa-tlx", [20] * 6, 100.0),
        ("nasa-tlx", [10, 10, 10, 10, 0, 20], 50.0),
        ("sus", [5, 1] * 5, 100.0),
        ("sus", [1, 5] * 5, 0.0),
        ("sus", [3] * 10, 50.0),
        ("sus", [4, 2, 5, 1, 3, 3, 4, 2, 4, 1], 77.5),
    ):
        scored = READY_MADE[name].score
        assert scored is not None
        assert scored.compute([np.array([float(answer)]) for answer in answers]) == pytest.approx([score])


def test_a_translated_questionnaire_is_asked_in_its_own_words_and_scored_by_the_analysis(
    tmp_path: Path,
) -> None:
    for name in READY_MADE.names:
        items = [item.model_dump(mode="json") for item in READY_MADE[name].items]
        translated = [
            item | {key: f"auf Deutsch: {item[key]}" for key in ("ask", "low", "high")} for item in items
        ]
        changes: dict[str, Any] = {"questionnaires": {name: translated}, "after_round": [], "at_end": [name]}
        score, first, *_ = results_of([a_session(tmp_path / name, **changes)]).questionnaires
        assert (score.questionnaire, score.item) == (name, "score")
        assert first.ask.startswith("auf Deutsch: ")
        events = run(loaded(tmp_path, small(**changes)), tmp_path / f"{name} again")
        values = [np.array([float(event.value or 0)]) for event in events if isinstance(event, Responded)]
        expected = READY_MADE[name].score
        assert expected is not None
        assert score.by_group[""].mean == pytest.approx(expected.compute(values)[0])
