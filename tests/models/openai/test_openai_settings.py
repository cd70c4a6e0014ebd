"""Settings that mean nothing are refused before anything is sent."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchwright.contracts import Asking
from benchwright.errors import UsageError
from benchwright.models.openai.settings import check_settings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"api": "responses"}, "no interface 'responses'"),
        ({"temperature": -0.1}, "--temperature -0.1"),
        ({"temperature": math.nan}, "--temperature nan"),
        ({"top_p": math.inf}, "--top-p inf"),
        ({"max_tokens": 0}, "--max-tokens 0"),
        ({"concurrency": 0}, "--concurrency 0"),
        ({"per_minute": 0.0}, "--per-minute 0.0"),
        ({"timeout_s": 0.0}, "--timeout 0.0"),
        ({"retries": -1}, "--retries -1"),
        ({"budget": -1.0}, "--budget -1.0"),
        ({"price_out": -1.0}, "--price-out -1.0"),
        ({"stop": ("a", "")}, "empty stop string"),
        ({"body": {"n": 3}}, "field 'n'"),
        ({"body": {"stream": True}}, "field 'stream'"),
        ({"body": {"messages": []}}, "field 'messages'"),
        ({"body": {"temperature": 1.0}}, "field 'temperature'"),
        ({"body": {"seed": 7}}, "field 'seed'"),
        ({"body": {"x": math.nan}}, "not JSON"),
        ({"body": {"x": {1, 2}}}, "not JSON"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings: dict[str, Any], words: str) -> None:
    """The message names the setting and what was given."""
    with pytest.raises(UsageError) as caught:
        check_settings(Asking(**settings))

    assert words in caught.value.message


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"temperature": 0.0, "top_p": 1.0, "retries": 0, "per_minute": 0.5, "concurrency": 1000},
        {"body": {"temperature": None, "reasoning_effort": "low", "max_completion_tokens": 5}},
        {"stop": ("\nclass", "\ndef", "\n#", "\nif", "\nprint")},
    ],
)
def test_what_can_be_meant_is_taken(settings: dict[str, Any]) -> None:
    """Nothing is raised."""
    asking = Asking(**settings)
    check_settings(asking)

    assert asking == Asking(**settings)
