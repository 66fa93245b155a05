"""Sentences fit wherever they are shown, tables keep their width."""

from __future__ import annotations

import pytest

from studyapp.reporting.terminal import console, print_sentence

Capture = pytest.CaptureFixture[str]
SENTENCE = "Here is a sentence of some length, " * 5 + "with an end."


@pytest.mark.parametrize(("columns", "longest"), [("", 80), ("72", 72), ("200", 80)])
def test_a_sentence_fits_the_window_of_the_office(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: str, longest: int
) -> None:
    """The office reads what a command says, and tells it how much room there is."""
    monkeypatch.setenv("COLUMNS", columns)
    print_sentence(SENTENCE, console())
    lines = capsys.readouterr().out.splitlines()
    assert longest - 12 < max(map(len, lines)) <= longest
    assert " ".join(line.strip() for line in lines) == SENTENCE
