"""Exported tables, read back."""

from __future__ import annotations

import csv
from pathlib import Path


def cells(path: Path) -> list[list[str]]:
    """The rows of a CSV file, the header first."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def table(folder: Path, name: str) -> Path:
    """The file of a table in an exported folder."""
    (path,) = (folder / "data").glob(f"*_description-{name}_data.csv")
    return path


def records(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table in an exported folder."""
    header, *rows = cells(table(folder, name))
    return [dict(zip(header, row, strict=True)) for row in rows]
