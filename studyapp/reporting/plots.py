"""The look of all figures, and how they get to disk.

Colours are Okabe and Ito's, which people with any common colour blindness can tell apart; what is drawn also
differs in line style and marker, so that print in grey will do.  The same results make the same bytes.
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

from core.files import replacing
from studyapp.base.outputs import make_folder

__all__ = ["COLOURS", "FORMS", "GREY", "LOOK", "MARKERS", "STYLES", "WIDTH", "Pen", "drawn", "save"]

COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P")
GREY = "#6b6b6b"
LOOK: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: alike everywhere
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "text.parse_math": False,  # a word may have a $ in it
    "svg.hashsalt": "studyapp",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "figure.dpi": 150,
}
FORMS: Any = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # and what is not to be written in them
WIDTH = 6.3  # inches: a column of text


@dataclass(frozen=True)
class Pen:
    """How a model is drawn, in all figures."""

    colour: str
    style: str
    marker: str


def save(
    figure: Figure, folder: Path, name: str, forms: Mapping[str, Any], dots: int | str = "figure"
) -> Path:
    """Write a figure in some forms; where the SVG is."""
    make_folder(folder)
    for form, metadata in forms.items():
        with replacing(folder / f"{name}.{form}", overwrite=True) as file:
            file.write(drawn(figure, form, metadata, dots))
    return folder / f"{name}.svg"


def drawn(figure: Figure, form: str, metadata: Any, dots: int | str = "figure") -> bytes:
    """The bytes of a figure in one form."""
    file = io.BytesIO()
    with mpl.rc_context(LOOK), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a box is drawn in its place
        figure.savefig(file, format=form, metadata=metadata, dpi=dots)
    return file.getvalue()
