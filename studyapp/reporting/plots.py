"""The style of all figures, and how they are rendered and saved.

The colours are those of Okabe and Ito, which people with any common form of colour blindness can tell apart.
Series also differ in line style and marker, so figures work in greyscale.  The same results give the same
bytes.

An SVG keeps its text as text, in a font of the reader's machine: words of every script are shown, and can be
searched for and copied.  Room is made for DejaVu Sans, which comes with matplotlib and is wider than the
fonts that an SVG asks for.  Where a reader prefers a dark page, a style inside the SVG exchanges its colours.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from studyapp.base.outputs import write_bytes

COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, GREY, GRID, PAPER = "#1a1a1a", "#6b6b6b", "#e3e3e3", "#ffffff"
SHADES = ("#eceff2", "#d3e1ee", "#a9cbe6", "#6fa8d6", "#2f7dbd", "#0b4f8a")  # from little to much
DARK = {  # what each colour becomes on a dark page, which has the colour of PAPER there
    PAPER: "#15181c",
    GRID: "#343a42",
    GREY: "#a3a9b1",
    INK: "#e8e8e6",
    "#000000": "#e8e8e6",
    "#d55e00": "#f07f2e",
    "#0072b2": "#4ba6e3",
    "#009e73": "#2cc79b",
    "#cc79a7": "#dd97bf",
    "#e69f00": "#efb535",
    "#56b4e9": "#9ad7fb",
    **dict(zip(SHADES, ("#22272e", "#1d3549", "#1f4d73", "#2a6ba3", "#4b98d6", "#a5d3fa"), strict=True)),
}
LOOK: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so figures are the same everywhere
    "font.size": 8,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelpad": 5,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "lines.linewidth": 1.5,
    "legend.frameon": False,
    "text.parse_math": False,  # a word may contain a $
    "svg.hashsalt": "studyapp",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "figure.dpi": 150,
}
SVG: Any = {"svg": {"Date": None}}
FORMS: Any = SVG | {"pdf": {"CreationDate": None}}  # with the metadata to leave out
WIDTH = 6.3  # inches: a column of text

FONTS = b"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True)
class Pen:
    """How one series is drawn, in all figures."""

    colour: str
    style: str
    marker: str


@contextmanager
def any_script() -> Iterator[None]:
    """Without warnings about letters that the font lacks: a box is drawn, or a reader's own font used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def rendered(figure: Figure, forms: Mapping[str, Any]) -> dict[str, bytes]:
    """The figure as files, by form: ``{"svg": b"...", "pdf": b"..."}``."""
    contents = {}
    with mpl.rc_context(LOOK), any_script():
        _lay_out(figure)
        for form, metadata in forms.items():
            file = io.BytesIO()
            figure.savefig(file, format=form, metadata=metadata)
            contents[form] = _for_any_page(file.getvalue()) if form == "svg" else file.getvalue()
    return contents


def _lay_out(figure: Figure) -> None:
    """Solve the layout once; matplotlib would solve it, and draw everything twice, for each file."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine("none")


def _for_any_page(svg: bytes) -> bytes:
    """The SVG with fonts that readers have, and with other colours where a dark page is preferred."""
    svg = svg.replace(b"'DejaVu Sans', sans-serif", FONTS)
    rules = [f"svg {{ fill: {DARK['#000000']} }}"]  # matplotlib leaves out black, which is the default
    for light, dark in DARK.items():
        for what in ("fill", "stroke"):
            if f"{what}: {light}".encode() in svg:
                rules.append(f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}')
    style = "\n".join(["<style>@media screen and (prefers-color-scheme: dark) {", *rules, "}</style>"])
    return svg.replace(b"</defs>", style.encode() + b"</defs>", 1)


def write(contents: Mapping[str, bytes], folder: Path, name: str) -> None:
    """Write a rendered figure into a folder, one file per form."""
    for form, content in contents.items():
        write_bytes(folder / f"{name}.{form}", content)
