"""Everything that is read is opened by ``core.files.ordinary``, and everything is written in one place.

So the tests of ``core.files`` and ``studyapp.base.outputs`` hold for every command: no pipe or device is
read, no name surprises, no link is followed, and nobody but the owner can read what is written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WRITERS = {
    "core/files.py",
    "studyapp/base/outputs.py",
    "studyapp/base/disk.py",  # for what is appended to
    "studyapp/session/log.py",  # appends
    "studyapp/office/study_log.py",  # appends
}
READERS = {
    *WRITERS,
    "core/vectors.py",  # vectors may come through a pipe
    "studyapp/base/environment.py",  # its own modules
    "studyapp/office/new_folder.py",  # its own guide
    "studyapp/reporting/html.py",  # its own style
    "studyapp/study/loading.py",  # bundled studies
}
OWN = "resources.files("  # what is installed with the package

# Methods and functions that make, open or move files; none of these names is used for anything else here.
MAKING = {
    *("write_text", "write_bytes", "touch", "mkdir", "makedirs", "symlink_to", "hardlink_to", "rename"),
    *("mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory", "copyfile", "move"),
    *("tofile", "savez", "savez_compressed", "savetxt", "to_csv", "chmod", "memmap", "open_memmap"),
}
READING = {"read_text", "read_bytes", "fromfile", "fdopen", "open_code"}
OPENERS = {"archive", "Sitting", "os", "webbrowser"}  # whose ``open`` opens no path for reading


def calls(source: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))


def writes(call: ast.Call) -> bool:
    """Does a call open a file for writing, or make, move or open up one?"""
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


def reads(call: ast.Call) -> bool:
    """Does a call open a file by its path, and not with the opener?"""
    if OWN in ast.unparse(call.func):
        return False
    match call.func:
        case ast.Name(id="open"):
            return True
        case ast.Attribute(value=ast.Name(id="np"), attr="load" | "loadtxt" | "genfromtxt"):
            return ast.unparse(call.args[0]) not in ("file", "lines")  # opened before
        case ast.Attribute(value=ast.Name(id=name), attr="open"):
            return name not in OPENERS
        case ast.Attribute(attr=name):
            return name in READING or name == "open"
    return False


def test_no_other_module_opens_a_file() -> None:
    for package in ("core", "studyapp"):
        for path in sorted((ROOT / package).rglob("*.py")):
            module = path.relative_to(ROOT).as_posix()
            for call in calls(path.read_text()):
                for way, does, allowed in (("write", writes, WRITERS), ("read", reads, READERS)):
                    place = f"{module}:{call.lineno}: {ast.unparse(call)}"
                    assert module in allowed or not does(call), f"may not {way}: {place}"


def test_every_way_to_open_is_noticed() -> None:
    ways = {
        "write": (
            *("open(path, 'w')", "open(path, mode='r+b')", "path.open('a')", "path.write_text('')"),
            *("os.open(path, flags)", "np.save(path, array)", "figure.savefig(path)", "folder.mkdir()"),
            "tempfile.mkstemp()",
        ),
        "read": (
            *("open(path, 'rb')", "path.open()", "path.read_text()", "np.load(path)", "np.loadtxt(path)"),
            "Path(name).open('rb')",
        ),
        "neither": (
            *("write_text(path, '')", "os.open(os.devnull, os.O_WRONLY)", "figure.savefig(file)"),
            *("np.load(file)", "ordinary(path)", "resources.files('core').joinpath('a').read_text()"),
        ),
    }
    for way, sources in ways.items():
        for source in sources:
            (call, *_) = calls(source)
            found = "write" if writes(call) else "read" if reads(call) else "neither"
            assert found == way, source
