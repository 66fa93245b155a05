"""Properties checked on random examples: a few in every run, many in the long proofs of ``make prove``."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

__all__ = ["holds_for"]

Test = Callable[..., None]


def holds_for(few: int, many: int, **drawn: SearchStrategy[Any]) -> Callable[[Test], Test]:
    """Run a test on this number of random examples; the version with ``many`` is marked ``prove``.

    The arguments in ``drawn`` come from Hypothesis, all others are fixtures.  A fixture is made once for all
    examples.
    """

    def decorate(test: Test) -> Test:
        def run(examples: int, **fixtures: Any) -> None:
            def holds(**example: Any) -> None:
                test(**fixtures, **example)

            holds.__qualname__ = test.__qualname__
            settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])(
                given(**drawn)(holds)
            )()

        fixtures = [one for name, one in signature(test).parameters.items() if name not in drawn]
        asked = [*fixtures, Parameter("examples", Parameter.KEYWORD_ONLY)]
        run.__signature__ = Signature(asked)  # type: ignore[attr-defined]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        long = pytest.param(many, marks=pytest.mark.prove)
        marked: Test = pytest.mark.parametrize("examples", [few, long])(run)
        return marked

    return decorate
