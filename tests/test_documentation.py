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

from studyapp.cli import COMMANDS, parser_of

ROOT = Path(__file__).parents[1]
OUTPUTS = ("analysis", "power", "simulation", "reproduction", "dist")  # folders that commands write
PAGES = sorted(
    page for page in ROOT.rglob("*.md") if not page.relative_to(ROOT).parts[0].startswith((".", *OUTPUTS))
)
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


PARSER = parser_of(list(COMMANDS))


def problem_with(arguments: list[str]) -> str | None:
    """What the command line says of these arguments; a missing argument is no problem in running text."""
    if arguments and arguments[0] in ("COMMAND", "X"):
        return None
    error = io.StringIO()
    with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
        try:
            PARSER.parse_args(arguments)
        except SystemExit as end:
            if not end.code or "required" in error.getvalue():
                return None
            return error.getvalue()
    return None


def all_options() -> set[str]:
    found: set[str] = set()
    waiting: list[argparse.ArgumentParser] = [PARSER]
    while waiting:
        for action in waiting.pop()._actions:
            found.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                waiting += action.choices.values()
    return found


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def faults_of(page: Path, options: set[str], targets: set[str]) -> Iterator[str]:
    """What a page says that isn't so."""
    for arguments in commands_of(page):
        if problem := problem_with(arguments):
            yield f"studyapp {shlex.join(arguments)}: {problem}"
    text = text_of(page)
    prose = FENCE.sub("", text)
    named = {option for piece in re.findall(r"`([^`\n]+)`", prose) for option in OPTION.findall(piece)}
    yield from (f"there is no option {option}" for option in named - options)
    named = {word for line in code_lines(page) for word in re.findall(r"^\s*make ([a-z]+)\b", line)}
    named |= set(re.findall(r"`make ([a-z]+)[^`]*`", text))
    yield from (f"there is no make {target}" for target in named - targets)
    for link in LINK.findall(prose):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
            yield f"{link} leads nowhere"


def test_the_commands_options_make_targets_and_links_of_every_page_exist() -> None:
    options = all_options() | OTHER_TOOLS
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    faults = [
        f"{page.relative_to(ROOT)}: {fault}" for page in PAGES for fault in faults_of(page, options, targets)
    ]
    assert faults == []
    documented = {arguments[0] for page in PAGES for arguments in commands_of(page) if arguments}
    assert set(COMMANDS) <= documented


def test_the_python_examples_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sessions" / "example", tmp_path / "sessions" / "example")
    # In a Python of its own, page after page: an example may add a kind, which other tests must not see.
    program = "\n".join(
        "\n".join(code for language, code in FENCE.findall(text_of(page)) if language == "python")
        for page in PAGES
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
