"""The table of likenesses: how alike any two words of a study are, which is what rewards come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round
from studyapp.tables.columns import Column, Table, field_column

__all__ = ["LIKENESS", "Likenesses"]


@dataclass(frozen=True)
class Likenesses:
    """The words of a study."""

    loaded: LoadedStudy
    title: str | None  # None if all sessions are of one study


@dataclass(frozen=True)
class _Pair:
    title: str | None
    target: str
    word: str
    likeness: float


def _pairs(source: Likenesses) -> Iterator[_Pair]:
    loaded, words = source.loaded, source.loaded.vocabulary.words
    for target, row in zip(words, loaded.features.tolist(), strict=True):
        for word, likeness in zip(words, row, strict=True):
            yield _Pair(source.title, target, word, likeness)


_likeness = (
    "likeness (similarity) of the two words: exp(-2 w (1 - cosine)), where w is the study's kernel_width. "
    "Kept between 0.0001 and 0.9999 and rounded to six decimals, it is the reward"
)

LIKENESS: Final = Table(
    "likeness",
    "pair of words: each word as target, and each word that can be asked about",
    ("title", "target", "word"),
    (
        Column[_Pair]("title", "title of the study", "text", attrgetter("title")),
        field_column(Round, "target", attrgetter("target"), kind="word"),
        Column[_Pair]("word", "the word in the question", "word", attrgetter("word")),
        Column[_Pair]("likeness", _likeness, "number", attrgetter("likeness"), least=0, most=1),
    ),
    _pairs,
)
