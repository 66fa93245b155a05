"""How people answer: a generative model with memory.

The published study's participants *steer*.  They say yes to a word that is like the target when it is first
asked about, and no when it is asked about again: it was a hint, and the hint has been taken.  The target gets
a yes every time.  Neither teacher model of the paper answers like that.  In this one, person p means yes to a
question about word w, as question number q of a round with target t, with the chance

    1                                                           if w is the target
    sigma(u_p + c ln(q / 5) + f found)
        sigma(a + k ln(l_tw / .15) + b_tw + o_ptw)              if it is asked about for the first time
    sigma(r_p)                                                  if it was asked before and last got a yes
    0                                                           if it was asked before and last got a no

and gives the opposite answer by a slip with the chance ``slip``.  The second line is a product: the person
must be ready to give a hint, and the word must seem relevant.  l_tw is the likeness (the reward) of word and
target, and found is 1 once the target has been asked about.

    u_p ~ N(ready, ready_sd^2)        how readily a person gives hints
    r_p ~ N(again, again_sd^2)        how readily a person gives the same hint again
    b_tw ~ N(0, pair_sd^2)            the pair's relevance beyond its likeness, on which people agree
    o_ptw ~ N(0, opinion_sd^2)        one person's opinion about the pair, the same in every round
    c, f                              ``question`` and ``found``: hints get rarer within a round
    a, k                              ``likeness`` and ``slope``: relevance grows with likeness, to a ceiling

No word other than the target was asked again after a no in the published rounds, so the last line is an
assumption.  ``core.people_fit`` fits the parameters to saved sessions; where it has seen a pair, it leaves a
normal posterior of b_tw instead of the prior.

Who has only the answers of a round integrates over people: u and r on a small grid (``nodes``), b and o for
each pair once, since a word is asked about for the first time only once (``relevance``).
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.errors import SettingError
from core.randomness import stream
from core.recall import NEVER
from core.rewards import clamped

Array = NDArray[np.float64]

USUAL_QUESTION = 5  # where ``ready`` is measured: in the middle of a round, on a logarithmic scale
USUAL_LIKENESS = 0.15  # where ``likeness`` is measured: as alike as cat and shark
USUAL_WIDTH = 1.5  # the kernel width of the likenesses that the parameters are about, as published
SAME_LIKENESS = 2e-6  # likenesses closer than this are equal; files have six decimals
FURTHEST, FURTHEST_EFFECT = 4.0, 6.0  # nodes, in standard deviations
CURVE_STEP = 0.005  # between points of a curve of chances, in log-odds or in their spread if that is below 1
FEW_PAIRS = 20_000  # are integrated one by one; of more, most are looked up on a curve
READY_NODES, AGAIN_NODES, EFFECT_NODES = 11, 13, 61  # people differ more in r than in u
MOST_SLIPS = 0.4  # at 0.5, nothing would tell a yes from a no
LARGEST = 100.0  # parameter
LARGEST_SD = 10.0  # the grids above carry standard deviations up to this
MOST_PAIRS = 50_000  # that are known: every log of a study carries them


@dataclass(frozen=True, eq=False)
class Pairs:
    """What is known about single pairs of a target (row) and a word (column), among K words.

    The tables have only those n words that anything is known about.
    """

    words: tuple[str, ...]  # (K,)
    at: NDArray[np.intp]  # (K,): where each word is in the tables, or -1
    likeness: Array  # (n, n); NaN where nothing is known
    mean: Array  # (n, n), of b; 0 where nothing is known
    sd: Array  # (n, n); NaN where nothing is known

    @staticmethod
    def of(words: tuple[str, ...], likeness: Array, mean: Array, sd: Array) -> Pairs:
        """From tables (K, K) of all these words."""
        known = np.isfinite(likeness)
        own = np.flatnonzero(known.any(0) | known.any(1))
        at = np.full(len(words), -1)
        at[own] = np.arange(len(own))
        tables = [table[np.ix_(own, own)] for table in (likeness, mean, sd)]
        for table in tables:
            table.flags.writeable = False
        return Pairs(words, at, *tables)

    def among(self, words: tuple[str, ...]) -> Pairs:
        """The same among other words."""
        places = {word: int(at) for word, at in zip(self.words, self.at, strict=True)}
        return replace(self, words=words, at=np.array([places.get(word, -1) for word in words]))

    def look_up(
        self, targets: NDArray[np.intp], words: NDArray[np.intp]
    ) -> tuple[NDArray[np.bool_], Array, Array, Array]:
        """Which pairs are in the tables, and the likeness, mean and sd of those; broadcast."""
        row, column = np.broadcast_arrays(self.at[targets], self.at[words])
        found = (row >= 0) & (column >= 0)
        at = row[found], column[found]
        return found, self.likeness[at], self.mean[at], self.sd[at]

    def known(self) -> Iterator[tuple[str, str, list[float]]]:
        """Every known pair, in the order of the words: target, word, and its three numbers."""
        here = np.flatnonzero(self.at >= 0)
        at = self.at[here]
        for t, w in np.argwhere(np.isfinite(self.likeness[np.ix_(at, at)])):
            numbers = [float(table[at[t], at[w]]) for table in (self.likeness, self.mean, self.sd)]
            yield self.words[here[t]], self.words[here[w]], numbers


@dataclass(frozen=True, eq=False)
class People:
    """How the people of a population answer, and how much they differ.

    Likeness is that of the published kernel, of width 1.5; ``for_kernel`` gives the same people where
    words are compared with another one.
    """

    ready: float  # mean of u, the log-odds of giving a hint at question 5
    ready_sd: float
    question: float  # c, change of the log-odds with the logarithm of the question's number
    found: float  # f, change once the target has been asked about
    likeness: float  # a, the log-odds that a word of likeness .15 seems relevant
    slope: float  # k, change with the logarithm of the likeness
    pair_sd: float
    opinion_sd: float
    again: float  # mean of r, the log-odds of a second yes to the same word
    again_sd: float
    slip: float  # the chance that an answer is the opposite of what was meant
    pairs: Pairs | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in PARAMETERS:
            bounds = {"least": -LARGEST, "most": LARGEST}
            if name.endswith("_sd"):
                bounds = {"least": 1e-3, "most": LARGEST_SD}
            if name == "slip":
                bounds = {"least": 1e-6, "most": MOST_SLIPS}
            value = checks.number(f"people: {name}", getattr(self, name), **bounds)
            object.__setattr__(self, name, value)

    @cached_property
    def sha256(self) -> str:
        """A hash of everything that determines how these people answer."""
        numbers = hashlib.sha256(json.dumps([getattr(self, name) for name in PARAMETERS]).encode())
        if self.pairs is not None:
            numbers.update(json.dumps([self.pairs.words, list(self.pairs.known())]).encode())
        return numbers.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, People) and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    # Answers

    def chances(
        self,
        number: int,
        *,
        ready: Array | float,
        again: Array | float,
        relevance: Array,
        is_target: NDArray[np.bool_] | np.bool_,
        last: NDArray[np.int8] | np.int8,
        found: NDArray[np.bool_] | np.bool_,
    ) -> Array:
        """The chance of a yes to question ``number``; all arguments are broadcast against each other."""
        from scipy.special import expit

        hint = expit(ready + self.question * math.log(number / USUAL_QUESTION) + self.found * found)
        meant = np.where(last == NEVER, hint * relevance, np.where(last == 1, expit(again), 0.0))
        return np.asarray(self.slip + (1 - 2 * self.slip) * np.where(is_target, 1.0, meant))

    def relevance(self, rewards: Array, targets: NDArray[np.intp]) -> Array:
        """The chance that each arm seems relevant to somebody unknown, (T, K).

        ``rewards`` are the likenesses (T, K), and ``targets`` (T,) the arm that each row is about.
        """
        mean, sd = self._effects(rewards, targets)
        odds, spread = self._relevance_odds(rewards) + mean, np.hypot(sd, self.opinion_sd)
        if odds.size <= FEW_PAIRS:
            return mean_chance(odds.ravel(), spread.ravel()).reshape(odds.shape)
        # Of a thousand words, almost all pairs are unknown and have one spread: a curve to look up, which is
        # off by less than 1e-6.
        unknown = sd == self.pair_sd
        usual = float(np.hypot(self.pair_sd, self.opinion_sd))
        at = np.arange(odds.min() - 1, odds.max() + 1, CURVE_STEP * min(1.0, usual))
        relevance = np.interp(odds, at, mean_chance(at, np.full(len(at), usual)))
        relevance[~unknown] = mean_chance(odds[~unknown], spread[~unknown])
        return relevance

    def _relevance_odds(self, rewards: Array) -> Array:
        return np.asarray(self.likeness + self.slope * np.log(clamped(rewards) / USUAL_LIKENESS))

    def _effects(self, rewards: Array, targets: NDArray[np.intp]) -> tuple[Array, Array]:
        """The mean and standard deviation of b for every pair, (T, K).

        A pair is known if its likeness is the one it was known with; arms have no names.
        """
        mean, sd = np.zeros(rewards.shape), np.full(rewards.shape, self.pair_sd)
        if self.pairs is None or rewards.shape[1] != len(self.pairs.words):
            return mean, sd
        found, likeness, means, sds = self.pairs.look_up(targets[:, None], np.arange(rewards.shape[1]))
        with np.errstate(invalid="ignore"):  # NaN: not known
            known = np.abs(clamped(likeness) - clamped(rewards[found])) <= SAME_LIKENESS
        mean[found], sd[found] = np.where(known, means, 0.0), np.where(known, sds, self.pair_sd)
        return mean, sd

    # People

    def person(
        self, seed: int, *names: str | int, target: int, rewards: Array, about: tuple[str | int, ...]
    ) -> Person:
        """The person that ``seed`` and ``names`` identify, in a round about arm ``target``.

        ``rewards`` (K,) are the likenesses.  A person is the same in all rounds.  Pair effects belong to
        ``seed`` alone: all its people share them.  ``about`` names the target, so that opinions about it
        are the same in all rounds.
        """
        from scipy.special import expit

        u, r = stream(seed, *names, "person").normal(2)
        mean, sd = self._effects(rewards[None], np.array([target]))
        shared = stream(seed, "pairs", *about).normal(len(rewards))
        own = stream(seed, *names, "opinions", *about).normal(len(rewards))
        odds = self._relevance_odds(rewards) + mean[0] + sd[0] * shared + self.opinion_sd * own
        return Person(
            people=self,
            ready=self.ready + self.ready_sd * float(u),
            again=self.again + self.again_sd * float(r),
            relevance=np.asarray(expit(odds)),
            target=target,
        )

    def grid(self) -> tuple[Array, Array, Array]:
        """Nodes of u (G, 1) and of r (1, H), and the prior probability of each combination, (G, H)."""
        u, pu = nodes(READY_NODES, FURTHEST)
        r, pr = nodes(AGAIN_NODES, FURTHEST)
        ready, again = self.ready + self.ready_sd * u, self.again + self.again_sd * r
        return ready[:, None], again[None, :], pu[:, None] * pr[None, :]

    # Words and files

    def among(self, words: tuple[str, ...]) -> People:
        """These people, with what is known about pairs in the order of ``words``."""
        if self.pairs is None or words == self.pairs.words:
            return self
        return self._with(pairs=self.pairs.among(words))

    def for_kernel(self, width: float) -> People:
        """The same people where the likeness of words has another kernel width than the published one.

        A kernel of width w makes exp(-w d^2) of a distance d, and people see the distance: in every formula
        the logarithm of the likeness counts 1.5 / w times as much.
        """
        if width == USUAL_WIDTH:
            return self
        slope = self.slope * USUAL_WIDTH / width
        likeness = self.likeness + (slope - self.slope) * math.log(USUAL_LIKENESS)
        pairs = self.pairs and replace(self.pairs, likeness=self.pairs.likeness ** (width / USUAL_WIDTH))
        return self._with(slope=slope, likeness=likeness, pairs=pairs)

    def _with(self, **changes: float | Pairs | None) -> People:
        """These people with other values; for another kernel, beyond the bounds that a file has."""
        other = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(other, name, value)
        vars(other).pop("sha256", None)
        return other

    @staticmethod
    def default() -> People:
        """The five published participants that studyapp was fitted to, by ``studyapp people fit``."""
        return _default()

    @staticmethod
    def from_mapping(mapping: Mapping[str, Any]) -> People:
        """People from a mapping, as ``to_mapping`` and ``studyapp people fit`` write it."""
        if not isinstance(mapping, Mapping):
            raise SettingError("people: this is no mapping of parameters, as studyapp people fit writes it")
        given = dict(mapping)
        for about in ABOUT:
            given.pop(about, None)
        words, pairs = given.pop("words", None), given.pop("pairs", None)
        if unknown := sorted(map(repr, set(given) - set(PARAMETERS))):
            raise SettingError(f"people: there is no parameter {unknown[0]}; known: {', '.join(PARAMETERS)}")
        if missing := [name for name in PARAMETERS if name not in given]:
            raise SettingError(f"people: {missing[0]} is missing; fit people again with studyapp people fit")
        return People(**given, pairs=None if pairs is None else _pairs(words, pairs))

    def to_mapping(self) -> dict[str, Any]:
        """Everything as plain numbers and names, for a file."""
        mapping: dict[str, Any] = {name: float(getattr(self, name)) for name in PARAMETERS}
        if self.pairs is None:
            return mapping
        mapping["words"] = list(self.pairs.words)
        mapping["pairs"] = {}
        for target, word, numbers in self.pairs.known():
            mapping["pairs"].setdefault(target, {})[word] = numbers
        return mapping


PARAMETERS = tuple(own.name for own in fields(People) if own.name != "pairs")
ABOUT = ("standard_errors", "fitted_to")  # what a file says about its parameters


@dataclass(frozen=True, eq=False)
class Person:
    """Somebody in a round: the person's own parameters, and the target."""

    people: People
    ready: float  # u
    again: float  # r
    relevance: Array  # (K,), the chance that each arm seems relevant to the target
    target: int

    def chance(self, number: int, arm: int, last: int, found: bool) -> float:
        """The chance of a yes to question ``number``, about ``arm``, whose last answer was ``last``."""
        return float(
            self.people.chances(
                number,
                ready=self.ready,
                again=self.again,
                relevance=self.relevance[arm],
                is_target=np.bool_(arm == self.target),
                last=np.int8(last),
                found=np.bool_(found),
            )
        )


def mean_chance(odds: Array, spread: Array) -> Array:
    """The mean of sigma(x) for normal x with these means and standard deviations, all (N,)."""
    from scipy.special import expit

    x, p = nodes(EFFECT_NODES, FURTHEST_EFFECT)
    return np.asarray(expit(odds[:, None] + spread[:, None] * x) @ p)


@cache
def nodes(count: int, furthest: float) -> tuple[Array, Array]:
    """Equally spaced nodes for a standard normal number, and their probabilities.

    For smooth functions such as products of chances, whose nearest singularity is pi / sd away, the
    trapezoidal rule converges as fast as a Gaussian one, and it does not thin out in the tails, where the
    posterior of an unusual person is.
    """
    x = np.linspace(-furthest, furthest, count)
    p = np.exp(-0.5 * x**2)
    x.flags.writeable = False
    p /= p.sum()
    p.flags.writeable = False
    return x, p


def _pairs(words: object, entries: object) -> Pairs:
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise SettingError("people: words must be a list of words, those that pairs is about")
    if len(set(words)) < len(words) or not 2 <= len(words) <= checks.MOST_ARMS:
        raise SettingError(f"people: words must be 2 to {checks.MOST_ARMS:,} different words")
    if not isinstance(entries, Mapping):
        raise SettingError("people: pairs must be a mapping of targets")
    count = sum(len(row) for row in entries.values() if isinstance(row, Mapping))
    if count > MOST_PAIRS:
        raise SettingError(f"people: there are {count:,} pairs; there can be at most {MOST_PAIRS:,}")
    index = {word: i for i, word in enumerate(words)}
    tables = np.full((3, len(words), len(words)), np.nan)
    for target, row in entries.items():
        if not isinstance(row, Mapping):
            raise SettingError(f"people: pairs of {target!r} must be a mapping of words")
        for word, numbers in row.items():
            where = f"people: the pair {target!r}, {word!r}"
            if target not in index or word not in index:
                raise SettingError(f"{where}: both must be among words")
            if not isinstance(numbers, list | tuple) or len(numbers) != 3:
                raise SettingError(f"{where} must have three numbers: likeness, mean, standard deviation")
            bounds = (
                {"least": 0.0, "most": 1.0},
                {"least": -LARGEST, "most": LARGEST},
                {"least": 1e-6, "most": LARGEST_SD},
            )
            names = ("likeness", "mean", "standard deviation")
            for table, name, number, bound in zip(tables, names, numbers, bounds, strict=True):
                table[index[target], index[word]] = checks.number(f"{where}: {name}", number, **bound)
    tables[1] = np.nan_to_num(tables[1])
    return Pairs.of(tuple(words), *tables)


@cache
def _default() -> People:
    text = resources.files("core").joinpath("people.json").read_text("utf-8")
    return People.from_mapping(json.loads(text))
