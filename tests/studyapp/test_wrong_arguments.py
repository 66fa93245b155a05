"""Whatever is wrong with its arguments, a command ends with 2 and one line, and leaves nothing behind."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from study_files import loaded, run, small, write

from studyapp.cli import COMMANDS, main

# What is given, and a part of the sentence that says what is wrong.  LONG, NULL and HALF are names that no
# file can have; the folder has a pipe, an empty folder, one of planted links, a text, a study, its logs, and
# a table of answers.
WRONG = """
    nonsense                                               | invalid choice: 'nonsense'
    --nonsense                                             | unrecognized arguments: --nonsense
    new                                                    | arguments are required: DIR
    new study.yaml                                         | this is a file; choose a new name
    new LONG                                               | this name is too long
    new mine --from missing                                | invalid choice: 'missing'
    check missing.yaml                                     | there is no such file
    check LONG                                             | this name is too long
    check NULL                                             | no file can have this name
    check HALF                                             | no file can have this name
    check pipe                                             | this is a pipe or a device
    check empty                                            | this is a folder
    check text                                             | a study file consists of settings
    check study.yaml more                                  | unrecognized arguments: more
    check study.yaml --participant=--                      | '--' is not a value
    check study.yaml --plan --participant a/b              | the participant ID is 'a/b'
    rehearse --study missing.yaml                          | there is no such file
    rehearse --study study.yaml --participants 0           | it must be a whole number from 1
    rehearse --study study.yaml --participants x           | invalid int value: 'x'
    rehearse --study study.yaml --seed x                   | invalid int value: 'x'
    rehearse --study study.yaml --teacher nobody           | invalid choice: 'nobody'
    rehearse --study study.yaml --teacher naive --people p | --people is for --teacher person
    rehearse --study study.yaml --people text              | no mapping of parameters
    rehearse --study study.yaml --people missing           | there is no such file
    rehearse --study study.yaml --sessions text            | a folder is needed
    power missing                                          | there is no such file or folder
    power empty                                            | this folder has no session logs
    power logs --level 0                                   | --level is 0
    power logs --participants 1                            | --participants is 1; it must be
    power --study study.yaml --simulate 1                  | --simulate is 1; it must be
    power logs --include nobody                            | invalid choice: 'nobody'
    power logs --include simulated --better nobody         | --better is 'nobody'; it must be one of
    power logs --include simulated --exclude P99           | no session here has this participant
    power logs --include simulated --words missing         | there is no word set 'missing'
    power --study study.yaml --simulate 2 --out text       | a folder is needed
    preregister --in empty                                 | empty is not a study folder
    preregister --in missing                               | there is no such file
    preregister --participants 0                           | --participants is 0; it must be
    preregister --no-power --participants 4 --better x     | --better is 'x'; it must be one of
    preregister --no-power --participants 4 --margin -1    | --margin is -1
    preregister --no-power --participants 4 --primary x    | invalid choice: 'x'
    preregister --no-power --participants 4 --out text     | a folder is needed
    preregister --participants 4 --power missing           | there is no such file
    preregister --participants 4 --power text              | this is not a power.json
    words                                                  | arguments are required: COMMAND
    words build --vectors words.txt                        | arguments are required: --words, --out
    words build --vectors missing --words list --out o.txt | there is no such file
    words build --vectors words.txt --words pipe --out o.txt | this is a pipe or a device
    words build --vectors words.txt --words list --out o.csv | the name must end in
    words build --vectors words.txt --words list --out x/o.txt | there is no folder 'x'
    words build --vectors words.txt --words list --out words.txt | this file already exists
    run --study                                            | expected one argument
    run --study=--                                         | '--' is not a value
    run                                                    | a session needs a terminal
    status missing                                         | there is no such file
    status LONG                                            | this name is too long
    note                                                   | arguments are required: ID, TEXT
    note a/b text                                          | the participant ID is 'a/b'
    note P99 slept                                         | P99 has no session
    note P01 slept --in empty                              | empty is not a study folder
    exclude P01                                            | arguments are required: --reason
    exclude P99 --reason slept                             | P99 has no session
    delete                                                 | arguments are required: ID
    delete P99 --yes                                       | P99 has no session
    delete P01 --yes --in NULL                             | no file can have this name
    verify missing                                         | there is no such file or folder
    verify empty                                           | this folder has no session logs
    verify logs --words missing                            | there is no word set 'missing'
    verify logs --words pipe                               | this is a pipe or a device
    verify logs --source pipe                              | this is a pipe or a device
    backup --in empty                                      | empty is not a study folder
    backup --out text                                      | a folder is needed
    backup --out LONG                                      | this name is too long
    unblind                                                | arguments are required: --reason
    unblind --reason x --yes --in empty                    | empty is not a study folder
    analyse missing                                        | there is no such file or folder
    analyse empty                                          | this folder has no session logs
    analyse logs --include nobody                          | invalid choice: 'nobody'
    analyse logs --margin -1                               | --margin is -1
    analyse logs --margin x                                | invalid float value: 'x'
    analyse logs --exclude P99                             | no session here has this participant
    analyse logs --out text                                | a folder is needed
    analyse logs --words missing                           | there is no word set 'missing'
    export missing                                         | there is no such file or folder
    export empty                                           | this folder has no session logs
    export logs --only nobody                              | invalid choice: 'nobody'
    export logs --only person                              | nothing was exported
    export logs --out text                                 | a folder is needed
    export logs --out NULL                                 | no file can have this name
    export logs --out empty/..                             | this folder is not empty
    analyse linked                                         | this folder has no session logs
    analyse logs --out linked                              | this is a link, but a folder is needed
    power logs --include simulated --out linked            | this is a link, but a folder is needed
    reproduce teaching-example --out linked                | this is a link, but a folder is needed
    import missing                                         | there is no such file
    import pipe                                            | this is a pipe or a device
    import text                                            | the header is missing
    import answers.csv --study missing.yaml                | there is no such file
    import answers.csv --study study.yaml --sessions text  | a folder is needed
    people                                                 | arguments are required: COMMAND
    people fit missing                                     | there is no such file or folder
    people fit logs --include nobody                       | invalid choice: 'nobody'
    people fit logs --out p.txt                            | the name must end in
    people fit logs --words missing                        | there is no word set 'missing'
    simulate --arms 1                                      | --arms is 1; it must be
    simulate --arms 100000                                 | ask for 10000 or fewer
    simulate --questions 0                                 | --questions is 0; it must be
    simulate --replications 0                              | --replications is 0; it must be
    simulate --pairs X-Y                                   | a pair in --pairs is 'X-Y'
    simulate --pairs ''                                    | --pairs names no pair
    simulate --pairs H-H                                   | a pair in --pairs is 'H-H'
    simulate --dataset nothing                             | there is no dataset 'nothing'
    simulate --data missing                                | there is no such file
    simulate --data text                                   | the table has fewer than two rows
    simulate --data pipe                                   | this is a pipe or a device
    simulate --fit nothing                                 | --fit is 'nothing'; it must be one of
    simulate --imagined-fit nothing                        | --imagined-fit is 'nothing'; it must be one of
    simulate --processes 0                                 | --processes is 0; it must be
    simulate --replications 11112                          | a whole number from 1 to 11111
    simulate --scheduler nonsense://here                   | no Dask scheduler answers at nonsense://here
    simulate --selection nothing                           | --selection is 'nothing'; it must be one of
    simulate --tau 0                                       | --tau is 0
    simulate --tau nan                                     | --tau is nan; it must be a finite number
    simulate --horizon 0                                   | --horizon is 0; it must be
    simulate --samples 0                                   | --samples is 0; it must be
    simulate --gamma 2                                     | --gamma is 2
    simulate --learner-beta -1                             | --learner-beta is -1
    simulate --teacher-beta x                              | invalid float value: 'x'
    simulate --c nan                                       | --c is nan; it must be a finite number
    simulate --d inf                                       | --d is inf; it must be a finite number
    simulate --out text                                    | a folder is needed
    simulate --out LONG                                    | this name is too long
    reproduce nothing                                      | there is no figure 'nothing'
    reproduce leaf                                         | the leaf data
    reproduce leaf --data missing                          | there is no such file
    reproduce main --replications 0                        | --replications is 0; it must be
    reproduce main --replications 2001                     | a whole number from 1 to 2000
    reproduce --redraw                                     | there are no results for any figure in
    reproduce main --fit nothing                           | invalid choice: 'nothing'
    reproduce main --seed x                                | invalid int value: 'x'
    reproduce teaching-example --out text                  | a folder is needed
"""
NAMES = {"LONG": "x" * 300, "NULL": "a\0b.txt", "HALF": "a\ud800b.txt"}
ROWS = [tuple(part.strip() for part in line.split(" | ")) for line in WRONG.strip().splitlines()]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, small())
    run(loaded(tmp_path, small()), tmp_path / "logs")
    (tmp_path / "logs" / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    (tmp_path / "empty").mkdir()
    (tmp_path / "linked").mkdir()
    for name in ("figures", "data", "numbers", "results", "sessions"):
        (tmp_path / "linked" / name).symlink_to(tmp_path / "empty")
    (tmp_path / "text").write_text("some text\n")
    (tmp_path / "list").write_text("tea\nno\n")
    header = "participant,round,practice,model,target,question,word,answer,reward"
    (tmp_path / "answers.csv").write_text(f"{header}\nP1,1,false,plain,tea,1,no,n,0.049787\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_wrong_arguments_end_with_2_and_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(here / "pipe")
    before = sorted(here.rglob("*"))
    for given, sentence in ROWS:
        arguments = [NAMES.get(argument, argument) for argument in shlex.split(given)]
        if given.startswith(("analyse logs", "people fit logs")) and "--include" not in given:
            arguments += ["--include", "simulated"]
        try:
            code: object = main(arguments)
        except SystemExit as end:  # argparse's way to end
            code = end.code
        out, error = capsys.readouterr()
        said = [line for line in error.splitlines() if line.startswith("studyapp")]
        assert (code, out, len(said)) == (2, "", 1), f"{given}: {code}, {out}{error}"
        assert sentence in said[0], given
        assert said == error.splitlines()[-1:], f"{given}: {error}"
        assert error.startswith(("usage: ", "studyapp: ")), given
        assert sorted(here.rglob("*")) == before, f"{given} wrote something"


def test_every_command_is_in_the_table() -> None:
    assert set(COMMANDS) <= {given.split()[0] for given, _ in ROWS}
