"""Check what a results file holds against its design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studyapp.experiments.designs import DESIGNS

__all__ = ["fault_of_design", "fault_of_record"]


def fault_of_record(design: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """What is wrong with a record under the settings of its design; None if it is fine."""
    number = record.get("replication")
    if not isinstance(record.get("series"), str) or type(number) is not int or number < 0:
        return "a record must have a series and a replication number from 0"
    for name, field in DESIGNS[design["kind"]].fields.items():
        if field.has(record["series"]):
            if name not in record:
                return f"{name} is missing"
            if problem := field.fault(record[name], design):
                return f"{name} {problem}"
    return None


def fault_of_design(design: Any) -> str | None:
    """What is wrong with the design in the first line of a results file; None if it is fine."""
    if not isinstance(design, dict) or design.get("kind") not in DESIGNS:
        return "the design in this file is unknown to this version of studyapp"
    for field in DESIGNS[design["kind"]].fields.values():
        if problem := field.fault_of_settings(design):
            return f"in its design, {problem}"
    return None
