"""Batches of learners, or of what they know, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
AnyBatch = TypeVar("AnyBatch", bound="Batch")


class Batch:
    """A dataclass about the elements of a batch.

    Its fields are arrays with one row for each element, batches themselves, or None where there is nothing to
    know.  Anything else, such as a number, is the same for all elements.
    """

    def only(self: AnyBatch, rows: Rows | int) -> AnyBatch:
        """These elements, or this one as a batch of one."""
        which = slice(rows, rows + 1) if isinstance(rows, int) else rows
        return _mapped(lambda own: own.only(rows) if isinstance(own, Batch) else own[which], self)

    def repeat(self: AnyBatch, times: int) -> AnyBatch:
        """Each element ``times`` times, side by side."""
        if times == 1:
            return self
        return _mapped(
            lambda own: own.repeat(times) if isinstance(own, Batch) else own.repeat(times, axis=0), self
        )

    @classmethod
    def together(cls: type[AnyBatch], parts: Sequence[AnyBatch]) -> AnyBatch:
        """One batch of several."""
        if len(parts) == 1:
            return parts[0]
        return _mapped(
            lambda *own: own[0].together(own) if isinstance(own[0], Batch) else np.concatenate(own), *parts
        )

    def where(self: AnyBatch, flags: Flags, other: AnyBatch) -> AnyBatch:
        """These elements where their flag is set, else those of the other batch."""
        return _mapped(
            lambda own, its: own.where(flags, its) if isinstance(own, Batch) else either(flags, own, its),
            self,
            other,
        )


def _mapped(change: Callable[..., Any], *batches: AnyBatch) -> AnyBatch:
    """One batch from the fields of several, of which those that are the same for all elements stay."""
    changed = {}
    for field in fields(batches[0]):  # type: ignore[arg-type]
        if field.init:
            values = [getattr(one, field.name) for one in batches]
            varies = isinstance(values[0], np.ndarray | Batch)
            changed[field.name] = change(*values) if varies else values[0]
    return type(batches[0])(**changed)


def either(flags: Flags, yes: NDArray[Any], no: NDArray[Any]) -> NDArray[Any]:
    """For each element of a batch, ``yes`` where its flag is set, else ``no``."""
    return np.where(flags.reshape(-1, *[1] * (yes.ndim - 1)), yes, no)
