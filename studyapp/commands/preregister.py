"""``studyapp preregister``: the study as a registry asks for it, before it is run."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from core.checks import number, one_of, whole
from core.errors import SettingError
from core.files import ordinary
from core.wording import counted
from studyapp.base.clock import SystemClock, iso
from studyapp.base.environment import program_sha256, software
from studyapp.base.outputs import check_folder
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.conduct import Conduct, read_conduct
from studyapp.office.preregistration import DOCUMENT, FOLDER, check_out, write_registration
from studyapp.office.status import Status
from studyapp.study.folder import StudyFolder
from studyapp.study.ids import MOST_PARTICIPANTS
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.plan import count_firsts, planned_ids

if TYPE_CHECKING:
    from studyapp.analysis.power import PowerFile


SIMULATED = 40  # participants, as studyapp power simulates
POWER = "power"  # the folder where studyapp power keeps them
OUTCOMES = ("reward", "found", "time_to_find")
LARGEST = 2_000_000  # bytes of a study file, more than can be loaded


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "preregister",
        help="write the study down for a registry, before it is run",
        description="Write the study down for a registry: its design, sample size and power, which sessions "
        "will be analysed, and the exact analysis, as Markdown to paste, with the study file and their "
        "hashes. The registration is entered in the study's log, and studyapp analyse lists every "
        "difference from it. The document names the models: it is not for anyone who must stay blind.",
    )
    add_in(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help=f"folder to write to, a new one (default: {FOLDER} in the study folder)",
    )
    parser.add_argument(
        "--participants",
        metavar="N",
        type=int,
        help="the sample size (default: participants in the study file)",
    )
    parser.add_argument(
        "--primary",
        choices=OUTCOMES,
        default="reward",
        help="the outcome that decides (default: reward, as in the paper)",
    )
    parser.add_argument(
        "--better", metavar="MODEL", help="the model that you expect to be better (default: no prediction)"
    )
    parser.add_argument(
        "--margin",
        metavar="REWARD",
        type=float,
        help="difference in cumulative reward that is too small to matter (default: that of analyse)",
    )
    power = parser.add_mutually_exclusive_group()
    power.add_argument(
        "--power",
        metavar="FILE",
        type=Path,
        help=f"take the effects from a power.json of studyapp power (default: simulate {SIMULATED} "
        f"participants, which may take many minutes; they are kept in {POWER} in the study folder)",
    )
    power.add_argument("--no-power", action="store_true", help="leave the power out")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from studyapp.analysis.comparisons import MARGIN
    from studyapp.analysis.preregistration import Preregistration, as_document, as_record, planned_power
    from studyapp.reporting.paired import LEVEL

    folder = study_folder(arguments)
    out: Path = folder.path / FOLDER if arguments.out is None else arguments.out
    with ordinary(folder.file) as file:
        study_file = file.read(LARGEST)
    loaded = load(folder.file)
    participants = _participants(loaded, arguments.participants)
    if arguments.better is not None:
        one_of("--better", arguments.better, loaded.study.models)
    margin = MARGIN if arguments.margin is None else number("--margin", arguments.margin, above=0, most=1e6)
    check_out(out)
    conduct = read_conduct(folder.log)
    effects = None if arguments.no_power else _effects(folder, loaded, arguments.power)
    finished, unfinished = _sessions_so_far(folder, conduct)
    plan = Preregistration(
        loaded=loaded,
        study_sha256=hashlib.sha256(study_file).hexdigest(),
        participants=participants,
        primary=arguments.primary,
        better=arguments.better,
        margin=margin,
        power=planned_power(effects, participants, LEVEL, arguments.better) if effects else None,
        firsts=count_firsts(loaded, planned_ids(loaded, participants)),
        finished=finished,
        unfinished=unfinished,
        at=iso(SystemClock().now()),
        software=software(),
        program_sha256=program_sha256(),
    )
    write_registration(
        folder,
        out,
        document=as_document(plan),
        record=as_record(plan),
        study_file=study_file,
        finished=finished,
    )
    if finished or unfinished:
        report(
            f"studyapp: warning: data collection has begun ({counted(finished, 'session')} finished, "
            f"{unfinished} not yet), and the document says so"
        )
    if earlier := conduct.registrations:
        report(
            f"studyapp: the study was registered before ({', '.join(event.folder for event in earlier)}); "
            "reports will compare with this one, the latest, and name all of them"
        )
    say(f"The preregistration for {counted(participants, 'participant')} is written.")
    say(f"Paste {out / DOCUMENT} into your registry.")
    say("It names the models: keep it from anyone who must stay blind.")
    return 0


def _participants(loaded: LoadedStudy, given: int | None) -> int:
    planned = loaded.study.participants
    if given is not None and planned is not None and given != planned:
        raise SettingError(
            f"--participants is {given}, but the study file has participants: {planned}; change one of them"
        )
    count = planned if given is None else given
    if count is None:
        raise SettingError(
            "the number of participants is missing; set participants in the study file, or give "
            "--participants N (studyapp power helps to choose)"
        )
    count = whole("--participants" if planned is None else "participants", count, 2, MOST_PARTICIPANTS)
    if isinstance(loaded.study.ids, list) and count > len(loaded.study.ids):
        raise SettingError(
            f"there are only {len(loaded.study.ids)} IDs in the study file for {count} participants"
        )
    return count


def _effects(folder: StudyFolder, loaded: LoadedStudy, saved: Path | None) -> PowerFile:
    """The effects from a file, or from simulated participants as studyapp power simulates them."""
    from studyapp.analysis.comparisons import compare_models
    from studyapp.analysis.gather import gather
    from studyapp.analysis.power import estimate_power, simulated_sessions
    from studyapp.analysis.preregistration import read_power
    from studyapp.analysis.sample import Sample
    from studyapp.reporting.paired import LEVEL

    if saved is not None:
        return read_power(saved, loaded.study)
    place = folder.path / POWER
    check_folder(place, "sessions")
    report(
        f"studyapp: simulating {SIMULATED} participants for the power, in {place}; if this is interrupted, "
        "start it again and it continues (--no-power leaves the power out)"
    )
    sessions, words = simulated_sessions(str(folder.file), "person", SIMULATED, place)
    gathered = gather(sessions, words=words)
    return estimate_power(compare_models(Sample(gathered.sessions)), gathered, [2], LEVEL)


def _sessions_so_far(folder: StudyFolder, conduct: Conduct) -> tuple[int, int]:
    """How many people's sessions, pilots aside, have finished, and how many have begun only."""
    status = Status(folder.sessions)
    status.update()
    people = [row for row in status.rows(conduct) if row.kind == "person" and row.excluded is None]
    finished = sum(row.state == "finished" for row in people)
    unfinished = sum(row.state == "unfinished" for row in people)
    return finished, unfinished
