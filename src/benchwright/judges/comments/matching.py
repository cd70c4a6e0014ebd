"""Which comment answers which reference annotation: the best assignment, exactly, in linear time.

A comment competes only for annotations at most one line away. So annotations on lines of their own share
comments with no more than the two before and the two after them, and going through them by line, all that
matters of the past is what the last two took (dynamic programming over a band, in place of the Hungarian
algorithm's cube).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from operator import itemgetter

WINDOW = 1  # lines
_COMPETING = 4 * WINDOW + 1  # options of an annotation that can matter: one comment competes for no more
NOTHING = -1
_State = tuple[int, int]  # the comments of the last two annotations

Option = tuple[int, float]  # a comment's number and its value here, above 0


def assign(options: Sequence[Sequence[Option]]) -> list[int]:
    """Return the comment of each annotation, or `NOTHING`, no comment twice, with the highest total value.

    Annotations are in line order, each on its own line; `options` are the comments within `WINDOW` of it.
    Ties are resolved always in the same way.
    """
    values: dict[_State, float] = {(NOTHING, NOTHING): 0.0}
    steps: list[dict[_State, _State]] = []
    for offered in options:
        best = [*nlargest(_COMPETING, offered, key=itemgetter(1)), (NOTHING, 0.0)]
        values, came_from = _step(values, best)
        steps.append(came_from)
    return _traced(steps, max(values, key=lambda state: values[state]))


def _step(
    values: dict[_State, float], best: Sequence[Option]
) -> tuple[dict[_State, float], dict[_State, _State]]:
    """Return the value of each state after one more annotation, and the best state before it."""
    reached: dict[_State, float] = {}
    came_from: dict[_State, _State] = {}
    for before, value in values.items():
        for comment, worth in best:
            after = before[1], comment
            if (comment == NOTHING or comment not in before) and value + worth > reached.get(after, -1.0):
                reached[after] = value + worth
                came_from[after] = before
    return reached, came_from


def _traced(steps: list[dict[_State, _State]], state: _State) -> list[int]:
    taken = []
    for came_from in reversed(steps):
        taken.append(state[1])
        state = came_from[state]
    return taken[::-1]
