"""The paper's simulated figures by name: what each runs, how it is drawn, and what the paper says of it.

A figure's runs go by labels, which its claims and its drawing use.  A run that several figures share has the
same key in all of them, and so one file of results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from matplotlib.figure import Figure

from core.settings import FITS, Settings
from core.simulation import PAIRS
from studyapp.experiments import figures
from studyapp.experiments.active import ActiveExample, ActiveWine
from studyapp.experiments.bandits import Bandits, Profile
from studyapp.experiments.claims import Claim, Margin, Side, Term, gain, of
from studyapp.experiments.datasets import LIKE_LEAF, Dataset, load
from studyapp.experiments.designs import Design
from studyapp.experiments.results import Results
from studyapp.experiments.teaching_example import TeachingExample

__all__ = ["FIGURES", "Entry", "Options", "Run"]


@dataclass(frozen=True)
class Options:
    """What can be chosen for all figures."""

    fit: str = "converged"
    seed: int = 0
    leaf: Dataset | None = None  # is brought by whoever has it


@dataclass(frozen=True, eq=False)
class Run:
    """Series of a design that a figure needs."""

    key: str  # of its results; the same in all figures that share it
    design: Design
    series: tuple[str, ...]

    def seconds(self, replications: int) -> float:
        """About how long one core takes."""
        return replications * sum(_seconds(self.design, series) for series in self.series)


@dataclass(frozen=True)
class Entry:
    """A figure of the paper."""

    name: str
    title: str  # as the paper numbers it
    heading: str
    told: str  # what it shows and how that is simulated
    caption: str  # how to read what is drawn
    replications: int  # of a full run
    quick: int  # replications that show the gist in little time
    runs: Callable[[Options], dict[str, Run]]  # by label
    claims: tuple[Claim, ...]
    draw: Callable[[Mapping[str, Results]], Figure]
    by_fit: bool = True  # do its results depend on how learners are fitted?
    ours: bool = False  # is it an experiment beyond the paper, with claims of our own?
    needs_leaf: bool = False

    def seconds(self, replications: int, fit: str = "converged") -> float:
        """About how long one core takes for this figure alone."""
        runs = self.runs(Options(fit=fit, leaf=LIKE_LEAF))
        return sum(run.seconds(replications) for run in runs.values())


# Costs, in seconds of one core a replication, of 100 arms and 30 questions.
NAIVE, PLANNED = 0.005, 0.05
BY_HORIZON = {1: 1.0, 2: 3.2, 3: 4.0, 4: 5.5}  # as many times
PUBLISHED, PUBLISHED_MIXTURE = 0.055, 0.15
BY_500_ARMS = 3.2  # as many times
POOL, WINE = 0.01, 0.02  # a series
LITTLE = 0.001


def _seconds(design: Design, series: str) -> float:
    if isinstance(design, ActiveExample):
        return POOL
    if isinstance(design, ActiveWine):
        return WINE
    if not isinstance(design, Bandits):
        return LITTLE
    if design.learner.fit == "published":
        once = PUBLISHED_MIXTURE if series.endswith("M") else PUBLISHED
    else:
        once = NAIVE if series == "N-N" else PLANNED
    arms = (design.arms / 100) ** (np.log(BY_500_ARMS) / np.log(5))
    horizon = BY_HORIZON.get(design.learner.horizon, 2.2**design.learner.horizon)
    return float(once * arms * horizon * design.questions / 30)


MAIN, DENSE = {"c": -4.0, "d": 8.0}, {"c": -2.0, "d": 6.0}  # reward profiles; dense is the supplementary one
LAST = 30  # questions
FACTORIAL = ("N-N", "N-P", "P-N", "P-P")
CONVERGED, STOPPED = "converged, converged", "converged, published"  # fits: of the learner, as imagined
FURTHER = ", 3 steps"

_data = cache(load)


def _bandits(key: str, options: Options, series: tuple[str, ...] = PAIRS) -> Run:
    """The bandit experiments of all figures, by key."""
    profile, data, arms, beta, horizon = MAIN, "word", 100, 20.0, 1
    if key != "word" and not key.startswith("horizon"):
        profile = DENSE
    match key:
        case "wine" | "leaf":
            data = key
        case "beta5" | "beta10":
            beta = float(key.removeprefix("beta"))
        case "arms500":
            arms = 500
        case "horizon2" | "horizon3" | "horizon4":
            horizon = int(key[-1])
    dataset = options.leaf if data == "leaf" and options.leaf else _data(data, None)
    design = Bandits(
        dataset,
        arms=arms,
        questions=LAST,
        c=profile["c"],
        d=profile["d"],
        teacher_beta=beta,
        learner=Settings(selection="thompson", beta=beta, horizon=horizon, fit=options.fit),
        seed=options.seed,
    )
    return Run(f"{key}.{options.fit}", design, series)


def _runs(*needs: tuple[str, tuple[str, ...]]) -> Callable[[Options], dict[str, Run]]:
    """Bandit runs by key, each with the series that are needed of it."""
    return lambda options: {key: _bandits(key, options, series) for key, series in needs}


def _factorial(options: Options) -> dict[str, Run]:
    """The main setting with the learner's own fits and those of the imagined learner set one by one."""
    runs = {}
    for fit in FITS:
        whole = _bandits("word", replace(options, fit=fit), FACTORIAL)
        runs[f"{fit}, {fit}"] = whole
        other = next(each for each in FITS if each != fit)
        mixed = replace(_design(whole), imagined_fit=other)
        series = tuple(pair for pair in FACTORIAL if pair != "N-N")  # nobody looks ahead
        runs[f"{fit}, {other}"] = Run(f"word.{fit}-imagined-{other}", mixed, series)
    further = _bandits("horizon3", replace(options, fit="converged"), ("P-P",))
    short = Run(
        "horizon3.converged-imagined-published",
        replace(_design(further), imagined_fit="published"),
        further.series,
    )
    return runs | {f"{CONVERGED}{FURTHER}": further, f"{STOPPED}{FURTHER}": short}


def _profiles(options: Options) -> dict[str, Run]:
    keys = ("word", "word-dense", "wine", *(["leaf"] if options.leaf else []))
    runs = {key: _bandits(key, options) for key in keys}
    return {key: Run(f"profile-{key}", Profile(_design(run)), ("profile",)) for key, run in runs.items()}


def _design(run: Run) -> Bandits:
    assert isinstance(run.design, Bandits)
    return run.design


def _alone(label: str, make: Callable[[int], Design]) -> Callable[[Options], dict[str, Run]]:
    """One run whose results depend on the seed only."""

    def runs(options: Options) -> dict[str, Run]:
        design = make(options.seed)
        return {label: Run(label, design, design.series)}

    return runs


REWARD, ORDER = "cumulative reward", "concordance"
CLOSE = {REWARD: Margin(0.1, share=True), ORDER: Margin(0.03)}


def _both(
    text: str, left: Side, relation: str, right: Side, measures: tuple[str, ...] = (REWARD, ORDER)
) -> tuple[Claim, ...]:
    """A claim about the last question, for reward and for concordance."""
    return tuple(
        Claim(text, left, relation, right, measure, LAST, CLOSE[measure] if relation == "close" else None)
        for measure in measures
    )


def _of_figure_3(run: str) -> tuple[Claim, ...]:
    pair = partial(of, run)
    return (
        *_both(
            "A planning teacher steers an unaware learner to more than a naive teacher does (P-N above N-N)",
            pair("P-N"),
            "above",
            pair("N-N"),
        ),
        *_both(
            "A learner that models the planning teacher gains further (P-P above P-N)",
            pair("P-P"),
            "above",
            pair("P-N"),
        ),
        *_both(
            "Expecting a planning teacher where there is a naive one does harm (N-P below N-N)",
            pair("N-P"),
            "below",
            pair("N-N"),
        ),
        *_both(
            "With a planning teacher the mixture does about as well as the matching model (P-M close to P-P)",
            pair("P-M"),
            "close",
            pair("P-P"),
        ),
        *_both(
            "With a naive teacher the mixture does about as well as the matching model (N-M close to N-N)",
            pair("N-M"),
            "close",
            pair("N-N"),
        ),
    )


def _degraded(run: str, beta: int) -> tuple[Claim, ...]:
    return tuple(
        claim
        for series in ("P-P", "P-N")
        for claim in _both(
            f"A teacher less optimal, with beta {beta} instead of 20, teaches less well ({series})",
            of(run, series),
            "below",
            of("word-dense", series),
        )
    )


BANDITS_CAPTION = (
    "Above, the cumulative reward (the reward probabilities of the arms asked about, added up); below, the "
    "concordance of the arms' estimated order with the true one. The first letter is the teacher (N naive, "
    "P planning), the second what its learner takes it for (M a mixture of both). Lines are means over "
    "replications, bands their 95 % intervals; grey lines repeat pairs of the left side."
)
PAIRED = ("N-N", "P-N")
TAUGHT = ("P-N", "P-P")

_ENTRIES = (
    Entry(
        name="active-example",
        title="Figure 1",
        heading="Teaching an active learner, an example",
        told=(
            "A logistic regression with one known point of each class asks for the labels of ten others "
            "out of a pool of 60, always the one it is least certain of, which fails on these six clusters. "
            "A teacher who knows all labels and the learner plans its ten answers, some of them untrue, for "
            "the accuracy at the end."
        ),
        caption=(
            "Above, one pool without and with the teacher: of all replications the one whose improvement is "
            "closest to the median. Numbers are the order of the queries. Below, the mean accuracy on the "
            "pool and the two points known at the start by answers, with 95 % intervals."
        ),
        replications=100,
        quick=50,
        runs=_alone("active-example", lambda seed: ActiveExample(seed=seed)),
        claims=(
            Claim(
                "The teacher helps the learner to a better model in ten answers",
                of("active-example", "teacher"),
                "above",
                of("active-example", "alone"),
                "accuracy",
                10,
            ),
        ),
        draw=partial(figures.active_example, run="active-example"),
        by_fit=False,
    ),
    Entry(
        name="teaching-example",
        title="Figure 2",
        heading="Teaching a bandit learner, an example",
        told=(
            "Ten arms on a line have two peaks of reward, and the first question is about arm 6, between "
            "them. The reward probability of arm 6 is low (0.06; the width of the peaks, which the paper "
            "does not give, was chosen for that), yet a teacher who looks one step ahead says yes, for it "
            "makes the next question be about the higher peak more often. Replications differ only in the "
            "random points by which the probabilities of the next arm are worked out, so that intervals "
            "are of numerical error alone."
        ),
        caption=(
            "Left, the reward probabilities of the arms; right, how probable each is to be asked about next, "
            "after either answer (means over replications). The advantage of yes is Q(1) less Q(0); "
            "steering is the probability of arms 7 to 9 after a yes less that after a no."
        ),
        replications=20,
        quick=20,
        runs=_alone("teaching-example", lambda seed: TeachingExample(seed=seed)),
        claims=(
            Claim(
                "Yes is the better answer for a planning teacher: Q(1) is above Q(0)",
                of("teaching-example", "teacher"),
                "above",
                0.0,
                "advantage of yes",
                1,
            ),
            Claim(
                "After a yes the next arm is more often one near the higher peak (7 to 9) than after a no",
                of("teaching-example", "teacher"),
                "above",
                0.0,
                "steering",
                1,
            ),
        ),
        draw=partial(figures.teaching_example, run="teaching-example"),
        by_fit=False,
    ),
    Entry(
        name="main",
        title="Figure 3",
        heading="Teachers and learners",
        told=(
            "Six pairs of a simulated teacher and a bandit learner with Thompson sampling, on 100 words "
            "drawn anew for each replication (main setting: c = -4, d = 8). Teachers plan one step ahead "
            "with beta 20, as the learners suppose. All pairs share the words, the target, the first "
            "question and the chance that decides answers."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=50,
        runs=_runs(("word", PAIRS)),
        claims=_of_figure_3("word"),
        draw=partial(figures.bandits, run="word"),
    ),
    Entry(
        name="multi-step",
        title="Figures 4 and S6",
        heading="Planning further ahead",
        told=(
            "A planning teacher and the learner that models it (P-P) in the main setting, where both look "
            "two, three or four steps ahead and go by the mean reward of these steps, compared with one step."
        ),
        caption=(
            "Differences from one step, replication by replication: cumulative reward (Figure 4) and "
            "concordance (Figure S6), means with 95 % intervals."
        ),
        replications=100,
        quick=50,
        runs=_runs(
            ("word", ("P-P",)), ("horizon2", ("P-P",)), ("horizon3", ("P-P",)), ("horizon4", ("P-P",))
        ),
        claims=tuple(
            claim
            for steps in (2, 3, 4)
            for claim in _both(
                f"Planning {steps} steps ahead does better than one (P-P)",
                of(f"horizon{steps}", "P-P"),
                "above",
                of("word", "P-P"),
            )
        ),
        draw=partial(
            figures.multi_step,
            one="word",
            others={f"horizon{steps}": f"{steps} steps" for steps in (2, 3, 4)},
        ),
    ),
    Entry(
        name="active-wine",
        title="Figure S1",
        heading="Teaching an active learner of wines",
        told=(
            "A logistic regression learns to tell good white wines (quality 7 or more) from others, with one "
            "known wine of each to begin with, by asking about a pool of 2,000 at random, where it is least "
            "certain, or so with a teacher who plans one step ahead for the accuracy on the pool. Calling "
            "every wine not good is right of 78 % of them, which is the measure of all accuracies here."
        ),
        caption=(
            "Accuracy on the wines outside the pool by answers, means with 95 % intervals; black: the model "
            "fitted to all labels of the pool; grey: no wine called good."
        ),
        replications=100,
        quick=50,
        runs=_alone("active-wine", lambda seed: ActiveWine(seed=seed)),
        claims=(
            *(
                Claim(
                    f"After 20 answers the learner with a teacher is more accurate than {told}",
                    of("active-wine", "teacher"),
                    "above",
                    of("active-wine", series),
                    "accuracy",
                    20,
                )
                for series, told in (
                    ("alone", "the one without"),
                    ("random", "the one with random queries"),
                )
            ),
            Claim(
                "After about 20 answers it comes close to the model that knows the whole pool (to half of "
                "what that gains over calling no wine good)",
                of("active-wine", "teacher"),
                "close",
                of("active-wine", "full pool"),
                "accuracy",
                20,
                Margin(0.008),
            ),
        ),
        draw=partial(figures.active_wine, run="active-wine"),
        by_fit=False,
    ),
    Entry(
        name="reward-profiles",
        title="Figure S2",
        heading="How rewarding the arms are",
        told=(
            "The reward probabilities of the 100 arms of each replication, sorted: words in the main setting "
            "(c = -4, d = 8) and in the supplementary one (c = -2, d = 6), and wines and leaves in the "
            "supplementary one. Leaves are there if their data were given."
        ),
        caption=(
            "Means over replications with 95 % intervals: where a line passes 0.6 at the 80th arm, 20 arms "
            "have a reward probability of 0.6 or more."
        ),
        replications=100,
        quick=100,
        runs=_profiles,
        claims=(
            Claim(
                "More arms have a high reward probability (0.5 or more) in the supplementary setting than in "
                "the main one",
                of("word-dense", "profile"),
                "above",
                of("word", "profile"),
                "rewarding arms",
                1,
            ),
        ),
        draw=partial(
            figures.profiles,
            labels={
                "word": "words (main)",
                "word-dense": "words (supplementary)",
                "wine": "wines",
                "leaf": "leaves",
            },
        ),
        by_fit=False,
    ),
    Entry(
        name="word-dense",
        title="Figure S3",
        heading="More rewarding arms",
        told=(
            "Figure 3 once more, with the supplementary reward profile (c = -2, d = 6), in which more arms "
            "are rewarding and answers at face value tell more."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=50,
        runs=_runs(("word-dense", PAIRS), ("word", PAIRED)),
        claims=(
            *_both(
                "A planning teacher gains less with an unaware learner than in the main setting "
                "(P-N less N-N, here and there)",
                gain("word-dense", "P-N", over="N-N"),
                "below",
                gain("word", "P-N", over="N-N"),
            ),
            *_both(
                "A planning teacher with a learner that models it is still a considerable improvement "
                "(P-P above N-N)",
                of("word-dense", "P-P"),
                "above",
                of("word-dense", "N-N"),
            ),
            *_of_figure_3("word-dense"),
        ),
        draw=partial(figures.bandits, run="word-dense"),
    ),
    Entry(
        name="wine",
        title="Figure S4",
        heading="Wines instead of words",
        told=(
            "Figure 3 once more, with arms drawn from the Wine Quality data (4,898 white wines) and the "
            "supplementary reward profile (c = -2, d = 6). The paper reports similar conclusions."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=50,
        runs=_runs(("wine", PAIRS)),
        claims=_of_figure_3("wine"),
        draw=partial(figures.bandits, run="wine"),
    ),
    Entry(
        name="leaf",
        title="Figure S5",
        heading="Leaves instead of words",
        told=(
            "Figure 3 once more, with arms drawn from the Leaf data (340 leaves) and the supplementary "
            "reward profile (c = -2, d = 6). The paper reports similar conclusions."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=50,
        runs=_runs(("leaf", PAIRS)),
        claims=_of_figure_3("leaf"),
        draw=partial(figures.bandits, run="leaf"),
        needs_leaf=True,
    ),
    Entry(
        name="beta5",
        title="Figure S7",
        heading="A far from optimal teacher",
        told=(
            "Figure S3 once more, with beta 5 instead of 20 for the planning teacher and for the learner's "
            "model of it. The paper says that this degrades learning; it is compared with Figure S3."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=50,
        runs=_runs(("beta5", PAIRS), ("word-dense", TAUGHT)),
        claims=_degraded("beta5", 5),
        draw=partial(figures.bandits, run="beta5"),
    ),
    Entry(
        name="beta10",
        title="Figure S8",
        heading="A less optimal teacher",
        told=(
            "Figure S3 once more, with beta 10 instead of 20 for the planning teacher and for the learner's "
            "model of it. The paper says that small beta degrades learning, and nothing else of this figure."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=50,
        runs=_runs(("beta10", PAIRS), ("word-dense", TAUGHT)),
        claims=_degraded("beta10", 10),
        draw=partial(figures.bandits, run="beta10"),
    ),
    Entry(
        name="arms500",
        title="Figure S9",
        heading="Five hundred arms",
        told=(
            "Figure S3 once more, with 500 words instead of 100. The paper reports that results remain "
            "qualitatively similar."
        ),
        caption=BANDITS_CAPTION,
        replications=100,
        quick=20,
        runs=_runs(("arms500", PAIRS)),
        claims=_of_figure_3("arms500"),
        draw=partial(figures.bandits, run="arms500"),
    ),
    Entry(
        name="optimiser",
        title="Beyond the paper",
        heading="Which fits matter",
        told=(
            "The published study fits by a fixed count of gradient steps, which stops short of the maximum, "
            "in two places: in the learner itself, and in the naive learner that a planning teacher imagines "
            "(and that a teacher-aware learner takes it to imagine). Here each is fitted in either way, in "
            "the main setting, to find which of them the conclusions rest on. The idea that is tried: an "
            "imagined learner that is stopped early moves less between a yes and a no, so that whoever "
            "models the teacher takes each answer for less evidence, and goes on exploring; planning "
            "further ahead lets it move on."
        ),
        caption=(
            "Left, cumulative reward after 30 questions with 95 % intervals, by how the learner and the "
            "imagined learner are fitted. Right, the contrast: how far apart, in feature space, the next "
            "questions after a yes and after a no are in expectation (N-P); beta times that is the weight "
            "of an answer."
        ),
        replications=400,
        quick=50,
        runs=_factorial,
        claims=(
            *_both(
                "With all fits converged, a learner that wrongly expects a planning teacher earns more than "
                "one that takes answers at face value, not less (N-P above N-N)",
                of(CONVERGED, "N-P"),
                "above",
                of(CONVERGED, "N-N"),
                (REWARD,),
            ),
            *_both(
                "Even so it knows less about the order of the arms (N-P below N-N)",
                of(CONVERGED, "N-P"),
                "below",
                of(CONVERGED, "N-N"),
                (ORDER,),
            ),
            *_both(
                "Stopping the imagined fits early does the harm, with the learner's own fits converged (N-P)",
                of(STOPPED, "N-P"),
                "below",
                of(CONVERGED, "N-P"),
                (REWARD,),
            ),
            *_both(
                "Stopping the learner's own fits early does little of it, with imagined fits converged (N-P)",
                of("published, converged", "N-P"),
                "close",
                of(CONVERGED, "N-P"),
                (REWARD,),
            ),
            Claim(
                "Stopped early, imagined fits let the learner ask about more different arms (N-P)",
                of(STOPPED, "N-P"),
                "above",
                of(CONVERGED, "N-P"),
                "different arms",
                LAST,
            ),
            Claim(
                "Stopped early, they see less than half of the contrast between a yes and a no to the first "
                "question, which is the same for all (N-P; right: half of it)",
                of(STOPPED, "N-P"),
                "below",
                (Term(CONVERGED, "N-P", 0.5),),
                "contrast",
                1,
            ),
            *_both(
                "Planning three steps ahead earns more than one where imagined fits are stopped early (P-P)",
                of(f"{STOPPED}{FURTHER}", "P-P"),
                "above",
                of(STOPPED, "P-P"),
                (REWARD,),
            ),
            Claim(
                "With imagined fits that converge it makes next to no difference (P-P)",
                of(f"{CONVERGED}{FURTHER}", "P-P"),
                "close",
                of(CONVERGED, "P-P"),
                REWARD,
                LAST,
                Margin(0.3),
            ),
        ),
        draw=partial(figures.factorial, pairs=FACTORIAL, further=FURTHER, contrast="N-P"),
        by_fit=False,
        ours=True,
    ),
)

FIGURES = {entry.name: entry for entry in _ENTRIES}  # in the order in which the paper numbers them
