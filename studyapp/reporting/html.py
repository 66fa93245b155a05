"""Pages that need nothing else, and that escape whatever a file may carry."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

__all__ = ["data_address", "render"]


def render(package: str, template: str, filters: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """A page, from the template of this name in a package."""
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters |= filters
    text = resources.files(package).joinpath(template).read_text(encoding="utf-8")
    return environment.from_string(text).render(**given)


def data_address(svg: Path | bytes) -> str:
    """An SVG, or a file of one, as an address that has it all in it, so that a page needs nothing else."""
    content = svg if isinstance(svg, bytes) else svg.read_bytes()
    return f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"
