"""The style of all figures, and how they are rendered and saved.

The colours are those of Okabe and Ito, which people with any common form of colour blindness can tell apart.
Series also differ in line style and marker, so figures work in greyscale.  The same results give the same
bytes.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from studyapp.base.outputs import write_bytes

__all__ = [
    "COLOURS",
    "FORMS",
    "GREY",
    "LOOK",
    "MARKERS",
    "STYLES",
    "WIDTH",
    "Pen",
    "rendered",
    "write",
]

COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P")
GREY = "#6b6b6b"
LOOK: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so figures are the same everywhere
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "text.parse_math": False,  # a word may contain a $
    "svg.hashsalt": "studyapp",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "figure.dpi": 150,
}
FORMS: Any = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # with the metadata to leave out
WIDTH = 6.3  # inches: a column of text


@dataclass(frozen=True)
class Pen:
    """How one series is drawn, in all figures."""

    colour: str
    style: str
    marker: str


def rendered(figure: Figure, forms: Mapping[str, Any], dots: int | str = "figure") -> dict[str, bytes]:
    """The figure as files, by form: ``{"svg": b"...", "pdf": b"..."}``."""
    contents = {}
    for form, metadata in forms.items():
        file = io.BytesIO()
        with mpl.rc_context(LOOK), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a box is drawn instead
            figure.savefig(file, format=form, metadata=metadata, dpi=dots)
        contents[form] = file.getvalue()
    return contents


def write(contents: Mapping[str, bytes], folder: Path, name: str) -> None:
    """Write a rendered figure into a folder, one file per form."""
    for form, content in contents.items():
        write_bytes(folder / f"{name}.{form}", content)
