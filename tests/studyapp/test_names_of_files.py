"""Every command refuses a name that no file can have with one line, wherever it expects a file or folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from chains import chained, parts
from study_files import small, write

from studyapp.cli import main

EXAMPLE = Path(__file__).parents[2] / "sessions" / "example"
LOG = str(EXAMPLE / "person-001.yaml")

# {bad} is the name, with a suffix where the command wants one; {here} is a folder.
COMMANDS = {
    "check": "check {bad}",
    "new": "new {bad}",
    "status": "status {bad}",
    "note --in": "note P01 slept --in {bad}",
    "exclude --in": "exclude P01 --reason slept --in {bad}",
    "delete --in": "delete P01 --yes --in {bad}",
    "backup --in": "backup --in {bad}",
    "backup --out": "backup --in {here} --out {bad}",
    "merge": "merge {bad} --in {here}",
    "merge --in": "merge {here} --in {bad}",
    "rehearse --study": "rehearse --study {bad} --sessions {here}/logs",
    "rehearse --sessions": "rehearse --study {here}/study.yaml --participants 1 --sessions {bad}",
    "verify": f"verify {LOG} {{bad}}",
    "verify --words": f"verify {LOG} --words {{bad}}",
    "verify --source": f"verify {LOG} --source {{bad}}",
    "verify --receipts": f"verify {LOG} --receipts {{bad}}",
    "analyse": "analyse {bad} --out {here}/out",
    "analyse --out": f"analyse {EXAMPLE} --out {{bad}}",
    "analyse --words": f"analyse {EXAMPLE} --out {{here}}/out --words {{bad}}",
    "power": "power {bad} --out {here}/out",
    "power --study": "power --study {bad} --out {here}/out",
    "power --out": "power --study {here}/study.yaml --simulate 2 --out {bad}",
    "power --words": f"power {EXAMPLE} --out {{here}}/out --words {{bad}}",
    "people fit": "people fit {bad} --out {here}/people.yaml",
    "people fit --out": f"people fit {EXAMPLE} --out {{bad}}.yaml",
    "people fit --words": f"people fit {EXAMPLE} --out {{here}}/people.yaml --words {{bad}}",
    "export": f"export {EXAMPLE} {{bad}} --out {{here}}/out",
    "export --out": f"export {EXAMPLE} --out {{bad}}",
    "import": "import {bad} --sessions {here}/logs",
    "import --study": "import {here}/answers.csv --study {bad} --sessions {here}/logs",
    "import --sessions": "import {here}/answers.csv --study {here}/study.yaml --sessions {bad}",
    "words build --vectors": "words build --vectors {bad} --words {here}/list.txt --out {here}/out.txt",
    "words build --words": "words build --vectors {here}/words.txt --words {bad} --out {here}/out.txt",
    "words build --out": "words build --vectors {here}/words.txt --words {here}/list.txt --out {bad}.txt",
    "simulate --data": "simulate --data {bad} --out {here}/out",
    "simulate --out": "simulate --out {bad}",
    "reproduce --data": "reproduce leaf --data {bad} --out {here}/out",
    "reproduce --out": "reproduce teaching-example --out {bad}",
    "reproduce --redraw": "reproduce --redraw --out {bad}",
}
NAMES = {
    "too long": "x" * 300,
    "too long, with a suffix": "x" * 300 + ".csv",
    "too long a path": "x/" * 2500 + "x",
    "a null byte": "a\0b.txt",
    "a null byte, without a suffix": "a\0b",
    "half a character": "a\ud800b.txt",
}
SAID = ("this name is too long for a file or folder", "no file can have this name")

ANSWERS = """\
participant,round,practice,model,target,question,word,answer,reward
P1,1,false,plain,tea,1,no,n,0.049787
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    write(folder, small())
    (folder / "list.txt").write_text("tea\nno\n")
    (folder / "answers.csv").write_text(ANSWERS)
    return folder


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_it_is_refused_with_2_and_one_line(
    command: str, name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [part.format(bad=name, here=here) for part in command.split()]
    assert main(arguments) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("studyapp: ")
    assert error.count("\n") == 1
    assert any(said in error for said in SAID), error


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_study_that_names_its_words_so_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {key: value for key, value in small().items() if key != "words"}
    study = write(tmp_path, settings)
    quoted = "".join(f"\\u{ord(c):04x}" if c < " " or c > "~" else c for c in name)
    study.write_text(f'words: "{quoted}"\n' + study.read_text())
    assert main(["check", str(study)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in error


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_log_that_names_its_words_so_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *others = parts(Path(LOG).read_bytes())
    quoted = "".join(f"\\u{ord(c):04x}" if c < " " or c > "~" else c for c in name)
    head = head.replace(b"\nwords: study20\n", f'\nwords: "{quoted}"\n'.encode())
    log = tmp_path / "person-001.yaml"
    log.write_bytes(chained([head, *others]))
    assert log.read_bytes() != Path(LOG).read_bytes()
    assert main(["verify", str(log)]) in (1, 2)
    assert "Traceback" not in "".join(capsys.readouterr())
