"""Makes the pictures of every page that the README shows: ``make pictures``.

A short study is gone through by keyboard, as a participant would, and every page is taken as SVG.
"""

from __future__ import annotations

import asyncio
import html
import re
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from studyapp.base import documents
from studyapp.screens.app import StudyApp
from studyapp.screens.items import ItemPage
from studyapp.screens.pages import BeginRoundPage
from studyapp.screens.round import RoundPage
from studyapp.session.sitting import Sitting
from studyapp.study.loading import load

BLANK = "&#160;"
TEXT = re.compile(rf'(<text [^>]*?)x="([\d.]+)"([^>]*?)textLength="([\d.]+)"([^>]*>)((?:{BLANK})+)([^<]+)<')
HERE = Path(__file__).parent
SIZE = (80, 24)

STUDY = {
    "targets": ["tea", "salt"],
    "questions": 6,
    "pace": {"pause": 0.0, "hold": 0.0},
    "breaks": {"every": 2, "seconds": 0},
    "questionnaires": {
        "about-you": [
            {
                "id": "first-language",
                "kind": "choice",
                "ask": "Is English your first language?",
                "choices": ["yes", "no", "I would rather not say"],
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
    "bonus": {"within": 6, "rounds": 1, "won": "You get an extra movie ticket."},
}


def save(app: StudyApp, path: Path) -> None:
    """The screen as SVG, in whatever monospaced font there is: none is fetched from anywhere."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", app.export_screenshot(title=" "), flags=re.DOTALL)
    path.write_text(re.sub(TEXT, _without_indent, svg.replace("Fira Code", "DejaVu Sans Mono")))


def _without_indent(text: re.Match[str]) -> str:
    """A text that begins with blanks begins further right: some viewers leave leading blanks out."""
    before, x, between, length, after, blanks, rest = text.groups()
    count, cells = blanks.count(BLANK), len(html.unescape(blanks + rest))
    indent = count * float(length) / cells
    begin, left = f"{float(x) + indent:g}", f"{float(length) - indent:g}"
    return f'{before}x="{begin}"{between}textLength="{left}"{after}{rest}<'


async def settled(pilot: Pilot[int]) -> None:
    """Wait until the page waits for a key."""
    app = pilot.app
    assert isinstance(app, StudyApp)
    for _ in range(500):
        await pilot.pause(0.02)
        page = app.screen
        if not isinstance(page, RoundPage) or page.asks:
            break
    await pilot.pause(0.05)


async def tour(folder: Path, pictures: Path) -> None:
    """Go through the study and take the pictures."""
    text = documents.block({**load().study.model_dump(exclude_none=True, mode="json"), **STUDY})
    (folder / "study.yaml").write_text(text)
    loaded = load(folder / "study.yaml")
    app = StudyApp(loaded, folder)
    async with app.run_test(size=SIZE) as pilot:

        async def press(*keys: str) -> None:
            for key in keys:
                await settled(pilot)
                await pilot.press(key)
            await settled(pilot)

        def take(name: str) -> None:
            save(app, pictures / f"{name}.svg")

        await press(*"P07")
        take("id")
        await press("enter", "enter")  # the ID is new: that is asked about
        take("consent")
        await press("y", "enter")
        take("instructions")
        await press("enter", "enter")
        take("example")
        await press("enter")
        take("practice")
        for page in range(5):  # rounds, with the break after the second real one
            if page == 3:
                take("between")
            if page == 4:
                take("break")
                await press("enter")
            await press("enter")
            for question in range(6):
                if page == 3 and question == 4:
                    await press("y")
                    take("round")
                    await press("ctrl+q")
                    take("leave")
                    await press("escape")
                await press("y" if question % 2 else "n", "enter")
            if page == 3 and isinstance(app.screen, BeginRoundPage):
                break
        while not app.sitting or not app.sitting.session.over:
            name = (
                app.screen.step.item.kind if isinstance(app.screen, ItemPage) else type(app.screen).__name__
            )
            if name == "scale":
                await press("right", "right")
                take("scale")
            elif name == "choice":
                await press("1")
                take("choice")
            elif name == "text":
                await press(*"fun")
                take("text")
            elif name == "RoundPage":
                await press("n")
            await press("enter")
        take("end")
    sitting = Sitting(loaded, "pilot", folder, pilot=True)
    app = StudyApp(loaded, folder, sitting, pilot=True)
    async with app.run_test(size=(112, 30)) as pilot:
        for key in (
            "y",
            "enter",
            "enter",
            "enter",
            "enter",
            "enter",
            "n",
            "enter",
            "n",
            "enter",
            "y",
            "enter",
            "y",
        ):
            await settled(pilot)
            await pilot.press(key)
        await settled(pilot)
        save(app, pictures / "pilot.svg")
    sitting.close()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(tour(Path(temporary), target))
