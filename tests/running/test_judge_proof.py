"""The self-check of a model judge: the conditions that end it early."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchwright.errors import SelfCheckError
from benchwright.running.model_judging import _check_readable

JUDGE: Any = SimpleNamespace(name="prose")


def _said(*statuses: str) -> Any:
    return {str(n): SimpleNamespace(status=each, detail="no JSON") for n, each in enumerate(statuses)}


def test_a_judge_that_cannot_be_read_is_asked_no_more() -> None:
    """The reason is that of the first reply."""
    with pytest.raises(SelfCheckError, match=r"no reply could be read.*4 items: no JSON"):
        _check_readable(JUDGE, _said(*["unparsable"] * 4))


@pytest.mark.parametrize(
    "statuses",
    [(), ("judged",), ("unparsable", "judged"), ("unparsable", "missing"), ("missing",), ("undecided",) * 4],
)
def test_any_other_judge_is_asked_on(statuses: tuple[str, ...]) -> None:
    """It continues after one readable reply, and after a missing one."""
    _check_readable(JUDGE, _said(*statuses))
