"""The documentation is true: its commands parse, its Python runs, its links lead somewhere."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studyapp.cli import COMMANDS, parser_of

ROOT = Path(__file__).parents[1]
OUTPUTS = ("analysis", "power", "simulation", "reproduction", "dist")  # folders that commands write
PAGES = sorted(
    page for page in ROOT.rglob("*.md") if not page.relative_to(ROOT).parts[0].startswith((".", *OUTPUTS))
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:\.venv/bin/)?studyapp(?: [^`|\n]*)?")
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHER_TOOLS = {"--durations", "--no-deps"}


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def code_lines(page: Path) -> Iterator[str]:
    """The lines of code blocks, fenced or indented."""
    text = text_of(page)
    for match in FENCE.finditer(text):
        if match[1] in ("", "sh", "bash", "console", "text"):
            yield from match[2].splitlines()
    for line in FENCE.sub("", text).splitlines():
        if line.startswith("    "):
            yield line


def commands_of(page: Path) -> Iterator[list[str]]:
    """The arguments of every ``studyapp`` command: in code blocks, and in the running text."""
    inline = re.findall(r"`([^`\n]+)`", FENCE.sub("", text_of(page)))
    for line in [*code_lines(page), *inline]:
        line = line.strip().removeprefix("$ ")
        line = re.sub(r" > \S+$", "", line)
        if "<(" in line:  # a part of the shell's, not ours
            continue
        if match := COMMAND.fullmatch(line.split("  #")[0].strip()):
            words = shlex.split(match[0], comments=True)[1:]
            yield [word for word in words if word not in ("...", "…")]


def problem_with(arguments: list[str]) -> str | None:
    """What the command line says of these arguments; a missing argument is no problem in running text."""
    if not arguments or arguments[0].startswith("-"):
        names = list(COMMANDS)
    elif arguments[0] in COMMANDS:
        names = arguments[:1]
    elif arguments[0] in ("COMMAND", "X"):
        return None
    else:
        return f"there is no command {arguments[0]!r}"
    error = io.StringIO()
    with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
        try:
            parser_of(names).parse_args(arguments)
        except SystemExit as end:
            if not end.code or "required" in error.getvalue():
                return None
            return error.getvalue()
    return None


def all_options() -> set[str]:
    found: set[str] = set()
    waiting: list[argparse.ArgumentParser] = [parser_of(list(COMMANDS))]
    while waiting:
        for action in waiting.pop()._actions:
            found.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                waiting += action.choices.values()
    return found


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_command_in_the_documentation_parses(page: Path) -> None:
    for arguments in commands_of(page):
        assert problem_with(arguments) is None, arguments


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_option_in_the_documentation_exists(page: Path) -> None:
    inline = re.findall(r"`([^`\n]+)`", FENCE.sub("", text_of(page)))
    options = {option for piece in inline for option in OPTION.findall(piece)}
    assert options - all_options() - OTHER_TOOLS == set()


def test_every_command_is_documented() -> None:
    documented = {arguments[0] for page in PAGES for arguments in commands_of(page) if arguments}
    assert set(COMMANDS) <= documented


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_make_target_in_the_documentation_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {word for line in code_lines(page) for word in re.findall(r"^\s*make ([a-z]+)\b", line)}
    named |= set(re.findall(r"`make ([a-z]+)[^`]*`", text_of(page)))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_and_picture_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", text_of(page))):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text_of(target)), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, link


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "```python" in text_of(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_python_examples_run(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sessions" / "example", tmp_path / "sessions" / "example")
    blocks = [code for language, code in FENCE.findall(text_of(page)) if language == "python"]
    # In a Python of its own: an example may add a kind, which other tests must not see.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
