"""A Dask worker in the wrong hands: loaded with ``--preload``, it poisons what the worker sends.

The file ``poison`` in the folder that the environment variable ``HOSTILE`` names says how.  Code that runs
where it should not makes a file in that folder, named with the number of its process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studyapp.experiments import cluster
from studyapp.experiments.replies import reply

FOLDER = Path(os.environ.get("HOSTILE", "."))

Content = dict[str, Any]


class Code:
    """Runs code in whoever unpickles it."""

    def __reduce__(self) -> Any:
        marks = f"__import__('pathlib').Path({str(FOLDER)!r}, str(__import__('os').getpid())).touch()"
        return eval, (marks,)


class CodeError(Exception):
    def __reduce__(self) -> Any:
        return Code().__reduce__()


def records(change: Callable[[list[Content]], Any]) -> Callable[[Content], Any]:
    """Change the list of records."""
    return lambda content: json.dumps(content | {"records": change(content["records"])})


def first(**changes: Any) -> Callable[[Content], Any]:
    """Change fields of the first record."""
    return records(lambda found: [found[0] | changes, *found[1:]])


def versions(**changes: Any) -> Callable[[Content], Any]:
    def changed(content: Content) -> str:
        software = content["worker"]["software"] | changes
        return json.dumps(content | {"worker": content["worker"] | {"software": software}})

    return changed


def without(name: str) -> Callable[[Content], Any]:
    return records(lambda found: [{key: found[0][key] for key in found[0] if key != name}, *found[1:]])


def raised(_: Content) -> Any:
    raise CodeError


def printed(content: Content) -> Any:
    """The right answer, and a message for the terminal of the client."""
    import distributed

    distributed.print("\x1b]52;c;aGVsbG8=\x07")
    distributed.worker.warn(Warning("\x1b]52;c;aGVsbG8=\x07"))
    return json.dumps(content)


WRONG = "sent a wrong result, which was not saved: in place of replication 0 of N-N, "
OTHER = "sent something other than"  # text, or results
UNREAD = "the Dask cluster sent something other than text, which was not read"

# By name: what is sent instead of a reply, and what the client says of it.
POISONS: dict[str, tuple[Callable[[Content], Any], str]] = {
    "a reward above the most": (
        first(reward=[45.0, 0, 0, 0]),
        WRONG + "reward must be a list of 4 numbers from",
    ),
    "no records": (records(lambda _: []), "2 replications of N-N were asked for"),
    "no list of records": (records(lambda found: found[0]), "2 replications of N-N were asked for"),
    "fewer replications": (records(lambda found: found[:1]), "2 replications of N-N were asked for"),
    "more replications": (records(lambda found: [*found, found[0]]), "2 replications of N-N were asked for"),
    "the same replication twice": (
        records(lambda found: [found[0], found[0]]),
        "in place of replication 1 of N-N, that is replication 0 of N-N",
    ),
    "another order": (records(lambda found: found[::-1]), WRONG + "that is replication 1 of N-N"),
    "another replication": (first(replication=7), WRONG + "that is replication 7 of N-N"),
    "another series": (first(series="other"), WRONG + "alpha is missing"),
    "a series that is no name": (first(series=["N-N"]), WRONG + "series must be a name"),
    "a replication that is no number": (first(replication={}), WRONG + "replication must be a whole number"),
    "a replication that is huge": (first(replication=10**30), WRONG + "replication must be a whole number"),
    "not a number": (
        first(reward=[float("nan"), 0, 0, 0]),
        WRONG + "reward must be a list of 4 numbers from",
    ),
    "infinity": (
        first(concordance=[float("inf")] * 4),
        WRONG + "concordance must be a list of 4 numbers from",
    ),
    "too few numbers": (first(concordance=[0.5]), WRONG + "concordance must be a list of 4 numbers from"),
    "too many numbers": (first(answers=[1] * 5), WRONG + "answers must be a list of 4 whole numbers from"),
    "text for numbers": (first(reward="0000"), WRONG + "reward must be a list of 4 numbers from 0 to 1"),
    "truth for numbers": (
        first(answers=[True] * 4),
        WRONG + "answers must be a list of 4 whole numbers from",
    ),
    "a number for truth": (first(converged=1), WRONG + "converged must be true or false"),
    "an arm that is not there": (
        first(asked=[12, 0, 0, 0]),
        WRONG + "asked must be a list of 4 whole numbers",
    ),
    "another first arm": (
        records(lambda found: [found[0] | {"asked": [(found[0]["asked"][0] + 1) % 12, 0, 0, 0]}, found[1]]),
        WRONG + "asked must begin with arm",
    ),
    "rewards of other arms": (first(reward=[0.5] * 4), WRONG + "reward must have the reward probabilities"),
    "a field too few": (without("concordance"), WRONG + "concordance is missing"),
    "a field too many": (first(note="hello"), WRONG + "there is no field 'note'"),
    "a record that is none": (records(lambda found: [[], *found[1:]]), WRONG + "this isn't a record"),
    "other versions": (
        versions(numpy="\x1b[2J"),
        r"other versions than this machine: numpy \x1b[2J instead",
    ),
    "versions that are none": (
        versions(learners=[]),
        "other versions than this machine: learners [] instead of",
    ),
    "nobody": (lambda content: json.dumps({"records": content["records"]}), "did not say who it is"),
    "no object": (lambda content: json.dumps(content["records"]), OTHER),
    "no JSON": (lambda content: json.dumps(content)[:-1], OTHER),
    "deep JSON": (lambda _: "[" * 100_000, OTHER),
    "a number": (lambda _: 7, OTHER),
    "nothing": (lambda _: None, OTHER),
    "bytes": (lambda content: json.dumps(content).encode(), OTHER),
    "a failure": (lambda content: json.dumps(content | {"failed": "\x1b[2J"}), r"failed: \x1b[2J"),
    "code": (lambda _: Code(), UNREAD),
    "code in a list": (lambda _: [1, [Code()]], UNREAD),
    "code as an error": (raised, UNREAD),
}


def poisoned(work: Any) -> Any:
    name = (FOLDER / "poison").read_text()
    poison = printed if name == "printed" else POISONS[name][0]
    return poison(json.loads(reply(work)))


def dask_setup(_worker: Any) -> None:
    """Called by Dask when the worker starts."""
    cluster.answered = poisoned
