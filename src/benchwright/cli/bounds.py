"""The bounds on rows of CodeCorrectness as options, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

import click

from benchwright.building.codecorrectness.options import Bounds
from benchwright.cli.arguments import Option
from benchwright.errors import UsageError
from benchwright.lang.detectors import USES

C = TypeVar("C", bound=Callable[..., Any])
_DEFAULT = Bounds()
_bound = partial(click.option, cls=Option, section="Bounds on rows")
_COUNT = click.IntRange(min=1)
_OPTIONS = (
    _bound(
        "--licence-unknown",
        type=click.Choice(("keep", "drop")),
        default=_DEFAULT.licence_unknown,
        show_default=True,
        help="What becomes of clones of which nothing says the licence, such as your own; the card says so.",
    ),
    _bound(
        "--focal-chars",
        type=_COUNT,
        default=_DEFAULT.focal_chars,
        help="Characters of a focal file, at most.",
    ),
    _bound(
        "--test-chars", type=_COUNT, default=_DEFAULT.test_chars, help="Characters of a test file, at most."
    ),
    _bound("--asserts", type=_COUNT, default=_DEFAULT.asserts, help="Checks in a test file, at most."),
    _bound(
        "--cases-per-file",
        type=_COUNT,
        default=_DEFAULT.a_focal_file,
        help="Labelled test cases of one focal file, at most; what gets no label takes no place.",
    ),
    _bound(
        "--cases-per-repository",
        type=_COUNT,
        default=_DEFAULT.a_repository,
        help="Labelled test cases of one repository, at most.",
    ),
    _bound(
        "--likeness",
        type=click.FloatRange(0, 1, min_open=True),
        default=_DEFAULT.likeness,
        help="Share of tokens' runs in common from which two tests of like focal files count as one.",
    ),
    _bound(
        "--uses",
        multiple=True,
        metavar="[no-]USE",
        help=f"What rows may use all the same ({', '.join(_DEFAULT.uses)}) or, after no-, may not use either "
        f"({', '.join(use for use in USES if use not in _DEFAULT.uses)}); repeatable.",
    ),
)


def bound_options(command: C) -> C:
    """The command with an option for each bound."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def bounds_of(given: Mapping[str, Any], licences: tuple[str, ...]) -> Bounds:
    """The bounds that were asked for. Raises UsageError for a use that is none."""
    return Bounds(
        licences=licences or _DEFAULT.licences,
        licence_unknown=given["licence_unknown"],
        focal_chars=given["focal_chars"],
        test_chars=given["test_chars"],
        asserts=given["asserts"],
        a_focal_file=given["cases_per_file"],
        a_repository=given["cases_per_repository"],
        likeness=given["likeness"],
        uses=_refused(given["uses"]),
    )


def _refused(changes: Iterable[str]) -> tuple[str, ...]:
    """The uses that rows may not have, by default and as changed."""
    refused = set(_DEFAULT.uses)
    for change in changes:
        use = change.removeprefix("no-")
        if use not in USES:
            hint = f"one of: {', '.join(USES)}; the prefix no- forbids a use"
            raise UsageError(f"--uses {change}: unknown use", hint=hint)
        (refused.add if change.startswith("no-") else refused.discard)(use)
    return tuple(sorted(refused))
