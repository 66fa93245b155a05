"""The table of participants, which follows the logs as they grow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text
from textual.widgets import DataTable
from textual.widgets.data_table import CellDoesNotExist

from core.wording import visible
from studyapp.office.columns import Column, columns_for
from studyapp.office.status import Row

__all__ = ["Participants"]

LONGEST_NOTE = 60  # characters; the details have all of it


class Participants(DataTable[Text]):
    """One row per participant; only cells that changed are drawn again."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="row")
        self._shown: dict[str, Row] = {}
        self._columns: list[Column] = []

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
            for row in rows:
                if row != self._shown[row.participant]:
                    self._update(row, now)
        else:
            self._fill(rows, columns, now)
        self._shown = {row.participant: row for row in rows}

    def choose(self, participant: str) -> None:
        """Move the cursor to a participant."""
        if participant in self._shown:
            self.move_cursor(row=self.get_row_index(participant))

    def _fill(self, rows: Sequence[Row], columns: list[Column], now: datetime) -> None:
        chosen, (x, y) = self.chosen, self.scroll_offset
        self.clear(columns=columns != self._columns)
        if columns != self._columns:
            for column in columns:
                self.add_column(column.heading, key=column.heading)
            self._columns = columns
        for row in rows:
            self.add_row(*self._cells(row, now), key=row.participant)
        if chosen and any(row.participant == chosen.participant for row in rows):
            self.move_cursor(row=self.get_row_index(chosen.participant), scroll=False)
            self.scroll_to(x, y, animate=False)

    def _update(self, row: Row, now: datetime) -> None:
        for column, cell in zip(self._columns, self._cells(row, now), strict=True):
            if self.get_cell(row.participant, column.heading) != cell:
                self.update_cell(row.participant, column.heading, cell, update_width=True)

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
            "deleted": theme.secondary,
            "withdrawn": theme.secondary,
        }
        return (theme.secondary if row.excluded else styles.get(row.label)) or ""


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_NOTE else f"{text[: LONGEST_NOTE - 1]}…"
