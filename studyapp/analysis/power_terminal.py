"""The power in the terminal: what the sessions show, and how many participants it takes to show it."""

from __future__ import annotations

import math

from rich.table import Table
from rich.text import Text

from core.wording import counted
from studyapp.analysis.effects import Effect
from studyapp.analysis.power import GOALS, LEAST, MOST, Power, safe_number, sessions_to_show
from studyapp.analysis.sample import Pair
from studyapp.base.console import Console
from studyapp.reporting.terminal import short
from studyapp.reporting.wording import UNKNOWN, listed, percent

__all__ = ["show_power"]

CLAIM = 40  # characters of a claim in a line
SHARE = 21  # characters of a power with its interval


def show_power(pair: Pair, powers: list[Power], console: Console) -> None:
    """Print what is known of a pair of models: the effects, the power by size, the participants needed."""
    effects = [power.effect for power in powers]
    one, other = map(short, pair)
    sessions, test = counted(effects[0].sessions, "session"), f"two-sided p < {powers[0].level:g}"
    console.print(Text(f"{one} and {other}: what {sessions} show", style="bold"))
    console.print(f"Differences are {one} minus {other}.")
    console.print(_effects(effects))
    for effect in effects:
        console.print(verdict(effect), soft_wrap=True)
    console.print()
    console.print(Text(f"Power: the probability that a study shows ({test})", style="bold"))
    console.print(_by_size(powers))
    console.print()
    console.print(Text("Participants needed", style="bold"))
    console.print(_needed(powers))
    for line in advice(powers):
        console.print(line, soft_wrap=True)
    console.print()


# What the sessions show


def _effects(effects: list[Effect]) -> Table:
    table = _table("", "difference", "95 % interval", "d_z", "95 % interval")
    for effect in effects:
        scale, digits = effect.outcome.scale, effect.outcome.digits
        difference, low, high = (array[-1] * scale for array in (effect.difference, effect.low, effect.high))
        d_z, d_z_low, d_z_high = (array[-1] for array in (effect.d_z, effect.d_z_low, effect.d_z_high))
        table.add_row(
            effect.outcome.title,
            signed(difference, digits),
            f"{signed(low, digits)} to {signed(high, digits)}",
            signed(d_z),
            f"{signed(d_z_low)} to {signed(d_z_high)}" if math.isfinite(d_z) else UNKNOWN,
        )
    return table


def verdict(effect: Effect) -> str:
    """Which model does better, and by how much; or that the sessions don't show it."""
    outcome, better = effect.outcome, effect.better
    topic = outcome.topic.format(last=effect.questions[-1])
    if not math.isfinite(effect.d_z[-1]):
        same = "the models did the same" if effect.ahead is None else "the difference was the same"
        return f"{topic}: {same} in every session, so there is no effect size and no power."
    if better is None:
        return f"{topic}: the sessions don't show a difference."
    worse = effect.pair[better == effect.pair[0]]
    amount = f"{abs(effect.difference[-1]) * outcome.scale:.{outcome.digits}f}{outcome.unit}"
    return f"{topic}: {short(better)} {outcome.does} than {short(worse)}, by {amount}."


# How probable it is that a study shows it


def _by_size(powers: list[Power]) -> Table:
    table = _table("participants", *(f"that {claim(power)}" for power in powers), wrap=True)
    for i, size in enumerate(powers[0].sizes):
        table.add_row(str(size), *(_share(power, i) for power in powers))
    return table


def _share(power: Power, i: int) -> str:
    share, low, high = (array[i, -1] for array in (power.share, power.low, power.high))
    if not math.isfinite(share):
        return UNKNOWN
    return f"{percent(share)} ({100 * low:.0f} to {percent(high)})"


# How many participants show it


def _needed(powers: list[Power]) -> Table:
    goals = [f"{percent(goal)} power" for goal in GOALS]
    table = _table("", *(header for goal in goals for header in (goal, "safe")))
    for power in powers:
        questions = power.effect.questions
        for at in _shown(len(questions)):
            after = f", {questions[at]} questions" if len(questions) > 1 else ""
            d_z, low, _ = power.d_z[at]
            cells = [
                cell
                for goal in GOALS
                for cell in (_count(power.needed(goal, at), d_z), _count(power.safe(goal, at), low))
            ]
            table.add_row(claim(power) + after, *cells)
    return table


def _shown(count: int) -> list[int]:
    """Where a third, two thirds and all of the questions are among those from the second on."""
    return sorted({max(0, round((count + 1) * thirds / 3) - 2) for thirds in (1, 2, 3)}) if count > 1 else [0]


def _count(participants: int | None, d_z: float) -> str:
    if not math.isfinite(d_z):
        return UNKNOWN
    if d_z <= 0:
        return "none"
    return f"{participants:,}" if participants else f"> {MOST:,}"


def advice(powers: list[Power]) -> list[str]:
    """What the numbers mean, and what to do where no number is safe or the safe number is large."""
    goals = listed([percent(goal) for goal in GOALS])
    lines = [
        f"{goals} power: with the effect just as in these sessions; too few about half of the time.",
        f"Safe: enough even if the effect is at the lower limit of its interval; never below {LEAST}.",
    ]
    limits = [(power, *power.d_z[-1]) for power in powers]
    for power in (power for power, _, _, high in limits if high < 0):
        lines.append(f"No number of participants is enough to show that {claim(power)}.")
        lines.append("  The sessions show the opposite.")
    undecided = [(power, d_z) for power, d_z, low, high in limits if low <= 0 <= high]
    if undecided:
        lines.append("No number is safe where the interval of d_z includes zero. Run more pilot sessions:")
    lines += [f"  {claim(power)}: {_sessions(d_z)}" for power, d_z in undecided]
    for power in (power for power, _, low, _ in limits if low > 0):
        lines += _if_many(power)
    return lines


def _if_many(power: Power) -> list[str]:
    """The next step if the safe number is beyond the sizes that are shown."""
    goal = GOALS[0]
    safe = power.safe(goal)
    if safe is not None and safe <= max(LEAST, power.sizes[-1]):
        return []
    total = 2 * power.effect.sessions
    then = _count(safe_number(float(power.d_z[-1, 0]), total, goal, power.level), 1.0)
    return [
        f'The safe number for "{claim(power)}" is large because the interval of d_z is wide.',
        f"  Run more pilot sessions: with {total} in total and the same d_z, {then} would be safe for "
        f"{percent(goal)} power.",
    ]


def _sessions(d_z: float) -> str:
    """How many sessions would show an effect of this size."""
    if d_z <= 0:
        return "these sessions point the other way"
    total = sessions_to_show(d_z)
    return f"{f'about {total:,}' if total else f'more than {MOST:,}'} in total, if d_z stays {signed(d_z)}"


# Words


def claim(power: Power) -> str:
    return f"{short(power.expected)} {power.effect.outcome.does}"


def signed(value: float, digits: int = 2) -> str:
    return f"{value:+.{digits}f}" if math.isfinite(value) else UNKNOWN


def _table(first: str, *others: str, wrap: bool = False) -> Table:
    """A table whose columns are as wide as their cells; with ``wrap``, the headers fold to fit."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(Text(first), justify="right" if wrap else "left", max_width=CLAIM)
    for header in others:
        table.add_column(Text(header), justify="right", no_wrap=not wrap, max_width=SHARE if wrap else None)
    return table
