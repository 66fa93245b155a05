"""The user study with simulated people (Figure 5), with other people, and with other teachers."""

from __future__ import annotations

from functools import partial

from studyapp.experiments import figures
from studyapp.experiments.catalogue.entry import Entry, Options, Run
from studyapp.experiments.claims import Claim, Margin, Side, gain, side
from studyapp.experiments.designs.measures import Measure
from studyapp.experiments.designs.user_study import (
    FOUND,
    ONCE_FOUND,
    QUESTIONS,
    REWARD,
    STAYING,
    TO_FIND,
    UserStudy,
)

__all__ = ["OTHER_PEOPLE", "OTHER_TEACHERS", "USER_STUDY"]

# The labels of runs, by how learners are fitted or choose their questions.
PUBLISHED, CONVERGED, GREEDY, EXPLORING = "published", "converged", "targets", "targets, explore first"
LEARNERS = {
    PUBLISHED: partial(UserStudy, fit="published"),
    CONVERGED: partial(UserStudy, fit="converged"),
    GREEDY: partial(UserStudy, selection="greedy"),
    EXPLORING: partial(UserStudy, selection="explore-first"),
}
FITTED, OTHER_PAIRS, WIDER = "as fitted", "other pairs", "twice the spread"  # populations
BY_FIT = ("H-N", "H-M")

# The ten participants of the published study: mean cumulative reward, and the share of rounds in which the
# target was found (175 and 158 of 190).
REAL = {REWARD: {"H-N": 6.276, "H-M": 7.451}, FOUND: {"H-N": 175 / 190, "H-M": 158 / 190}}


def _run(learner: str, series: tuple[str, ...], options: Options, population: str = FITTED) -> Run:
    parts = ("user-study", learner, *(() if population == FITTED else (population,)))
    key = "-".join(parts).replace(",", "").replace(" ", "-")
    return Run(key, series, partial(LEARNERS[learner], population=population, seed=options.seed))


def _last(text: str, left: Side, relation: str, right: Side, *measures: Measure) -> tuple[Claim, ...]:
    """A claim about the end of the rounds, once for each measure."""
    return tuple(
        Claim(text, left, relation, right, measure, QUESTIONS if measure.step else 1) for measure in measures
    )


# The study as it was published


def _user_study(options: Options) -> dict[str, Run]:
    return {
        learner: _run(learner, BY_FIT if learner in (PUBLISHED, CONVERGED) else ("H-HT",), options)
        for learner in LEARNERS
    }


def _mixture_against_naive(run: str, fits: str) -> tuple[Claim, ...]:
    mixture, naive = side(run, "H-M"), side(run, "H-N")
    return (
        *_last(f"With {fits}, people earn more with the mixture model", mixture, "above", naive, REWARD),
        *_last(f"With {fits}, the mixture finds the target more often", mixture, "above", naive, FOUND),
        *_last(f"With {fits}, the mixture finds the target sooner", mixture, "below", naive, TO_FIND),
    )


def _like_the_real_one(measure: Measure) -> tuple[Claim, ...]:
    """Would a study of ten simulated people give the numbers that the study of ten real people gave?"""
    text = "The published study is typical of studies of ten simulated people ({}; right: published)"
    real = REAL[measure]
    sides = {
        "naive": (side(PUBLISHED, "H-N"), real["H-N"]),
        "mixture": (side(PUBLISHED, "H-M"), real["H-M"]),
        "mixture minus naive": (gain(PUBLISHED, "H-M", over="H-N"), real["H-M"] - real["H-N"]),
    }
    return tuple(
        Claim(text.format(name), left, "typical", right, measure, QUESTIONS)
        for name, (left, right) in sides.items()
    )


USER_STUDY = Entry(
    name="user-study",
    title="Figure 5",
    heading="The user study, with simulated people",
    description=(
        "The published study with people simulated as core/README.md describes, fitted to five of its ten "
        "participants: 20 words, 19 targets, 15 questions, Bayes-UCB, the first question of each person and "
        "target shared by all learners. A replication is a study of ten people, who agree on what is special "
        "about single pairs of words; it is drawn for every study, because it is only partly known. The "
        "hypothesis: a fit that is stopped early hardly moves when the target gets its first yes, so the "
        "naive learner leaves the target that it has found and keeps exploring. That costs it the reward of "
        "asking again, and helps it to find more targets. The mixture, which takes ten times as many steps, "
        "stays. Fitted to convergence, the naive learner stays too. The third learner keeps a probability "
        "for every word of being the target, and expects people to answer as the fitted ones do. How far "
        "can simulated people be trusted? The last claims compare them with the ten real ones."
    ),
    caption=(
        "Above, the mean cumulative reward of a round with 95 % intervals over studies; stars are the ten "
        "published participants. Below, left and centre, the share of rounds in which the target has been "
        "asked about, with the same lines. Below, right, staying: of all questions after the first about the "
        "target, the share that is about the target again."
    ),
    replications=30,
    quick=4,
    runs=_user_study,
    claims=(
        *_mixture_against_naive(PUBLISHED, "the published fits"),
        *_mixture_against_naive(CONVERGED, "converged fits"),
        *_last(
            "The mixture's advantage over the naive model is smaller with converged fits",
            gain(CONVERGED, "H-M", over="H-N"),
            "below",
            gain(PUBLISHED, "H-M", over="H-N"),
            REWARD,
        ),
        *_last(
            "With the published fits, the naive learner leaves a target that it has found more often than "
            "the mixture does",
            side(PUBLISHED, "H-N"),
            "below",
            side(PUBLISHED, "H-M"),
            STAYING,
        ),
        *_last(
            "With converged fits, it stays more often, and earns more once the target is found",
            side(CONVERGED, "H-N"),
            "above",
            side(PUBLISHED, "H-N"),
            STAYING,
            ONCE_FOUND,
        ),
        Claim(
            "With converged fits, it stays about as often as the mixture",
            side(CONVERGED, "H-N"),
            "close",
            side(CONVERGED, "H-M"),
            STAYING,
            1,
            Margin(0.1),
        ),
        *_last(
            "A belief over targets earns more than the converged mixture, and finds more targets",
            side(GREEDY, "H-HT"),
            "above",
            side(CONVERGED, "H-M"),
            REWARD,
            FOUND,
        ),
        *_last(
            "A belief over targets finds the target sooner than the converged mixture",
            side(GREEDY, "H-HT"),
            "below",
            side(CONVERGED, "H-M"),
            TO_FIND,
        ),
        *_last(
            "With a belief over targets and people, greedy questions earn more than exploring first",
            side(GREEDY, "H-HT"),
            "above",
            side(EXPLORING, "H-HT"),
            REWARD,
        ),
        *_like_the_real_one(REWARD),
        *_like_the_real_one(FOUND),
    ),
    draw=partial(
        figures.user_study,
        by_fit={PUBLISHED: "Published fits", CONVERGED: "Converged fits"},
        targets={GREEDY: "greedy", EXPLORING: "explore first"},
        real=REAL,
    ),
    by_fit=False,
    beyond_paper=True,
)


# With people who are not as fitted


def _other_people(options: Options) -> dict[str, Run]:
    return {
        f"{population}, {learner}": _run(learner, series, options, population)
        for population in (FITTED, OTHER_PAIRS, WIDER)
        for learner, series in ((PUBLISHED, BY_FIT), (CONVERGED, BY_FIT), (GREEDY, ("H-HT",)))
    }


def _still(population: str) -> tuple[Claim, ...]:
    """What the user study comes to with another population."""
    published, converged = f"{population}, {PUBLISHED}", f"{population}, {CONVERGED}"
    who = {OTHER_PAIRS: "Without what is known about pairs", WIDER: "If people differ twice as much"}[
        population
    ]
    return (
        *_last(
            f"{who}, the mixture earns more than the naive model with published fits",
            side(published, "H-M"),
            "above",
            side(published, "H-N"),
            REWARD,
        ),
        *_last(
            f"{who}, it finds the target more often with published fits",
            side(published, "H-M"),
            "above",
            side(published, "H-N"),
            FOUND,
        ),
        *_last(
            f"{who}, its advantage is smaller with converged fits",
            gain(converged, "H-M", over="H-N"),
            "below",
            gain(published, "H-M", over="H-N"),
            REWARD,
        ),
        *_last(
            f"{who}, the mixture earns more than the naive model with converged fits",
            side(converged, "H-M"),
            "above",
            side(converged, "H-N"),
            REWARD,
        ),
        *_last(
            f"{who}, a belief over targets earns more than the converged mixture",
            side(f"{population}, {GREEDY}", "H-HT"),
            "above",
            side(converged, "H-M"),
            REWARD,
        ),
    )


OTHER_PEOPLE = Entry(
    name="other-people",
    title="Beyond Figure 5",
    heading="People unlike the fitted ones",
    description=(
        "Figure 5 with two other populations. In one, everything that was learned about single pairs of "
        "words is forgotten, and pairs are drawn anew for every study. In the other, people differ twice as "
        "much from one another: in how readily they give hints and repeat them, and in their opinions on "
        "pairs. The learner with a belief over targets still expects people as they were fitted."
    ),
    caption="Means after 15 questions with 95 % intervals over studies of ten people.",
    replications=10,
    quick=2,
    runs=_other_people,
    claims=(*_still(OTHER_PAIRS), *_still(WIDER)),
    draw=partial(
        figures.outcomes,
        groups={
            population: {
                "naive, published": (f"{population}, {PUBLISHED}", "H-N"),
                "mixture, published": (f"{population}, {PUBLISHED}", "H-M"),
                "naive, converged": (f"{population}, {CONVERGED}", "H-N"),
                "mixture, converged": (f"{population}, {CONVERGED}", "H-M"),
                "targets, greedy": (f"{population}, {GREEDY}", "H-HT"),
            }
            for population in (FITTED, OTHER_PAIRS, WIDER)
        },
    ),
    by_fit=False,
    beyond_paper=True,
)


# With teachers who are not people

TEACHERS = {"N": "naive", "P": "planning", "R": "random"}


def _other_teachers(options: Options) -> dict[str, Run]:
    models = {CONVERGED: "M", GREEDY: "HT", EXPLORING: "HT"}
    return {
        learner: _run(learner, tuple(f"{letter}-{model}" for letter in TEACHERS), options)
        for learner, model in models.items()
    }


OTHER_TEACHERS = Entry(
    name="other-teachers",
    title="Beyond Figure 5",
    heading="Teachers who are not people",
    description=(
        "Figure 5 with teachers who don't answer like people: naive ones, planning ones, and ones who toss a "
        "coin. A learner that keeps a belief over targets still expects people, and allows for a teacher who "
        "plans. The mixture of the paper, with converged fits, expects a naive or a planning teacher."
    ),
    caption="Means after 15 questions with 95 % intervals over studies of ten teachers.",
    replications=10,
    quick=2,
    runs=_other_teachers,
    claims=(
        *_last(
            "With a naive teacher, the learner that expects people earns more than the mixture, and finds "
            "more targets",
            side(GREEDY, "N-HT"),
            "above",
            side(CONVERGED, "N-M"),
            REWARD,
            FOUND,
        ),
        *_last(
            "With a planning teacher, it earns more than the mixture if it explores first, and finds more "
            "targets",
            side(EXPLORING, "P-HT"),
            "above",
            side(CONVERGED, "P-M"),
            REWARD,
            FOUND,
        ),
        Claim(
            "With a planning teacher, it earns about as much as the mixture if it is greedy",
            side(GREEDY, "P-HT"),
            "close",
            side(CONVERGED, "P-M"),
            REWARD,
            QUESTIONS,
            Margin(0.1, share=True),
        ),
        *_last(
            "With a planning teacher, it finds fewer targets than the mixture if it is greedy",
            side(GREEDY, "P-HT"),
            "below",
            side(CONVERGED, "P-M"),
            FOUND,
        ),
        Claim(
            "With a teacher who tosses a coin, it earns about as much as the mixture",
            side(EXPLORING, "R-HT"),
            "close",
            side(CONVERGED, "R-M"),
            REWARD,
            QUESTIONS,
            Margin(0.1, share=True),
        ),
    ),
    draw=partial(
        figures.outcomes,
        groups={
            name: {
                "mixture, converged": (CONVERGED, f"{letter}-M"),
                "targets, greedy": (GREEDY, f"{letter}-HT"),
                "targets, explore first": (EXPLORING, f"{letter}-HT"),
            }
            for letter, name in TEACHERS.items()
        },
    ),
    by_fit=False,
    beyond_paper=True,
)
