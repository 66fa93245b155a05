"""Folders of results: checked before the work, written whole."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained, replacing

__all__ = ["check_folder", "make_folder", "write_csv", "write_json", "write_text"]


def check_folder(folder: Path) -> None:
    """Refuse, before any long work, a place where results cannot be written."""
    with explained(folder):
        for place in (folder, *folder.parents):
            if place.is_dir():
                if not os.access(place, os.W_OK | os.X_OK):
                    raise FileError(place, "nothing may be written in this folder; choose another (--out)")
                return
            if os.path.lexists(place):  # also a link that leads nowhere
                raise FileError(place, "this is a file, and results need a folder; choose another (--out)")


def make_folder(folder: Path) -> None:
    """Make a folder that may be there already."""
    with explained(folder):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # data about people, for their owner
        except (FileExistsError, NotADirectoryError):
            raise FileError(folder, "this is a file, or lies in one, and a folder is needed") from None


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, over what stood there before."""
    with replacing(path, overwrite=True) as file:
        file.write(text.encode(errors="backslashreplace"))  # half a character, from the name of a file


def write_json(path: Path, content: Any) -> None:
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    write_text(path, text.getvalue())
