"""The table of participants, which follows the logs as they grow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text
from textual.widgets import DataTable
from textual.widgets.data_table import CellDoesNotExist

from core.wording import visible
from studyapp.office.status import Row
from studyapp.office.table import Column, columns_for

LONGEST_NOTE = 60  # characters; the details have all of it


class Participants(DataTable[Text]):
    """One row per participant; only cells that changed are drawn again.

    Columns have widths of their own.  Left to itself, a DataTable measures its cells some time after they
    are there; what it draws before that, with columns as narrow as their headings, it would draw again later.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="row", fixed_columns=1)  # the ID stays in sight
        self._shown: dict[str, Row] = {}
        self._columns: list[Column] = []
        self._was_chosen = ""  # who is chosen again when there are rows again

    @property
    def chosen(self) -> Row | None:
        """The participant under the cursor."""
        if not self.row_count:
            return None
        try:
            key = self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value
        except CellDoesNotExist:
            return None
        return self._shown.get(key or "")

    def show(self, rows: Sequence[Row], now: datetime) -> None:
        """Show these participants; the cursor stays with the one it is on."""
        columns = columns_for(rows, now)
        if columns == self._columns and [row.participant for row in rows] == list(self._shown):
            changed = [(row, self._cells(row, now)) for row in rows if row != self._shown[row.participant]]
            if all(self._fits(cells) for _, cells in changed):
                for row, cells in changed:
                    self._update(row, cells)
            else:
                self._fill(rows, columns, now)
        else:
            self._fill(rows, columns, now)
        self._shown = {row.participant: row for row in rows}

    def choose(self, participant: str) -> None:
        """Move the cursor to a participant."""
        if participant in self._shown:
            self.move_cursor(row=self.get_row_index(participant))

    def _fill(self, rows: Sequence[Row], columns: list[Column], now: datetime) -> None:
        was_in_sight, (x, y) = True, self.scroll_offset
        if self.chosen:
            self._was_chosen = self.chosen.participant
            was_in_sight = self._in_sight(self.cursor_row, y)
        self.clear(columns=True)
        self._columns = columns
        cells = [self._cells(row, now) for row in rows]
        for place, column in enumerate(columns):
            width = max([len(column.heading), *(own[place].cell_len for own in cells)])
            self.add_column(column.heading, key=column.heading, width=width)
        for row, own in zip(rows, cells, strict=True):
            self.add_row(*own, key=row.participant)
        if any(row.participant == self._was_chosen for row in rows):
            place = self.get_row_index(self._was_chosen)
            if was_in_sight and not self._in_sight(place, y):
                self.move_cursor(row=place)
            else:
                self.move_cursor(row=place, scroll=False)
                self.scroll_to(x, y, animate=False)

    def _in_sight(self, row: int, top: int) -> bool:
        """Is a row in the window, if this one is the first there?"""
        return top <= row < top + self.scrollable_content_region.height - self.header_height

    def _fits(self, cells: Sequence[Text]) -> bool:
        return all(
            cell.cell_len <= column.width for cell, column in zip(cells, self.ordered_columns, strict=True)
        )

    def _update(self, row: Row, cells: Sequence[Text]) -> None:
        for column, cell in zip(self._columns, cells, strict=True):
            if self.get_cell(row.participant, column.heading) != cell:
                self.update_cell(row.participant, column.heading, cell)

    def _cells(self, row: Row, now: datetime) -> list[Text]:
        return [
            Text(
                _shortened(visible(column.cell(row, now))),
                style=self._style(row),
                justify="right" if column.is_number else "left",
                no_wrap=True,
            )
            for column in self._columns
        ]

    def _style(self, row: Row) -> str:
        """The colour of a row; the state says the same in a word."""
        theme = self.app.current_theme
        styles = {
            "open": f"bold {theme.primary}",
            "unfinished": theme.warning,
            "broken": f"bold {theme.error}",
            "declined": theme.secondary,
            "deleted": theme.secondary,
            "withdrawn": theme.secondary,
        }
        return (theme.secondary if row.excluded else styles.get(row.label)) or ""


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_NOTE else f"{text[: LONGEST_NOTE - 1]}…"
