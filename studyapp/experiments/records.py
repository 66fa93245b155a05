"""Check designs and records, wherever they come from: a results file, another process, another machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.wording import printable
from studyapp.experiments.designs import DESIGNS, Record

__all__ = ["compact", "fault_of_design", "fault_of_record", "size"]

MOST_REPLICATIONS = 1_000_000
LONGEST_NAME = 100  # of a series
LARGEST_SEED = 2**63
OVERHEAD = 100  # a record with its lists takes the memory of so many numbers more


def fault_of_record(design: Mapping[str, Any], record: Any) -> str | None:
    """What is wrong with a record under the settings of its design; None if it is fine."""
    if not isinstance(record, dict):
        return "this isn't a record: an object with a series and a replication number"
    series, number = record.get("series"), record.get("replication")
    if not isinstance(series, str) or not 0 < len(series) <= LONGEST_NAME or not series.isprintable():
        return f"series must be a name of at most {LONGEST_NAME} characters"
    if type(number) is not int or not 0 <= number < MOST_REPLICATIONS:
        return f"replication must be a whole number from 0 to {MOST_REPLICATIONS - 1:,}"
    fields = {name: field for name, field in DESIGNS[design["kind"]].fields.items() if field.has(series)}
    for name, field in fields.items():
        if name not in record:
            return f"{name} is missing"
        if problem := field.fault(record[name], design):
            return f"{name} {problem}"
    for name in record:
        if name not in fields and name not in ("series", "replication"):
            return f"there is no field {printable(name)!r} in a record of {series}"
    return None


def fault_of_design(design: Any) -> str | None:
    """What is wrong with the design in the first line of a results file; None if it is fine."""
    kind = design.get("kind") if isinstance(design, dict) else None
    if not isinstance(kind, str) or kind not in DESIGNS:
        return "the design in this file is unknown to this version of studyapp"
    for field in DESIGNS[kind].fields.values():
        if problem := field.fault_of_settings(design):
            return f"in its design, {problem}"
    seed = design.get("seed")
    if type(seed) is not int or not -LARGEST_SEED <= seed < LARGEST_SEED:
        return "in its design, the setting 'seed' must be a whole number"
    return None


def size(design: Mapping[str, Any], series: str) -> int:
    """How many numbers a record of a series takes the memory of."""
    fields = DESIGNS[design["kind"]].fields.values()
    return OVERHEAD + sum(field.size(design) for field in fields if field.has(series))


def compact(design: Mapping[str, Any], record: Record) -> Record:
    """A record that was checked, in less memory: there may be a hundred thousand."""
    fields = DESIGNS[design["kind"]].fields
    return {name: fields[name].compact(value) if name in fields else value for name, value in record.items()}
