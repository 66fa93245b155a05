"""Takes the pictures of the pages that the documentation shows: ``python -m studyapp.screens.pictures.make``.

A sensible participant completes a short study by keyboard: yes to the target and to similar words, no to
all others.  The first page of each kind is taken as an SVG picture.  So is the office of a study with some
participants.
"""

from __future__ import annotations

import asyncio
import html
import re
import sys
import tempfile
from pathlib import Path

from textual.app import App
from textual.pilot import Pilot

from studyapp.base import documents
from studyapp.screens.app import StudyApp
from studyapp.screens.pages.base import Page
from studyapp.screens.pages.before_round import BeforeRoundPage
from studyapp.screens.pages.break_ import BreakPage
from studyapp.screens.pages.confirm_items import ConfirmItemsPage
from studyapp.screens.pages.consent import ConsentPage
from studyapp.screens.pages.end import EndPage
from studyapp.screens.pages.id import IdPage
from studyapp.screens.pages.instructions import InstructionsPage
from studyapp.screens.pages.item import ItemPage
from studyapp.screens.pages.round import RoundPage
from studyapp.screens.pages.who import WhoPage
from studyapp.screens.pictures import office
from studyapp.study.folder import StudyFolder
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

HERE = Path(__file__).parent
SIZE = (80, 24)
SIZE_OF_PILOT = (112, 30)  # wide enough for the experimenter's view
SIZE_OF_OFFICE = (120, 40)
SIMILAR = 0.145  # a word with at least this reward is similar to the target
ANSWERED = 3  # questions answered before the picture of a round
PATIENCE = 20.0  # seconds for a page to appear
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


OFFICE = {"participants": 12, "blind": True}  # what the study of the office has beyond that


class Tour:
    """A participant who completes a session and takes pictures."""

    def __init__(self, app: StudyApp, pilot: Pilot[int], folder: Path) -> None:
        self._app = app
        self._pilot = pilot
        self._folder = folder
        self._taken: set[str] = set()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page()
            await self._pilot.press(key)

    async def page(self) -> object:
        """The page or dialog that is up, once it waits for a key."""
        async with asyncio.timeout(PATIENCE):
            while True:
                await self._pilot.pause()
                screen = self._app.screen
                if not isinstance(screen, Page) or screen.waits_for_key():
                    return screen

    async def take(self, name: str) -> None:
        """Take a picture, if there is none with this name yet."""
        if name not in self._taken:
            self._taken.add(name)
            await self.page()
            save(self._app, self._folder / f"{name}.svg")

    async def visit(self, page: object) -> None:
        """Take the page's picture, and do what it asks for."""
        match page:
            case IdPage():
                await self.press(*"P07")
                await self.take("id")
                await self.press("enter")
            case WhoPage():
                await self.take("who")
                await self.press("enter")
            case ConsentPage():
                await self.take("consent")
                await self.press("y", "enter")
            case InstructionsPage():
                await self.take("instructions")
                for _ in self._app.loaded.study.instructions[1:]:
                    await self.press("enter")
                await self.take("example")  # the last page of the instructions
                await self.press("enter")
            case BeforeRoundPage():
                if page.round_.practice:
                    await self.take("practice")
                elif page.sitting.session.rounds_done():
                    await self.take("between")
                await self.press("enter")
            case RoundPage():
                await self.answer(page)
            case BreakPage():
                await self.take("break")
                await self.press("enter")
            case ItemPage():
                await self.press(*KEYS[page.step.item.kind])
                await self.take(page.step.item.kind)
                await self.press(*["tab"] if page.step.item.typed else [], "enter")
            case ConfirmItemsPage():
                await self.take("answers")
                await self.press("end", "enter")  # Enter works once everything has been seen

    async def answer(self, page: RoundPage) -> None:
        """Answer one question sensibly."""
        question = page.open_question
        assert question is not None
        round_, word = page.round_, question.asked.word
        yes = self._app.loaded.reward(round_.target, word) >= SIMILAR
        await self.press("y" if yes else "n")
        # The most telling moment: after some other words, the first one that is similar to the target.
        answers = page.sitting.session.answers_in(round_)
        first_yes = yes and len(answers) >= ANSWERED and all(answer.answer == "n" for answer in answers)
        if first_yes and word != round_.target and not round_.practice:
            await self.take("round")
            if "leave" not in self._taken:
                await self.press("ctrl+q")
                await self.take("leave")
                await self.press("escape")
        await self.press("enter")

    async def go(self) -> None:
        """Complete the session."""
        while not isinstance(page := await self.page(), EndPage):
            await self.visit(page)
        await self.take("end")
        if "round" not in self._taken:
            raise SystemExit("no moment was right for the picture of a round: choose other targets in STUDY")

    async def go_to_round(self) -> None:
        """Go on until there is a picture of a round."""
        while "round" not in self._taken:
            await self.visit(await self.page())


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


def short_study(folder: Path, **changes: object) -> LoadedStudy:
    """The bundled study with fewer rounds."""
    path = folder / "study.yaml"
    settings = {**load().study.model_dump(exclude_none=True, mode="json"), **STUDY, **changes}
    path.write_text(documents.block(settings))
    return load(path)


async def take_office(pictures: Path) -> None:
    """Take the pictures of the office, in a large and in a small window."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "word-study"
        folder.mkdir()
        short_study(folder, **OFFICE)
        office.fill(StudyFolder(folder))
        for file, size in (("office", SIZE_OF_OFFICE), ("office-80x24", SIZE)):
            app = office.opened(StudyFolder(folder))
            async with app.run_test(size=size) as pilot:
                while app.seen is None:
                    await pilot.pause()
                app.participants.choose(office.CHOSEN)
                await pilot.pause()
                save(app, pictures / f"{file}.svg")


async def main(pictures: Path) -> None:
    await take_office(pictures)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loaded = short_study(folder)
        app = StudyApp(loaded, folder)
        async with app.run_test(size=SIZE) as pilot:
            await Tour(app, pilot, pictures).go()
        assert app.sitting is not None
        app.sitting.close()
        app = StudyApp(loaded, folder, "pilot", pilot=True)
        async with app.run_test(size=SIZE_OF_PILOT) as pilot:
            await Tour(app, pilot, folder).go_to_round()
        (pictures / "pilot.svg").write_text((folder / "round.svg").read_text())
        assert app.sitting is not None
        app.sitting.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE))
