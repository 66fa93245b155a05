"""HTML pages that need no other file and that escape whatever text they are given."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from core.wording import visible_lines

PIXELS = 1.6  # of a page for each point of a figure, so that its text is a little smaller than the page's
WIDTH = re.compile(rb'<svg [^>]*\bwidth="([0-9.]+)pt"')


def render(package: str, template: str, filters: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Fill in a template of a package.  It can include the shared style: ``{% include "page.css" %}``."""

    def load(name: str) -> str | None:
        for place in (package, "studyapp.reporting"):
            file = resources.files(place).joinpath(name)
            if file.is_file():
                return file.read_text(encoding="utf-8")
        return None

    environment = Environment(loader=FunctionLoader(load), autoescape=True, undefined=StrictUndefined)
    environment.filters |= filters
    # A browser, too, obeys marks that change the direction of text.
    return visible_lines(environment.get_template(template).render(**given))


def svg_address(svg: bytes) -> str:
    """An address that contains the whole image, so that the page needs no other file."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def svg_width(svg: bytes) -> int:
    """The width in pixels at which a figure is shown, so that text has the same size in all figures."""
    found = WIDTH.search(svg[:2000])
    return round(PIXELS * float(found[1])) if found else 720
