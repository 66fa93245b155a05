"""Folders of results: checked before the work, and written file by file, each whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained, replacing


def check_folder(folder: Path, *inside: str, option: str = "--out") -> None:
    """Refuse, before any long work, a folder in which nothing could be written.

    ``inside`` are the names of the folders that will be made in it; ``option`` is the one that names it.
    """
    with explained(folder):
        for name in inside:
            _refuse_link(folder / name)
        for place in (folder, *folder.parents):
            if place.is_dir():
                if not os.access(place, os.W_OK | os.X_OK):
                    raise FileError(place, f"you may not write in this folder; choose another ({option})")
                return
            if os.path.lexists(place):  # also a broken link
                raise FileError(place, f"this is a file, but a folder is needed; choose another ({option})")


def make_folder(folder: Path) -> None:
    """Make a folder, unless it exists.  It may be a link to one: the user named it."""
    with explained(folder):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # data about people: for the owner only
        except (FileExistsError, NotADirectoryError):
            problem = "this is a file, or inside one, but a folder is needed; choose another name"
            raise FileError(folder, problem) from None


def inner_folder(folder: Path, name: str) -> Path:
    """Make a folder inside one that the user named, unless it exists; a link could lead anywhere else."""
    make_folder(folder)
    inner = folder / name
    _refuse_link(inner)
    make_folder(inner)
    return inner


def _refuse_link(inner: Path) -> None:
    with explained(inner):
        if inner.is_symlink():
            problem = "this is a link, but a folder is needed; remove it, or choose another --out"
            raise FileError(inner, problem)


@contextmanager
def replacing_folder(out: Path) -> Iterator[Path]:
    """Write a folder whole or not at all: under a temporary name beside it, moved into place at the end."""
    with explained(out):
        target = out.resolve()  # a link to a folder stays, since the user named it
        make_folder(target.parent)
        work = Path(tempfile.mkdtemp(prefix=".", dir=target.parent))  # for the owner alone
        part, old = work / "part", work / "old"
        try:
            make_folder(part)
            yield part
            if target.exists():
                target.rename(old)
            part.rename(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.rename(target)
            raise
        finally:
            shutil.rmtree(work, ignore_errors=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, replacing an earlier one."""
    with replacing(path, overwrite=True) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode(errors="backslashreplace"))  # lone surrogates can come from file names


def write_json(path: Path, content: Any) -> None:
    write_text(path, json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """The value as JSON knows it.

    Arrays become lists, and what is not a finite number null.  An object that doesn't say otherwise by
    ``as_json`` becomes its fields, ``low`` and ``high`` among them its 95 % interval.
    """
    match value:
        case None | str() | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(name): plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    if hasattr(value, "as_json"):
        return plain(value.as_json())
    fields = dict(vars(value))
    if "low" in fields:
        limits = {"ci95": [fields.pop("low"), fields.pop("high")]}
        first = next(iter(fields))
        fields = {first: fields.pop(first)} | limits | fields
    return plain(fields)


def write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    write_text(path, text.getvalue())
