"""A balanced order of the models: every model comes equally often in every place.

Each target has an order of the models; the orders are rows of Latin squares.  In a square of M models, every
model is once in every place, and its rows follow from one another by a shift:

    row r:  w_0 + r, w_1 + r, ..., w_{M-1} + r   (mod M),    w = 0, 1, M-1, 2, M-2, ...

With this w (Williams, 1949) each model also follows each other model equally often: in one square if M is
even, and in a square together with its mirror image if M is odd.

A participant's targets are dealt into squares, one target to a row, and squares and mirror images take turns.
So each model comes in each place equally often, to within one if the last square has rows left over.
Participants come in blocks of M, or of 2M if M is odd.  The next participant of a block has every target one
row further, and the second M have the mirror images.  So the orders that a target has in M participants are
again a square, and those in a block are balanced for what follows what, too.

Which model is which number, which targets share a square, and its rows are drawn anew for every block.  A
participant's place follows from the ID (``studyapp.study.ids``), and nothing else needs to be known.
"""

from __future__ import annotations

from core.randomness import Stream, stream
from studyapp.study.ids import Place


def block_size(models: int) -> int:
    """The number of participants after which everything is balanced exactly."""
    return models * _squares(models)


def balanced_orders(seed: int, part: str, models: int, targets: int, place: Place) -> list[list[int]]:
    """For each target, the models in the order in which the participant at a place meets them.

    ``part`` names the part of the session: practice has orders of its own.
    """
    block, within = divmod(place.number - 1, block_size(models))
    mirrored, further = divmod(within, models)
    series = () if place.series is None else ("series", place.series)

    def draw(*names: str | int) -> Stream:
        return stream(seed, "balanced order of models", part, *series, "block", block, *names)

    labels = draw("models").permutation(models)
    dealt = draw("targets").permutation(targets)
    rows = [draw("square", square).permutation(models) for square in range(-(-targets // models))]
    sequence = _williams(models)
    orders = []
    for target in range(targets):
        square, row = divmod(int(dealt[target]), models)
        shift = int(rows[square][row]) + further
        order = [int(labels[(step + shift) % models]) for step in sequence]
        orders.append(order[::-1] if (square + mirrored) % _squares(models) else order)
    return orders


def _squares(models: int) -> int:
    """How many squares it takes until each model follows each other equally often."""
    return 1 + models % 2


def _williams(models: int) -> list[int]:
    """0, 1, M-1, 2, M-2, ...: the differences between neighbours are all different if M is even."""
    return [-(step // 2) % models if step % 2 == 0 else (step + 1) // 2 for step in range(models)]
