"""Only ``core.files`` and ``studyapp.base.outputs`` open files for writing: they keep others out.

A log and a results file are appended to, so they can't be replaced as a whole and open their own files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WRITERS = {
    "core/files.py",
    "studyapp/base/outputs.py",
    "studyapp/base/disk.py",  # for what is appended to
    "studyapp/session/log.py",  # appends
    "studyapp/office/study_log.py",  # appends
    "studyapp/experiments/results_file.py",  # appends
}
MODULES = [
    path.relative_to(ROOT).as_posix()
    for package in ("core", "studyapp")
    for path in sorted((ROOT / package).rglob("*.py"))
]

# Methods and functions that make, open or move files; none of these names is used for anything else here.
MAKING = {
    *("write_text", "write_bytes", "touch", "mkdir", "makedirs", "symlink_to", "hardlink_to", "rename"),
    *("mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory", "copyfile", "move"),
    *("tofile", "savez", "savez_compressed", "savetxt", "to_csv", "chmod", "memmap", "open_memmap"),
}


def writes(source: str) -> Iterator[int]:
    """The lines on which a module opens a file for writing, or makes, moves or opens up one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _writes(node):
            yield node.lineno


def _writes(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id="open"):
            return _for_writing(call.args[1:], call)
        case ast.Attribute(value=ast.Name(id="os"), attr="open"):
            return ast.unparse(call.args[0]) != "os.devnull"
        case ast.Attribute(value=ast.Name(id="np" | "torch"), attr="save"):
            return True
        case ast.Attribute(attr="open"):  # of a path; other things that open have no mode
            return _for_writing(call.args, call)
        case ast.Attribute(attr="savefig"):  # into a buffer, which is called file
            return ast.unparse(call.args[0]) != "file"
        case ast.Attribute(attr=name):
            return name in MAKING
    return False


def _for_writing(arguments: list[ast.expr], call: ast.Call) -> bool:
    modes = arguments[:1] + [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
    return any(letter in text for text in texts for letter in "wax+")


@pytest.mark.parametrize("module", [module for module in MODULES if module not in WRITERS])
def test_a_module_opens_no_file_for_writing(module: str) -> None:
    assert list(writes((ROOT / module).read_text())) == []


@pytest.mark.parametrize("module", sorted(WRITERS))
def test_the_modules_that_may_do_so(module: str) -> None:
    assert list(writes((ROOT / module).read_text()))


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("open(path, 'w')", True),
        ("open(path, mode='r+b')", True),
        ("open(path, 'rb')", False),
        ("path.open('a')", True),
        ("path.open()", False),
        ("path.write_text('')", True),
        ("write_text(path, '')", False),
        ("os.open(path, flags)", True),
        ("os.open(os.devnull, os.O_WRONLY)", False),
        ("np.save(path, array)", True),
        ("figure.savefig(path)", True),
        ("figure.savefig(file)", False),
        ("folder.mkdir()", True),
        ("tempfile.mkstemp()", True),
    ],
)
def test_every_way_to_write_is_noticed(source: str, found: bool) -> None:
    assert bool(list(writes(source))) == found
