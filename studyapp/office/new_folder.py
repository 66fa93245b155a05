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
from studyapp.office.conduct import record_study
from studyapp.study.folder import SESSIONS, STUDY_FILE, StudyFolder
from studyapp.study.loading import bundled
from studyapp.study.study import schema

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
GUIDE = Path(__file__).with_name("guide.md")


def make_study_folder(place: Path, name: str) -> None:
    """Make a study folder from a bundled study, whole or not at all."""
    _check_place(place)
    with replacing_folder(place) as part:
        folder = StudyFolder(part)
        make_folder(part / SESSIONS)
        write_text(part / SCHEMA_FILE, json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
        write_text(part / README, GUIDE.read_text(encoding="utf-8").format(folder=place.resolve().name))
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
