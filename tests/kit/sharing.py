"""Order in which files are given to the processes that share a run of the tests.

A process gets a whole file at a time (`forked_tests`), so a fixture of a file is set up once. The most expensive
files come first, so that no process ends long after the others. All other files keep the order of their folders.
"""

from __future__ import annotations

import pytest

from kit.seconds import file_of

# Half a minute or more each, the most expensive first. A path that ends with "/" stands for all files below
# it.
LONGEST = (
    "tests/attacks/test_attacks.py",
    "tests/browser/test_view_live.py",
    "tests/browser/test_web_core_pages.py",
    "tests/browser/test_station_keyboard.py",
    "tests/cluster/",
    "tests/lang/test_lang_comments_hostile.py",
    "tests/cli/test_cli_demo.py",
    "tests/e2e/",
    "tests/docs/test_docs_commands.py",
    "tests/benchmarks/test_bench_commands.py",
    "tests/judges/suites/test_java_suites.py",
    "tests/judges/suites/test_go_suites.py",
    "tests/browser/",
    "tests/stats/test_comparing_coverage.py",
    "tests/sources/github/test_history_kills.py",
    "tests/web/core/test_web_serving.py",
    "tests/executing/test_hostile_values.py",
    "tests/building/aicodereval/test_aicodereval_pipeline.py",
    "tests/attacks/",
    "tests/web/",
    "tests/cli/",
)


def place_of(nodeid: str) -> int:
    """Return the place of a test's file in `LONGEST`; its length for all files that are not in it."""
    path = file_of(nodeid)
    fits = (path == each or (each.endswith("/") and path.startswith(each)) for each in LONGEST)
    return next((place for place, fit in enumerate(fits) if fit), len(LONGEST))


def longest_first(items: list[pytest.Item]) -> None:
    """Move the tests of the longest files to the front. The order within a file and of all others is kept."""
    items.sort(key=lambda item: place_of(item.nodeid))
