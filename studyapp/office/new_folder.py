"""Making a study folder: a study file to change, its schema, a place for sessions, and a page on what to do.

The study file is a bundled one, with its comments.  Only what belongs to a folder is different: a seed of its
own, a balanced order of the models, and the settings with which an experimenter runs a study.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import explained
from studyapp.base.outputs import make_folder, replacing_folder, write_text
from studyapp.office.recording import record_study
from studyapp.study.folder import SESSIONS, STUDY_FILE, StudyFolder
from studyapp.study.loading import bundled
from studyapp.study.study import schema

__all__ = ["README", "SCHEMA_FILE", "make_study_folder", "study_text"]

SCHEMA_FILE = "study.schema.json"
README = "README.md"
SEEDS = 10**9

HEAD = """\
# yaml-language-server: $schema={schema}
#
# The study of this folder, made from the bundled study {name}. Change what you like, and check it:
#     studyapp check
# (The first line is for editors, which then explain and complete the settings.)
#
# Whoever must stay blind should read no further than "The study".
#
# A session continues with the study as it was when it began. Once a participant has begun, correct texts and
# the settings of the first part only. With other words, models, targets, questions, keys, pace, orders,
# practice or questionnaires, unfinished sessions could no longer continue.

# --- Running the study -----------------------------------------------------------------------

sessions: {sessions}    # the folder of session logs, beside this file
stage: main           # pilot: sessions that begin now are marked as pilots and don't count; or main
collecting: true      # with false, nobody new can begin; unfinished sessions can still be continued
blind: true           # analyses and exports don't name the models until you run studyapp unblind

ids: P{{number:02}}     # participant IDs: P01, P02, ...; or a list of your own, such as [A7, B2, C5]
# participants: 24    # the planned number, best a multiple of the number of models

# --- The study -------------------------------------------------------------------------------

"""

SEED = """\
seed: {seed:<15} # all randomness follows from this and the participant's ID; it was drawn for this folder,
                      # so that no two studies share it"""
ORDER = """\
order_of_models: balanced  # each model comes first equally often, for each participant and with each target;
                      # or random for each participant and target, as in the published study"""

# What HEAD has in its place: the planned participants.
PARTICIPANTS = re.compile(r"# --- Participants -+\n\nids: .*\n# participants: .*\n\n")

GUIDE = """\
# {folder}

A study for studyapp. Run every command in this folder: it then knows its study and its sessions. `studyapp`
alone opens the office, where most of this takes a single key.

## Before the first participant

1. Change `study.yaml`, then check it: `studyapp check`
2. Rehearse it with simulated participants (logs in `rehearsal/`): `studyapp rehearse --participants 4`
3. Set `stage: pilot` in `study.yaml`, so that sessions don't count, and try it yourself, with an ID that no
   participant will have: `studyapp run --participant try-1`
4. Set `stage: main`, and `participants:` to the planned number.
5. Register the study (this names the models: not for anyone who must stay blind): `studyapp preregister`

## Every day

- Start the next participant, or resume an unfinished session: `studyapp run`
- See how far each participant is: `studyapp status`
- Write down whatever was unusual: `studyapp note P07 "the fire alarm rang in round 3"`
- Replay the logs and check every question: `studyapp verify`
- Back up, and keep the file on another disk: `studyapp backup`

Don't open logs in an editor, and don't edit `study.log.yaml`: studyapp notices a change inside them, and
refuses the log. Session logs also name the models.

## When something comes up

- Leave a participant out of the analysis: `studyapp exclude P07 --reason "did not understand English"`
- Undo that: `studyapp exclude P07 --undo --reason "it was P08"`
- A participant wants the answers deleted: `studyapp delete P07`. It lists the backups, exports and
  analyses that still have them.
- The folder is lost: unpack a backup in its place.
- Only some logs are lost: `studyapp merge THE-BACKUP.zip`

## Two machines

Copy this folder to the other machine before the first participant, and let each machine have its own IDs. To
bring the sessions together, bring the other folder here under another name, or a backup of it, and merge it:
`studyapp merge ../other-copy`

## The end

1. Decide all exclusions: while `collecting` is true, `studyapp analyse` shows only the quality of the data.
2. Set `collecting: false`, so that nobody new begins. `studyapp analyse` now also compares the models, but
   only as A, B and so on.
3. Unblind the study, which can't be undone: `studyapp unblind --reason "all sessions are in"`
4. `studyapp analyse` writes the report, `studyapp export --out export` the tables.

## Words of your own

`studyapp words build --vectors vectors.bin --words my-words.list --out my-words.txt` cuts them from word
vectors. Keep `my-words.txt` in this folder, and set `words: my-words.txt` and `targets:` in `study.yaml`.

| | |
| --- | --- |
| `study.yaml` | the study |
| `study.schema.json` | explains its settings to editors |
| `study.log.yaml` | what was done: notes, exclusions, deletions, the unblinding |
| `sessions/` | one log per participant |
| `rehearsal/`, `analysis/`, `export/`, `backups/` | what the commands make |
"""


def make_study_folder(place: Path, name: str) -> None:
    """Make a study folder from a bundled study, whole or not at all."""
    _check_place(place)
    with replacing_folder(place) as part:
        folder = StudyFolder(part)
        make_folder(part / SESSIONS)
        write_text(part / SCHEMA_FILE, json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
        write_text(part / README, GUIDE.format(folder=place.resolve().name))
        write_text(part / STUDY_FILE, study_text(name, secrets.randbelow(SEEDS)))
        record_study(folder)
        _check_place(place)  # somebody else may have made it meanwhile


def study_text(name: str, seed: int) -> str:
    """The text of a study file for a folder of its own."""
    text = bundled()[name].decode()
    body = text[text.index("\ntitle: ") + 1 :]
    body = PARTICIPANTS.sub("", body)
    body = re.sub(r"^seed: .*", SEED.format(seed=seed), body, count=1, flags=re.MULTILINE)
    body = re.sub(r"^order_of_models: .*(\n +#.*)*", ORDER, body, count=1, flags=re.MULTILINE)
    return HEAD.format(schema=SCHEMA_FILE, name=name, sessions=SESSIONS) + body


def _check_place(place: Path) -> None:
    """Refuse a folder that is in use: nothing of anybody's is overwritten."""
    with explained(place):
        if place.is_dir():
            if place.samefile(Path()):
                raise SettingError("a new study folder can't be the current one; go up, and name it there")
            if any(place.iterdir()):
                problem = "this folder is not empty; choose a new name for the study folder"
                raise FileError(place, problem)
        elif os.path.lexists(place):
            raise FileError(place, "this is a file; choose a new name for the study folder")
