"""What came before a question in its round, compared with plain loops over the answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import answer_table, imported

from studyapp.analysis.extract import Extract, extract


@pytest.mark.parametrize("seed", range(3))
def test_what_came_before_a_question_is_what_plain_loops_find(tmp_path: Path, seed: int) -> None:
    table = answer_table(1, ["tea", "salt", "dog"], 15, seed)[:-7]  # the last round stops early
    session = extract(imported(tmp_path, table) / "P0.yaml")
    assert isinstance(session, Extract)
    assert session.vocabulary is not None
    for r in range(len(session.plan)):
        seen: list[tuple[str, bool]] = []
        for q, index in enumerate(session.asked[r]):
            word = session.vocabulary.words[index] if index >= 0 else None
            expected = word in [other for other, _ in seen], (word, True) in seen
            found = session.asked_before[r, q], session.yes_before[r, q]
            assert tuple(map(bool, found)) == expected
            if word is not None:
                seen.append((word, bool(session.yes[r, q])))
    assert session.asked_before.any()
    assert session.yes_before.sum() < session.asked_before.sum()


def test_a_round_that_never_took_place_neither_counts_nor_finds_its_target(tmp_path: Path) -> None:
    table = answer_table(1, ["tea", "salt"], 3, 0)
    for row in table:
        if (row["round"], row["target"]) == ("3", "tea"):
            row |= {"word": "tea", "reward": "0.000000"}
    session = extract(imported(tmp_path, table) / "P0.yaml")
    assert isinstance(session, Extract)
    assert session.took_place.tolist() == [True, True, False, True, True, True]
    assert session.counted.tolist() == [False, False, False, False, True, True]
    assert str(session.found_at[2]) == "nan"
