"""What came before a question in its round, compared with plain loops over the answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import a_session

from studyapp.analysis.extract import Extract


def drawn(session: Extract, seed: int) -> Extract:
    """The session with random words and answers; every second round stops early."""
    rng = np.random.default_rng(seed)
    assert session.vocabulary is not None
    words = session.vocabulary.words
    asked = rng.integers(0, len(words), session.asked.shape)
    asked[::2, rng.integers(1, asked.shape[1]) :] = -1
    yes = (rng.random(asked.shape) < 0.5) & (asked >= 0)
    found_at = [
        next((q for q, word in enumerate(row, start=1) if word == words.index(round_.target)), np.nan)
        for row, round_ in zip(asked.tolist(), session.plan, strict=True)
    ]
    return replace(session, asked=asked, yes=yes, found_at=np.array(found_at))


@pytest.mark.parametrize("seed", range(3))
def test_what_came_before_a_question_is_what_plain_loops_find(tmp_path: Path, seed: int) -> None:
    session = drawn(a_session(tmp_path, questions=9, bonus=None), seed)
    assert session.vocabulary is not None
    for r, round_ in enumerate(session.plan):
        seen: list[tuple[str, bool]] = []
        for q, index in enumerate(session.asked[r]):
            word = session.vocabulary.words[index] if index >= 0 else None
            expected = (
                word == round_.target,
                word in [other for other, _ in seen],
                (word, True) in seen,
                word is not None and round_.target in [other for other, _ in seen],
            )
            found = (session.about_target, session.asked_before, session.yes_before, session.found_before)
            assert tuple(bool(array[r, q]) for array in found) == expected
            if word is not None:
                seen.append((word, bool(session.yes[r, q])))
    assert session.asked_before.any()
    assert session.yes_before.sum() < session.asked_before.sum()
    assert session.found_before.any()
