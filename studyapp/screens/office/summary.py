"""The study in a few lines, at the top of the office; and what to do next, at its foot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from rich.text import Text
from textual.widgets import Static

from core.wording import visible
from studyapp.office.overview import advice, finished
from studyapp.office.status import counts
from studyapp.office.watch import Seen

SHOWN_HASH = 12  # digits


class StudySummary(Static):
    """Title, file, stage, numbers, disk."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._seen: Seen | None = None

    def on_resize(self) -> None:
        if self._seen is not None:
            self.show(self._seen)

    def show(self, seen: Seen) -> None:
        self._seen = seen
        overview = seen.overview
        file = overview.folder.path.resolve().name, overview.folder.file.name, overview.sha256[:SHOWN_HASH]
        lines = Text()
        lines.append(visible(overview.title), style="bold")
        lines.append(f"   {visible('{}/{} {}'.format(*file))}\n", style="dim")
        lines.append("\n".join(_fitted(_facts(seen), self.content_size.width)))
        if others := [f"{number} {state}" for state, number in counts(seen.rows).items()]:
            lines.append(f"\n{', '.join(others)}")
        self.update(lines)


def _fitted(facts: Iterable[str], width: int) -> list[str]:
    """The facts in lines of this width, none of them broken in two."""
    lines: list[str] = []
    for fact in facts:
        if lines and len(longer := f"{lines[-1]} · {fact}") <= width:
            lines[-1] = longer
        else:
            lines.append(fact)
    return lines


def _facts(seen: Seen) -> Iterator[str]:
    overview = seen.overview
    study = overview.loaded.study if overview.loaded else None
    if study is None:
        yield "the study file has faults"
    else:
        yield f"{study.stage} stage"
        done = len(finished(seen.rows))
        of = f" of {study.participants}" if study.participants else ""
        yield f"{done}{of} {'counts' if done == 1 and not of else 'count'} so far"
        yield "collecting" if study.collecting else "not collecting"
        if study.blind:
            unblinded = seen.conduct.unblinded
            yield f"unblinded on {unblinded.at[:10]}" if unblinded else "blind"
        else:
            yield "not blind"
    if overview.free is not None:
        yield f"{overview.free / 1e9:,.1f} GB free"


class NextSteps(Static):
    """What to do next."""

    def show(self, seen: Seen, now: datetime) -> None:
        text = Text()
        for place, step in enumerate(advice(seen.overview, seen.rows, seen.conduct, now)):
            text.append("\n" if place else "")
            text.append("▸ ", style="bold")
            text.append(visible(step))
        self.update(text)
