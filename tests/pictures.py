"""Takes the pictures of the screens that the documentation shows: ``python tests/pictures.py [FOLDER]``.

A sensible participant completes a short study by keyboard: yes to the target and to similar words, no to
all others.  The first page of each kind is taken as an SVG picture.  So is the office of a study with real
logs of made-up participants, at a fixed moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from driving import Person, running
from textual.app import App

from studyapp.base import documents
from studyapp.base.clock import SimulatedClock
from studyapp.office import study_log
from studyapp.office.events import BackedUp, Excluded, Noted, Verified
from studyapp.office.watch import Seen, Watch
from studyapp.screens.items import ItemPage
from studyapp.screens.office.app import OfficeApp
from studyapp.screens.pages import InstructionsPage
from studyapp.screens.round import RoundPage
from studyapp.screens.target import BeforeRoundPage
from studyapp.session import log
from studyapp.session.events import Answered
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.folder import StudyFolder
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.plan import Round

PICTURES = Path(__file__).parents[1] / "studyapp" / "screens" / "pictures"
SIZE = (80, 24)
SIZE_OF_PILOT = (112, 30)  # wide enough for the experimenter's view
SIZE_OF_OFFICE = (120, 40)
SIMILAR = 0.145  # a word with at least this reward is similar to the target
ANSWERED = 3  # questions answered before the picture of a round
# The answers to items.
KEYS = {"scale": ["right", "right"], "choice": ["1"], "text": [*"It was fun.", "enter", *"Thank you!"]}

STUDY = {
    "targets": ["dog", "coffee"],
    "pace": {"pause": 0.0, "hold": 0.0},
    "breaks": {"every": 2, "seconds": 0},
    "questionnaires": {
        "about-you": [
            {
                "id": "first-language",
                "kind": "choice",
                "ask": "Is English your first language?",
                "choices": ["yes", "no", "I'd rather not say"],
            },
            {
                "id": "remarks",
                "kind": "text",
                "ask": "Is there anything you want to tell us?",
                "optional": True,
            },
        ]
    },
    "at_end": ["nasa-tlx", "about-you"],
    "bonus": {"within": 15, "rounds": 1, "won": "You get an extra movie ticket."},
}


def short_study(folder: Path, **changes: object) -> LoadedStudy:
    """The bundled study with fewer rounds."""
    path = folder / "study.yaml"
    settings = {**load().study.model_dump(exclude_none=True, mode="json"), **STUDY, **changes}
    path.write_text(documents.block(settings))
    return load(path)


# The participant's pages


class Tour:
    """A participant who completes a session and takes pictures."""

    def __init__(self, person: Person, folder: Path) -> None:
        self._person = person
        self._folder = folder
        self._taken: set[str] = set()

    async def take(self, name: str) -> None:
        """Take a picture, if there is none with this name yet."""
        if name not in self._taken:
            self._taken.add(name)
            await self._person.settled()
            await self._person.handled()
            save(self._person.app, self._folder / f"{name}.svg")

    async def visit(self) -> None:
        """Take the page's picture, and do what it asks for."""
        page, press = self._person.app.screen, self._person.press
        match page:
            case InstructionsPage():
                await self.take("instructions")
                await press(*["enter"] * (len(page.study.instructions) - 1))
                await self.take("example")  # the last page of the instructions
                await press("enter")
            case BeforeRoundPage():
                if page.round_.practice:
                    await self.take("practice")
                elif page.sitting.session.rounds_done():
                    await self.take("between")
                await press("enter")
            case RoundPage():
                await self.answer(page)
            case ItemPage():
                await press(*KEYS[page.step.item.kind])
                await self.take(page.step.item.kind)
                await press(*["tab"] if page.step.item.typed else [], "enter")
            case _:
                name, keys = {
                    "IdPage": ("id", ["enter"]),
                    "WhoPage": ("who", ["enter"]),
                    "ConsentPage": ("consent", ["y", "enter"]),
                    "BreakPage": ("break", ["enter"]),
                    "ConfirmItemsPage": ("answers", ["end", "enter"]),  # once everything has been seen
                }[self._person.page()]
                await press(*"P07" if name == "id" else "")
                await self.take(name)
                await press(*keys)

    async def answer(self, page: RoundPage) -> None:
        """Answer one question sensibly."""
        round_, word, loaded = page.round_, self._person.question(), self._person.app.loaded
        yes = loaded.reward(round_.target, word) >= SIMILAR
        await self._person.press("y" if yes else "n")
        # The most telling moment: after some other words, the first one that is similar to the target.
        answers = page.sitting.session.answers_in(round_)
        first_yes = yes and len(answers) >= ANSWERED and all(answer.answer == "n" for answer in answers)
        if first_yes and word != round_.target and not round_.practice:
            await self.take("round")
            if "leave" not in self._taken:
                await self._person.press("ctrl+q")
                await self.take("leave")
                await self._person.press("escape")
        await self._person.press("enter")

    async def go(self) -> None:
        """Complete the session."""
        while self._person.page() != "EndPage":
            await self.visit()
        await self.take("end")
        if "round" not in self._taken:
            raise SystemExit("no moment was right for the picture of a round: choose other targets in STUDY")

    async def go_to_round(self) -> None:
        """Go on until there is a picture of a round."""
        while "round" not in self._taken:
            await self.visit()


# The office

MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 18, 11, 24, tzinfo=UTC)
FREE = 48.2e9  # bytes
CHOSEN = "P06"
FINISHED = ("P01", "P02", "P03", "P05")
BEGAN = {  # days and hours after Monday at nine
    "P01": (0, 0.1),
    "P02": (0, 2.2),
    "P03": (0, 5.4),
    "P04": (1, 0.3),
    "P05": (1, 2.1),
    "P06": (1, 5.5),
    "P07": (2, 2.2),
}
LEFT_AFTER = {"P04": 31, "P06": 52, "P07": 74}  # answers of those who did not finish


class LeavesError(Exception):
    """A participant leaves."""


class Visitor(SimulatedParticipant):
    """Leaves after so many answers."""

    def __init__(self, sitting: Sitting, answers: int | None) -> None:
        super().__init__(sitting, "person")
        self._left = answers

    def answer(self, round_: Round, question: int, word: str, history: list[Answered]) -> bool:
        if self._left == 0:
            raise LeavesError
        self._left = None if self._left is None else self._left - 1
        return super().answer(round_, question, word, history)


def fill(folder: StudyFolder) -> None:
    """Seven participants: four have finished, one withdrew, one will come back, one is answering now."""
    for participant, (days, hours) in BEGAN.items():
        clock = SimulatedClock(MONDAY + timedelta(days=days, hours=hours))
        sitting = Sitting.open(load(folder.file), Participant(participant), folder.sessions, clock=clock)
        with contextlib.suppress(LeavesError):
            attend(sitting, Visitor(sitting, LEFT_AFTER.get(participant)), clock)
        if participant == "P04":
            sitting.withdraw(delete=False)
        sitting.close()
    about: dict[str, Any] = {"host": "lab", "user": "anna"}
    chains = {
        participant: log.read(folder.sessions / f"{participant}.yaml").chain for participant in FINISHED
    }
    study_log.append(
        folder.log,
        Noted("P03", "phone rang in round 2", at="2026-11-16T14:25:00.000Z", **about),
        Excluded("P03", "took a phone call", unblinded=False, at="2026-11-16T14:30:00.000Z", **about),
        *(
            Verified(participant, chain, "verified", at="2026-11-17T17:00:00.000Z", **about)
            for participant, chain in chains.items()
        ),
        BackedUp("backup.zip", "0" * 64, list(FINISHED), at="2026-11-17T17:01:00.000Z", **about),
        Noted("P06", "has read about the study before", at="2026-11-17T14:29:00.000Z", **about),
        Noted("P06", "fire alarm; comes back on Thursday", at="2026-11-17T14:32:00.000Z", **about),
    )


class FixedWatch(Watch):
    """Looks at a study on a disk whose free space never changes, while P07 is answering."""

    def look(self, progress: Callable[[int, int], None] | None = None) -> Seen:
        seen = super().look(progress)
        rows = [replace(row, open=row.participant == "P07") for row in seen.rows]
        return replace(seen, overview=replace(seen.overview, free=int(FREE)), rows=rows)


# The pictures


def save(app: App[int], path: Path) -> None:
    """Save the screen as SVG, in a common font, so that the picture fetches nothing."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", app.export_screenshot(title=" "), flags=re.DOTALL)
    path.write_text(re.sub(TEXT, _without_indent, svg.replace("Fira Code", "DejaVu Sans Mono")))


BLANK = "&#160;"
TEXT = re.compile(rf'(<text [^>]*?)x="([\d.]+)"([^>]*?)textLength="([\d.]+)"([^>]*>)((?:{BLANK})+)([^<]+)<')


def _without_indent(text: re.Match[str]) -> str:
    """Move an indented text right instead of starting it with blanks, which some viewers leave out."""
    before, x, between, length, after, blanks, rest = text.groups()
    count, cells = blanks.count(BLANK), len(html.unescape(blanks + rest))
    indent = count * float(length) / cells
    start, width = f"{float(x) + indent:g}", f"{float(length) - indent:g}"
    return f'{before}x="{start}"{between}textLength="{width}"{after}{rest}<'


async def take_office(pictures: Path) -> None:
    """Take the pictures of the office, in a large and in a small window."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "word-study"
        path.mkdir()
        short_study(path, participants=12, blind=True)
        folder = StudyFolder(path)
        fill(folder)
        for file, size in (("office", SIZE_OF_OFFICE), ("office-80x24", SIZE)):
            app = OfficeApp(folder, watch=FixedWatch(folder), clock=SimulatedClock(NOW))
            async with app.run_test(size=size) as pilot:
                while app.seen is None:
                    await pilot.pause()
                app.participants.choose(CHOSEN)
                await pilot.pause()
                save(app, pictures / f"{file}.svg")


async def main(pictures: Path) -> None:
    await take_office(pictures)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loaded = short_study(folder)
        async with running(loaded, folder, None, size=SIZE) as person:
            await Tour(person, pictures).go()
        async with running(loaded, folder, "pilot", size=SIZE_OF_PILOT, pilot=True) as person:
            await Tour(person, folder).go_to_round()
        (pictures / "pilot.svg").write_text((folder / "round.svg").read_text())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES))
