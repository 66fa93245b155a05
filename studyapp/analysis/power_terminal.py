"""The power in the terminal: what the sessions show, and how many participants it takes to show it."""

from __future__ import annotations

import math

from rich.table import Table
from rich.text import Text

from core.wording import counted
from studyapp.analysis.outcomes import OUTCOMES
from studyapp.analysis.power import (
    GOALS,
    LEAST,
    MOST,
    PairPower,
    Power,
    PowerFile,
    safe_number,
    sessions_to_show,
)
from studyapp.base.console import Console
from studyapp.reporting.terminal import short
from studyapp.reporting.wording import UNKNOWN, listed, percent

CLAIM = 40  # characters of a claim in a line
SHARE = 21  # characters of a power with its interval


def show_power(found: PowerFile, console: Console) -> None:
    """Print what is known: for each pair the effects, the power by size, the participants needed."""
    test = f"two-sided p < {found.level:g}"
    for pair in found.pairs:
        one, other = map(short, pair.models)
        console.print(Text(f"{one} and {other}: what {counted(pair.sessions, 'session')} show", style="bold"))
        console.print(f"Differences are {one} minus {other}.")
        console.print(_effects(pair))
        for name in pair.effects:
            console.print(verdict(pair, name), soft_wrap=True)
        console.print()
        console.print(Text(f"Power: the probability that a study shows ({test})", style="bold"))
        console.print(_by_size(pair))
        console.print()
        console.print(Text("Participants needed", style="bold"))
        console.print(_needed(pair))
        for line in advice(pair, found.level):
            console.print(line, soft_wrap=True)
        console.print()


# What the sessions show


def _effects(pair: PairPower) -> Table:
    table = _table("", "difference", "95 % interval", "d_z", "95 % interval")
    for name, effect in pair.effects.items():
        outcome = OUTCOMES[name]
        difference, low, high = (
            signed(outcome.scale * value, outcome.digits) for value in (effect.difference, *effect.ci95)
        )
        limits = f"{signed(effect.d_z_ci95[0])} to {signed(effect.d_z_ci95[1])}"
        table.add_row(
            outcome.title,
            difference,
            f"{low} to {high}",
            signed(effect.d_z),
            limits if math.isfinite(effect.d_z) else UNKNOWN,
        )
    return table


def verdict(pair: PairPower, name: str) -> str:
    """Which model does better, and by how much; or that the sessions don't show it."""
    outcome, effect = OUTCOMES[name], pair.effects[name]
    topic = outcome.topic.format(last=pair.power[name].question)
    if not math.isfinite(effect.d_z):
        ahead = outcome.ahead(pair.models, effect.difference)
        same = "the models did the same" if ahead is None else "the difference was the same"
        return f"{topic}: {same} in every session, so there is no effect size and no power."
    if effect.better is None:
        return f"{topic}: the sessions don't show a difference."
    worse = pair.models[effect.better == pair.models[0]]
    amount = f"{outcome.size(abs(effect.difference))}{outcome.unit}"
    return f"{topic}: {short(effect.better)} {outcome.does} than {short(worse)}, by {amount}."


# How probable it is that a study shows it


def _by_size(pair: PairPower) -> Table:
    claims = (f"that {claim(power, name)}" for name, power in pair.power.items())
    table = _table("participants", *claims, wrap=True)
    for i, size in enumerate(pair.participants):
        table.add_row(str(size), *(_share(power, i) for power in pair.power.values()))
    return table


def _share(power: Power, i: int) -> str:
    share, low, high = power.power[i], power.ci95[0][i], power.ci95[1][i]
    if not math.isfinite(share):
        return UNKNOWN
    return f"{percent(share)} ({100 * low:.0f} to {percent(high)})"


# How many participants show it


def _needed(pair: PairPower) -> Table:
    table = _table("", *(header for goal in GOALS for header in (f"{percent(goal)} power", "safe")))
    for name, power in pair.power.items():
        d_z, low, _ = power.d_z
        cells = [
            cell
            for goal in power.needed
            for cell in (_count(power.needed[goal], d_z), _count(power.needed_at_lower_limit[goal], low))
        ]
        table.add_row(claim(power, name), *cells)
    return table


def _count(participants: int | None, d_z: float) -> str:
    if not math.isfinite(d_z):
        return UNKNOWN
    if d_z <= 0:
        return "none"
    return f"{participants:,}" if participants else f"> {MOST:,}"


def advice(pair: PairPower, level: float) -> list[str]:
    """What the numbers mean, and what to do where no number is safe or the safe number is large."""
    goals = listed([percent(goal) for goal in GOALS])
    lines = [
        f"{goals} power: with the effect just as in these sessions; too few about half of the time.",
        f"Safe: enough even if the effect is at the lower limit of its interval; never below {LEAST}.",
    ]
    for name, power in pair.power.items():
        if power.d_z[2] < 0:
            lines.append(f"No number of participants is enough to show that {claim(power, name)}.")
            lines.append("  The sessions show the opposite.")
    undecided = [(name, power) for name, power in pair.power.items() if power.d_z[1] <= 0 <= power.d_z[2]]
    if undecided:
        lines.append("No number is safe where the interval of d_z includes zero. Run more pilot sessions:")
    lines += [f"  {claim(power, name)}: {_sessions(power.d_z[0])}" for name, power in undecided]
    for name, power in pair.power.items():
        if power.d_z[1] > 0:
            lines += _if_many(pair, name, level)
    return lines


def _if_many(pair: PairPower, name: str, level: float) -> list[str]:
    """The next step if the safe number is beyond the sizes that are shown."""
    power, goal = pair.power[name], GOALS[0]
    safe = power.needed_at_lower_limit[f"{goal:g}"]
    if safe is not None and safe <= max(LEAST, pair.participants[-1]):
        return []
    total = 2 * pair.sessions
    then = _count(safe_number(power.d_z[0], total, goal, level), 1.0)
    return [
        f'The safe number for "{claim(power, name)}" is large because the interval of d_z is wide.',
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


def claim(power: Power, name: str) -> str:
    return f"{short(power.expected)} {OUTCOMES[name].does}"


def signed(value: float, digits: int = 2) -> str:
    return f"{value:+.{digits}f}" if math.isfinite(value) else UNKNOWN


def _table(first: str, *others: str, wrap: bool = False) -> Table:
    """A table whose columns are as wide as their cells; with ``wrap``, the headers fold to fit."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(Text(first), justify="right" if wrap else "left", max_width=CLAIM)
    for header in others:
        table.add_column(Text(header), justify="right", no_wrap=not wrap, max_width=SHARE if wrap else None)
    return table
