"""Collections of kinds that describe themselves.

A teacher model, a selection rule, a questionnaire item or a dataset is one class that says everything there
is to know about it.  It is added to its collection where it is defined, and everything else finds it there
by name.  To add a kind is to add that class:

    TEACHERS: Kinds[TeacherModel] = Kinds("teacher model")

    class Naive(TeacherModel):
        name = "naive"
        ...

    TEACHERS.add(Naive())

A collection may hold classes instead of objects; then ``add`` decorates them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from core.errors import SettingError
from core.wording import did_you_mean


class Named(Protocol):
    @property
    def name(self) -> str:
        """As users write it."""
        ...


K = TypeVar("K", bound=Named)


class Kinds(Generic[K]):
    """Kinds by name, in the order in which they were added."""

    def __init__(self, thing: str) -> None:
        self._thing = thing
        self._kinds: dict[str, K] = {}

    def add(self, kind: K) -> K:
        """Add a kind; returns it, so that this can decorate a class."""
        if kind.name in self._kinds:
            raise ValueError(f"there is already a {self._thing} {kind.name!r}")
        self._kinds[kind.name] = kind
        return kind

    @contextmanager
    def also(self, kind: K) -> Iterator[K]:
        """Add a kind for the length of a ``with`` block, to try it out."""
        self.add(kind)
        try:
            yield kind
        finally:
            del self._kinds[kind.name]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def __getitem__(self, name: str) -> K:
        try:
            return self._kinds[name]
        except KeyError:
            guess = did_you_mean(name, self._kinds)
            known = ", ".join(self._kinds)
            raise SettingError(f"there is no {self._thing} {name!r}{guess}; known: {known}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __iter__(self) -> Iterator[K]:
        return iter(self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)
