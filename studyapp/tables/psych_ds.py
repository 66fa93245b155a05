"""The documents of an export, by the rules of Psych-DS (https://psych-ds.github.io).

A dataset is a folder ``data`` of CSV files and a ``dataset_description.json``, which in the words of
schema.org says what each column of them means.  The name of a data file is made of pairs key-value, of
small letters and of letters and digits, and ends with ``_data.csv``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from studyapp.tables.columns import GUARDED, Column, Table
from studyapp.tables.table_files import Written

__all__ = ["FILES", "changes", "data_name", "description", "readme"]

LONGEST_SLUG = 40  # characters

# Every file of an export, and the folder.
FILES = re.compile(
    r"data|data/([a-z]+-[a-zA-Z0-9]+_)+data\.csv|dataset_description\.json|README\.md|CHANGES\.md"
)


def data_name(titles: Sequence[str], table: Table[Any]) -> str:
    """The file name of a table, from the titles of the studies in it."""
    return f"study-{_slug(titles[0]) if len(titles) == 1 else 'several'}_description-{table.name}_data.csv"


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title)
    words = re.findall("[A-Za-z0-9]+", "".join(each for each in plain if not unicodedata.combining(each)))
    return "".join(word[0].upper() + word[1:] for word in words)[:LONGEST_SLUG] or "untitled"


def description(name: str, told: str, written: Sequence[Written]) -> dict[str, Any]:
    """What stands in dataset_description.json."""
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": name,
        "description": told,
        "variableMeasured": list(_variables(written)),
    }


def _variables(written: Sequence[Written]) -> Iterator[dict[str, Any]]:
    """Every column name once; where tables mean different things by it, each meaning with its tables."""
    named: dict[str, dict[str, list[str]]] = {}
    facts: dict[str, list[dict[str, Any]]] = {}
    for each in written:
        for column in each.columns:
            meanings = named.setdefault(column.name, {})
            meanings.setdefault(column.description, []).append(each.table.name)
            facts.setdefault(column.name, []).append(_facts(column))
    for name, meanings in named.items():
        told = [f"in {' and '.join(tables)}: {meaning}" for meaning, tables in meanings.items()]
        variable = {"@type": "PropertyValue", "name": name}
        variable["description"] = next(iter(meanings)) if len(meanings) == 1 else "; ".join(told)
        first, *others = facts[name]
        yield variable | {
            key: value for key, value in first.items() if all(other.get(key) == value for other in others)
        }


def _facts(column: Column[Any]) -> dict[str, Any]:
    known = {
        "unitText": column.unit,
        "minValue": column.least,
        "maxValue": column.most,
        "valuePattern": "|".join(column.levels) or None,
    }
    return {key: value for key, value in known.items() if value is not None}


def readme(name: str, told: str, written: Sequence[Written]) -> str:
    """The same for people."""
    lines = [f"# {name}", "", told, "", "| file in `data/` | a row is | rows | told apart by |"]
    lines.append("| --- | --- | --- | --- |")
    for each in written:
        key = ", ".join(f"`{column.name}`" for column in each.columns if column.name in each.table.key)
        lines.append(f"| `{each.name}` | {each.table.each} | {each.rows:,} | {key} |")
    lines += [
        "",
        "The tables are CSV in UTF-8. An empty cell is what is not known or does not apply; columns in "
        f"which there would be nothing else are left out. In columns of free text {GUARDED}, so that no "
        "spreadsheet runs it.",
        "",
        "The folder follows [Psych-DS](https://psych-ds.github.io). Before you share it, see that no free "
        "text tells who someone is, and add `author`, `license` and `citation` to "
        "`dataset_description.json`.",
    ]
    for each in written:
        lines += ["", f"## {each.table.name}", "", "| column | type | unit | meaning |"]
        lines.append("| --- | --- | --- | --- |")
        lines += [f"| `{c.name}` | {c.type} | {c.unit or ''} | {c.meaning} |" for c in each.columns]
    return "\n".join(lines) + "\n"


def changes(date: str, told: str) -> str:
    """The history of the dataset, which begins here."""
    return f"# Changes\n\n## {date}\n\n{told}\n"
