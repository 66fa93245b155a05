"""What a worker sends back, and how it is checked.

A worker is another process, or a machine of a cluster that someone else may control.  It replies with JSON
text: plain data, with the versions of its software.  Nothing of a reply is used before all of it has been
checked against the job that was sent: exactly the replications of its series, every field complete and within
its bounds, and whatever else the job can tell, such as the rewards of the arms.

This shows every mistake and crude lies.  A worker that invents likely answers is not found out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import StudyappError
from core.wording import printable
from studyapp.base.environment import here
from studyapp.experiments.designs import Job, Record, Work
from studyapp.experiments.records import fault_of_record
from studyapp.experiments.versions import other_versions

__all__ = ["ReplyError", "failure", "received", "reply"]

LARGEST = 50_000_000  # characters; the largest job returns 25 records of 10,000 numbers


class ReplyError(StudyappError):
    """A worker sent something that is not the result of its job."""


def reply(work: Work) -> str:
    """Do the work of a job, in a worker."""
    return json.dumps({"worker": here(), "records": work()}, allow_nan=False)


def failure(error: Exception) -> str:
    """The reply of a worker that could not do its work."""
    return json.dumps({"worker": here(), "failed": f"{type(error).__name__}: {error}"})


def received(text: Any, job: Job, design: Mapping[str, Any], software: Mapping[str, str]) -> list[Record]:
    """The records in the reply to a job of a ``design``, if they are what this ``software`` asked for."""
    content = _json(text)
    worker = content.get("worker")
    if not isinstance(worker, dict) or not isinstance(worker.get("software"), dict):
        raise ReplyError("a worker did not say who it is and which versions it has")
    name = printable(f"{worker.get('host')}, process {worker.get('process')}")
    if others := other_versions(software, worker["software"]):
        raise ReplyError(
            f"the worker on {name} has other versions than this machine: {others}; "
            "results of different versions are never mixed, so install the same ones there"
        )
    if "failed" in content:
        raise ReplyError(f"the worker on {name} failed: {printable(str(content['failed']))}")
    records = content.get("records")
    if problem := _fault(records, job, design):
        raise ReplyError(f"the worker on {name} sent a wrong result, which was not saved: {problem}")
    return list(records or [])


def _json(text: Any) -> dict[str, Any]:
    try:
        content = json.loads(text) if isinstance(text, str) and len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ReplyError("a worker sent something other than results, which was not read")
    return content


def _fault(records: Any, job: Job, design: Mapping[str, Any]) -> str | None:
    """What is wrong with the records of a job; None if they are fine."""
    asked = len(job.replications)
    if not isinstance(records, list) or len(records) != asked:
        return f"{asked} replications of {job.series} were asked for"
    for number, record in zip(job.replications, records, strict=True):
        problem = fault_of_record(design, record)
        if not problem and (record["series"], record["replication"]) != (job.series, number):
            problem = f"that is replication {record['replication']} of {record['series']}"
        if problem := problem or job.fault(record):
            return f"in place of replication {number} of {job.series}, {problem}"
    return None
