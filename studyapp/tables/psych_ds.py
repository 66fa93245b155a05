"""The documents of an export, which follow Psych-DS (https://psych-ds.github.io).

A dataset has CSV files in a folder ``data`` and a ``dataset_description.json``, which explains every
column in the vocabulary of schema.org.  The name of a data file consists of pairs ``key-value`` and ends
with ``_data.csv``.  Keys are small letters; values are letters and digits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from core.files import ordinary
from studyapp.tables.columns import GUARDED, Column, Described, Written

LONGEST_SLUG = 40  # characters

# The scripts that an analyst can begin with.  The Python one is kept as text, so that nothing takes it for a
# module of studyapp.
SCRIPTS: Final = {"starter.R": "starter.R", "starter.py": "starter.py.txt"}
FIGURES: Final = ("curves.pdf", "curves.png")  # what they draw, in this order

# Every file of an export and its folder, and the figures that its scripts draw.
FILES = re.compile(
    r"data|data/([a-z]+-[a-zA-Z0-9]+_)+data\.csv|dataset_description\.json|README\.md|CHANGES\.md|"
    r"\.psychdsignore|" + "|".join(map(re.escape, (*SCRIPTS, *FIGURES)))
)


def data_name(titles: Sequence[str], table: Described) -> str:
    """The file name of a table, from the titles of its studies."""
    return f"study-{_slug(titles[0]) if len(titles) == 1 else 'several'}_description-{table.name}_data.csv"


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title)
    words = re.findall("[A-Za-z0-9]+", "".join(char for char in plain if not unicodedata.combining(char)))
    return "".join(word[0].upper() + word[1:] for word in words)[:LONGEST_SLUG] or "untitled"


def description(name: str, about: str, written: Sequence[Written]) -> dict[str, Any]:
    """The contents of dataset_description.json."""
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": name,
        "description": about,
        "variableMeasured": list(_variables(written)),
    }


def _variables(written: Sequence[Written]) -> Iterator[dict[str, Any]]:
    """Every column name once.  If its meaning differs between tables, all meanings with their tables."""
    named: dict[str, dict[str, list[str]]] = {}
    facts: dict[str, list[dict[str, Any]]] = {}
    for file in written:
        for column in file.columns:
            meanings = named.setdefault(column.name, {})
            meanings.setdefault(column.description, []).append(file.table.name)
            facts.setdefault(column.name, []).append(_facts(column))
    for name, meanings in named.items():
        by_table = [f"in {' and '.join(tables)}: {meaning}" for meaning, tables in meanings.items()]
        variable = {"@type": "PropertyValue", "name": name}
        variable["description"] = next(iter(meanings)) if len(meanings) == 1 else "; ".join(by_table)
        first, *others = facts[name]
        yield variable | {
            key: value for key, value in first.items() if all(other.get(key) == value for other in others)
        }


def _facts(column: Column) -> dict[str, Any]:
    known = {
        "unitText": column.unit,
        "minValue": column.least,
        "maxValue": column.most,
        "valuePattern": "|".join(map(_pattern, column.choices)) or None,
    }
    return {key: value for key, value in known.items() if value is not None}


def _pattern(text: str) -> str:
    """A regular expression for a text; unlike with re.escape, one that people can read."""
    return re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", text)


def readme(name: str, about: str, written: Sequence[Written]) -> str:
    """The README, with a data dictionary for people."""
    lines = [f"# {name}", "", about, "", "| file in `data/` | one row per | rows | identified by |"]
    lines.append("| --- | --- | --- | --- |")
    for file in written:
        key = ", ".join(f"`{column.name}`" for column in file.columns if column.name in file.table.key)
        lines.append(f"| `{file.name}` | {file.table.row_is} | {file.rows:,} | {key} |")
    lines += [
        "",
        "The tables are CSV files in UTF-8. An empty cell means that the value is unknown or does not apply. "
        f"In columns of free text, {GUARDED}, so that no spreadsheet runs it as a formula.",
    ]
    if any(file.table.name == "rounds" for file in written):
        lines += [
            "",
            "`Rscript starter.R` and `python starter.py`, run in this folder, print the main result, fit a "
            "mixed model and draw the curves. To change one, copy it under another name.",
        ]
    lines += [
        "",
        "The folder follows [Psych-DS](https://psych-ds.github.io). Before you share it, check that no free "
        "text identifies a participant, and add `author`, `license` and `citation` to "
        "`dataset_description.json`.",
    ]
    for file in written:
        lines += ["", f"## {file.table.name}", ""]
        lines += [file.table.note, ""] if file.table.note else []
        lines += ["| column | type | unit | values | meaning |"]
        lines.append("| --- | --- | --- | --- | --- |")
        lines += [
            f"| `{c.name}` | {c.type} | {c.unit or ''} | {_values(c)} | {_cell(c.meaning)} |"
            for c in file.columns
        ]
    return "\n".join(lines) + "\n"


def _values(column: Column) -> str:
    """The values that a column may have, as far as they are fixed."""
    if column.choices:
        return _cell("; ".join(column.choices))
    if column.least is not None and column.most is not None:
        return f"{column.least:g} to {column.most:g}"
    return "" if column.least is None else f"from {column.least:g}"


def _cell(text: str) -> str:
    """A text as it must be written in a table of Markdown."""
    return text.replace("\\", "\\\\").replace("|", "\\|")


def script(name: str) -> bytes:
    """One of the scripts."""
    return resources.files(__package__).joinpath(SCRIPTS[name]).read_bytes()


def is_unchanged(path: Path) -> bool:
    """Is a file in an export the script of its name?"""
    expected = script(path.name)
    with ordinary(path) as file:
        return file.read(len(expected) + 1) == expected
