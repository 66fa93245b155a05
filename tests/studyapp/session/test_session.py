"""A session follows from its events, and an event that does not belong is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from proofs import holds_for
from study_files import Settings, loaded, recorded, small, study_files

from core.errors import SettingError
from studyapp.session import events as ev
from studyapp.session import session
from studyapp.session.answers import RECORDED_BY_STUDYAPP, imported_answer
from studyapp.session.session import (
    AskConsent,
    AskItem,
    AskWord,
    BeginRound,
    ConfirmItems,
    End,
    Instruct,
    Rest,
    Session,
    course,
    fold,
)
from studyapp.study import plan
from studyapp.study.plan import Round

AT = "2026-11-16T09:30:00.123Z"
AT_THE_END = (25, 26, 27, 28)  # the steps of the last items, and of their confirmation
ASIDE: list[ev.Event] = [
    ev.Resumed(AT, "here", 1, {}, False, clock_ms=0.0),
    ev.Stayed(AT, 5.0, clock_ms=9.0),
    ev.Reread(AT, 5.0, clock_ms=9.0),
    ev.Left(AT, clock_ms=9.0),
    ev.Interrupted("SIGTERM", AT, clock_ms=9.0),
    ev.Recovered(3, "x", AT, clock_ms=9.0),
    ev.Rewritten("changed", "x", AT, clock_ms=9.0),
    ev.Declined(AT, clock_ms=9.0),
]
ELSEWHERE = ev.Imported("answers.csv", "ab12", 2, None)


@pytest.fixture
def events() -> list[ev.Event]:
    """A whole session of the small study."""
    return list(recorded().events)


@pytest.fixture
def head(events: list[ev.Event]) -> ev.Started:
    assert isinstance(events[0], ev.Started)
    return events[0]


def begun(events: list[ev.Event], count: int = 0) -> Session:
    """The session after this number of events."""
    head, *later = events
    assert isinstance(head, ev.Started)
    return fold(head, later[:count])


def answers_of(events: list[ev.Event]) -> list[ev.Answered]:
    return [event for event in events if isinstance(event, ev.Answered)]


# The course


def kinds(study: Settings, folder: Path) -> list[type]:
    made = loaded(folder, study)
    return [type(step) for step in course(made.study, plan.make(made, "P01"))]


def test_the_course_has_every_kind_of_step_in_its_place(tmp_path: Path) -> None:
    bare = dict.fromkeys(
        ("consent", "instructions", "practice", "breaks", "after_round", "at_end", "bonus"), None
    )
    assert kinds(small(**bare), tmp_path) == [BeginRound, AskWord, AskWord] * 4 + [End]
    counted = [BeginRound, AskWord, AskWord, AskItem]
    assert kinds(small(), tmp_path) == [
        *(AskConsent, Instruct, *[BeginRound, AskWord, AskWord] * 2),
        *(*counted, *counted, Rest),
        *(*counted, *counted),
        *(AskItem, AskItem, AskItem, ConfirmItems, End),
    ]


def test_breaks_come_at_their_interval_and_never_after_the_last_round(tmp_path: Path) -> None:
    for every, after in ((1, [3, 4, 5]), (2, [4]), (3, [5]), (4, []), (9, [])):
        made = loaded(tmp_path, small(breaks={"every": every}))
        steps = course(made.study, plan.make(made, "P01"))
        assert [step.after for step in steps if isinstance(step, Rest)] == after


def test_items_asked_together_are_numbered_together(tmp_path: Path) -> None:
    made = loaded(tmp_path, small(at_end=["mood", "you"]))
    asked = [step for step in course(made.study, plan.make(made, "P01")) if isinstance(step, AskItem)]
    assert [(step.after, step.place, step.total) for step in asked] == [
        *((number, 1, 1) for number in (3, 4, 5, 6)),
        *((None, place, 4) for place in (1, 2, 3, 4)),
    ]
    assert [(step.questionnaire, step.item.id) for step in asked[-4:]] == [
        *(("mood", "tired"), ("you", "side"), ("you", "remarks"), ("you", "more"))
    ]


@holds_for(15, 100, chosen=study_files())
def test_any_course_ends_once_and_asks_all_questions_of_all_rounds(tmp_path: Path, chosen: Settings) -> None:
    made = loaded(tmp_path, chosen)
    rounds = plan.make(made, "P01")
    steps = list(course(made.study, rounds))
    assert [step for step in steps if isinstance(step, End)] == [steps[-1]]
    assert [step.round for step in steps if isinstance(step, BeginRound)] == rounds
    asked = [(step.round.round, step.question) for step in steps if isinstance(step, AskWord)]
    assert asked == [(round_.round, number + 1) for round_ in rounds for number in range(chosen["questions"])]
    assert ("consent" in chosen) == (AskConsent() in steps)
    assert bool(chosen.get("instructions")) == (Instruct() in steps)


# The fold


def test_each_event_completes_one_step_and_events_beside_the_course_complete_none(
    events: list[ev.Event],
) -> None:
    session, done = begun(events), []
    assert (session.rounds(), session.rounds_of_practice(), session.rounds_done()) == (4, 2, 0)
    for count, event in enumerate(events[1:], start=1):
        if count < len(events) - 1:
            beside = begun(events, count)
            for other in ASIDE:
                beside.apply(other)
            assert (beside.position, beside.over) == (count, None)
        assert session.position == count - 1
        session.apply(event)
        folded = begun(events, count)
        assert (folded.position, folded.step) == (session.position, session.step)
        assert (folded.answers, folded.over) == (session.answers, session.over)
        if isinstance(event, ev.Answered):
            done.append(session.rounds_done())
    assert isinstance(session.step, End)
    assert session.over == events[-1]
    assert session.answers == answers_of(events)
    assert done == [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4]  # without practice
    for round_ in session.plan:
        found = session.answers_in(round_)
        assert [(answer.round, answer.question) for answer in found] == [(round_.round, 1), (round_.round, 2)]


# Questionnaires: the last answer counts


def respond(item: str, value: str | None) -> ev.Responded:
    return ev.Responded("you", item, None, value, AT, 1.0, 0.0, clock_ms=1.0)


def test_items_asked_together_can_be_answered_again_until_they_are_confirmed(events: list[ev.Event]) -> None:
    session = begun(events, AT_THE_END[-1])
    assert isinstance(session.step, ConfirmItems)
    before = {response.item: response.value for response, _ in session.responses()}
    session.apply(respond("remarks", "one"))
    session.apply(respond("remarks", "two"))
    session.apply(respond("more", None))
    assert isinstance(session.step, ConfirmItems)
    now = {response.item: response.value for response, _ in session.responses()}
    assert now == before | {"remarks": "two", "more": None}
    assert [changes for _, changes in session.responses()] == [0] * 5 + [2, 1]
    session.apply(ev.Confirmed(None, AT, 1.0, 0.0, clock_ms=1.0))
    assert isinstance(session.step, End)
    with pytest.raises(SettingError, match="'response' does not belong here; expected the end"):
        session.apply(respond("remarks", "three"))


def test_an_answer_to_an_item_that_was_not_asked_yet_or_that_it_does_not_have_is_refused(
    events: list[ev.Event],
) -> None:
    session = begun(events, AT_THE_END[1])
    session.apply(respond("side", "no"))
    with pytest.raises(SettingError, match="expected 'remarks' of 'you'"):
        session.apply(respond("more", "x"))
    with pytest.raises(SettingError, match="'up' is not an answer to 'side'"):
        session.apply(respond("side", "up"))
    tired = recorded().nth(ev.Responded)
    for value in (99, None, "left", 10**400):
        with pytest.raises(SettingError, match="is not an answer to 'tired'"):
            begun(recorded().changed(tired, value=value), tired)


def test_a_single_item_needs_no_confirmation_and_cannot_be_changed(events: list[ev.Event]) -> None:
    session = begun(events, 12)
    assert isinstance(session.steps[11], AskItem)
    assert isinstance(session.step, BeginRound)
    with pytest.raises(SettingError, match="expected the start of round 4"):
        session.apply(events[12])


# What does not fit


def test_only_the_right_event_completes_a_step(events: list[ev.Event]) -> None:
    """Every event of the session, tried at every place: only its own takes it there."""
    for count in range(len(events) - 1):
        session = begun(events, count)
        for index, event in enumerate(events[1:]):
            if index == count:
                continue
            if index in AT_THE_END[:-1] and count in AT_THE_END and index < count:  # answered again
                session.apply(event)
            else:
                with pytest.raises(SettingError):
                    session.apply(event)
            assert (session.position, session.over) == (count, None)
        session.apply(events[1 + count])


def test_an_event_out_of_order_is_refused_with_the_expected_step(events: list[ev.Event]) -> None:
    tired, break_ = "'response' does not belong here; expected 'tired' of 'mood'", "'break' does not belong"
    for count, event, message in (
        (0, ev.Read(AT, 1.0, 0.0), "'instructions' does not belong here; expected the consent"),
        (1, ev.Consented(AT), "'consent' does not belong here; expected the instructions"),
        (2, ev.RoundBegan(2, AT), "'round' does not belong here; expected the start of round 1"),
        (3, ev.RoundBegan(1, AT), "'round' does not belong here; expected question 1 of round 1"),
        (3, events[0], "a second session begins here"),
        (4, ev.Rested(1, AT, 0.0, 0.0), f"{break_} here; expected question 2 of round 1"),
        (11, ev.Responded("you", "tired", 3, 1, AT, 1.0, 0.0), tired),
        (11, ev.Responded("mood", "side", 3, 1, AT, 1.0, 0.0), tired),
        (11, ev.Responded("mood", "tired", 4, 1, AT, 1.0, 0.0), tired),
        (11, ev.Responded("mood", "tired", None, 1, AT, 1.0, 0.0), tired),
        (16, ev.Rested(3, AT, 0.0, 0.0), f"{break_} here; expected the break after round 4"),
        (5, ev.Finished(AT, 2, 0, None), "'finished' comes too early; expected the start of round 2"),
        (
            28,
            ev.RoundBegan(7, AT),
            "'round' does not belong here; expected the confirmation of the questionn",
        ),
        (27, ev.Confirmed(None, AT, 0.0, 0.0), "'confirmed' does not belong here; expected 'more' of 'you'"),
        (29, ev.RoundBegan(7, AT), "'round' does not belong here; expected the end"),
    ):
        with pytest.raises(SettingError) as caught:
            begun(events, count).apply(event)
        assert str(caught.value).startswith(message)
    answer = answers_of(events)[0]
    for change in ({"round": 2}, {"question": 2}, {"question": 0}, {"word": "nonsense"}):
        with pytest.raises(SettingError, match="expected question 1 of round 1"):
            begun(events, 3).apply(replace(answer, **change))


def test_nothing_comes_after_the_end_or_a_withdrawal(events: list[ev.Event]) -> None:
    for count in range(len(events)):
        session = begun(events, count)
        if not session.over:
            data = "kept" if count % 2 else "deleted"
            session.apply(ev.Withdrawn(data, len(session.answers), AT, clock_ms=9.0))
        for event in (events[count], *ASIDE, events[-1], ev.Withdrawn("kept", 12, AT)):
            with pytest.raises(SettingError, match="comes after the end of the session"):
                session.apply(event)


def test_an_invalid_study_in_a_log_is_refused(head: ev.Started) -> None:
    for asked in (["moods"], ["mood", "mood"]):
        for where in ("after_round", "at_end"):
            with pytest.raises(SettingError, match="an unknown questionnaire, or the same one twice"):
                Session(replace(head, study=head.study | {where: asked}))


def test_a_session_has_a_largest_number_of_steps_and_with_more_it_is_refused_at_once(
    head: ev.Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(Session(head).steps)
    monkeypatch.setattr(session, "MOST_STEPS", count)
    assert len(Session(head).steps) == count
    monkeypatch.setattr(session, "MOST_STEPS", count - 1)
    with pytest.raises(SettingError, match=f"more than {count - 1} steps"):
        Session(head)
    with pytest.raises(SettingError, match=f"more than {count - 1} steps"):
        Session(replace(head, study=head.study | {"questions": 1000}, plan=head.plan * 20_000))  # 120 million


# What only an imported session may leave open


def test_fields_of_an_answer_may_be_empty_only_in_imported_sessions(
    events: list[ev.Event], head: ev.Started
) -> None:
    first = answers_of(events)[0]
    for field in (*RECORDED_BY_STUDYAPP, "clock_ms"):
        answer, session = replace(first, **{field: None}), begun(events, 3)
        with pytest.raises(SettingError, match=f"{field} is empty; only imported sessions"):
            session.apply(answer)
        assert session.answers == []
        imported = fold(replace(head, imported=ELSEWHERE), [*events[1:4], answer])
        assert imported.answers == [answer]
    session.apply(replace(first, compute_ms=None))  # in every session
    assert len(session.answers) == 1
    with pytest.raises(SettingError, match="clock_ms is empty; only imported sessions"):
        Session(replace(head, clock_ms=None))
    imported = fold(replace(head, imported=ELSEWHERE), events[1:4])  # the same course
    with pytest.raises(SettingError, match="expected question 1 of round 1"):
        imported.apply(replace(first, question=2, shown_at=None))


def test_an_imported_answer_knows_only_what_a_table_contains(events: list[ev.Event]) -> None:
    known = answers_of(events)[0]
    answer = imported_answer(known.round, known.question, known.word, known.answer, known.reward)
    empty = {name for name, value in vars(answer).items() if value is None}
    assert empty == {*RECORDED_BY_STUDYAPP, "compute_ms", "clock_ms"}
    assert replace(known, **dict.fromkeys(empty)) == answer


# The bonus


def with_targets_asked_at(events: list[ev.Event], questions: set[int], rounds: set[int]) -> Session:
    """The session after its last answer, in which these questions of these rounds are about the target."""
    head, *later = events
    assert isinstance(head, ev.Started)

    def word(round_: Round, question: int) -> str:
        return round_.target if question in questions and round_.round in rounds else "another"

    plan_ = [replace(round_, first=word(round_, 1)) for round_ in head.plan]
    changed = [
        replace(event, word=word(plan_[event.round - 1], event.question))
        if isinstance(event, ev.Answered)
        else event
        for event in later[:-1]
    ]
    return fold(replace(head, plan=plan_), changed)


def test_a_target_counts_as_found_from_the_first_question_about_it(events: list[ev.Event]) -> None:
    for questions in ({1}, {2}, {1, 2}):
        for rounds in (set(), {3}, {3, 4}, {3, 4, 5, 6}):
            session = with_targets_asked_at(events, questions, {1, *rounds})  # round 1 is practice
            first = min(questions)
            for round_ in session.plan:
                assert session.found_at(round_) == (first if round_.round in {1, *rounds} else None)
            assert session.found_within(first - 1) == 0
            assert session.found_within(first) == session.found_within(15) == len(rounds)


def test_the_bonus_counts_rounds_that_found_the_target_in_time(events: list[ev.Event]) -> None:
    for within, rounds, asked, found, won in (
        (2, 2, {2}, 2, True),
        (2, 3, {2}, 2, False),
        (1, 1, {2}, 0, False),
    ):
        session = with_targets_asked_at(events, asked, {1, 3, 4})
        bonus = session.study.bonus
        assert bonus is not None
        session.study = session.study.model_copy(
            update={"bonus": bonus.model_copy(update={"within": within, "rounds": rounds})}
        )
        assert session.finished(AT) == ev.Finished(AT, 12, found, won)
        session.study = session.study.model_copy(update={"bonus": None})
        assert session.finished(AT) == ev.Finished(AT, 12, 2, None)
