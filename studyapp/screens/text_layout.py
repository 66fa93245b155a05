"""Text arranged for a given width: prose, progress bars, lists."""

from __future__ import annotations

from rich.cells import cell_len

__all__ = ["in_lines", "progress_bar", "reflowed"]


def reflowed(text: str) -> str:
    """Prose that can wrap at any width: one line per paragraph.  Indented lines stay as they are."""
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        continues = lines and lines[-1].strip() and not lines[-1].startswith(" ")
        if continues and line.strip() and not line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
    return "\n".join(lines)


def progress_bar(done: float, total: float, width: int) -> str:
    """A line of ``width`` columns, solid as far as the work is done."""
    solid = round(width * done / total) if total else width
    return "━" * solid + "╌" * (width - solid)


def in_lines(entries: list[str], width: int) -> list[str]:
    """As many entries per line as fit; no entry is split over two lines."""
    lines: list[str] = []
    for entry in entries:
        if lines and cell_len(lines[-1]) + 3 + cell_len(entry) <= width:
            lines[-1] += f" · {entry}"
        else:
            lines.append(entry)
    return lines
