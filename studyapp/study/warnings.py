"""Warnings about a valid study: what is allowed, but probably a mistake."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations

from core.settings import Settings
from studyapp.study.fields import names_in
from studyapp.study.loaded import LoadedStudy
from studyapp.study.study import Study

NAMED = 5  # words that a warning lists
TRIES = 3  # of a measurement; the fastest is the least disturbed one
MOST_ANSWERS = 30  # before the question that is measured


def warnings(loaded: LoadedStudy, is_large: Callable[[str], bool]) -> Iterator[str]:
    """What to look at; ``is_large`` says whether a word can be shown in large letters in any window."""
    study = loaded.study
    yield from _same_models(study)
    yield from _practice_targets(loaded)
    yield from _sizes(loaded, is_large)
    yield from _missing_and_unused_texts(study)
    yield from _numbers_that_clash(study)
    yield from _slow_questions(loaded)


def _same_models(study: Study) -> Iterator[str]:
    settings = {name: study.settings(name, seed=0) for name in study.models}
    for one, other in combinations(settings, 2):
        if settings[one] == settings[other]:
            yield f"models.{one} and models.{other} have the same settings"


def _practice_targets(loaded: LoadedStudy) -> Iterator[str]:
    if both := [word for word in loaded.study.practice if word in loaded.targets]:
        again = "it again" if len(both) == 1 else "them again"
        yield f"practice and targets share {_listed(both)}: participants meet {again} in rounds that count"


def _sizes(loaded: LoadedStudy, is_large: Callable[[str], bool]) -> Iterator[str]:
    targets = list(dict.fromkeys([*loaded.study.practice, *loaded.targets]))
    small = [word for word in targets if not is_large(word)]
    if small and len(small) < len(targets):
        because = "it is too wide, or has" if len(small) == 1 else "they are too wide, or have"
        yield (
            f"{_listed(small)} can't be shown in large letters ({because} characters that have no large "
            "form), so all targets are shown at normal size, in the smallest window at least"
        )


def _missing_and_unused_texts(study: Study) -> Iterator[str]:
    if study.consent is None:
        yield "there is no consent: participants are not asked whether they agree to take part"
    if not study.instructions:
        yield "there are no instructions"
    shown = [study.consent or "", *study.instructions]
    if not study.practice and any("practice_rounds" in names_in(text) for text in shown):
        yield "the consent or the instructions mention {practice_rounds}, but there is no practice"

    for name in study.questionnaires:
        if name not in (*study.after_round, *study.at_end):
            yield f"questionnaires.{name} is never asked; list it in after_round or at_end"


def _numbers_that_clash(study: Study) -> Iterator[str]:
    pause, hold = study.pace.pause, study.pace.hold
    if not study.answers.confirm and pause < hold:
        yield (
            f"a question appears {pause:g} s after an answer (pace.pause), but the same key counts again "
            f"only after {hold:g} s (pace.hold): repeating an answer takes longer than changing it"
        )

    models, participants = len(study.models), study.participants
    if study.order_of_models == "balanced" and participants is not None and participants % models:
        yield (
            f"participants is {participants}: with {models} models, the order of the models comes out even "
            f"after every {models} participants"
        )


def _slow_questions(loaded: LoadedStudy) -> Iterator[str]:
    study = loaded.study
    # While a person answers, all models compute every question: none can be told by its time.
    seconds = sum(_seconds_per_question(loaded, study.settings(name, seed=0)) for name in study.models)
    if seconds > study.pace.pause / 2:
        yield (
            f"a question can take {seconds:.2g} s to compute on this machine, and the pause is "
            f"{study.pace.pause:g} s: questions may come late after quick answers; "
            "set pace.pause to at least twice the computing time"
        )


def _seconds_per_question(loaded: LoadedStudy, settings: Settings) -> float:
    """Processor time for the last question of a round: it does not depend on how busy the machine is."""
    learner = loaded.learner(settings)
    answers = max(0, min(loaded.study.questions, MOST_ANSWERS) - 2)
    state = learner.condition([(i % len(loaded.features), i % 2) for i in range(answers)])
    learner.tell_both(state)  # the first call takes longer
    seconds = []
    for _ in range(TRIES):
        began = time.thread_time()
        learner.tell_both(state)
        seconds.append(time.thread_time() - began)
    return min(seconds)


def _listed(words: list[str]) -> str:
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return ", ".join(map(repr, words[:NAMED])) + more
