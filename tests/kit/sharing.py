"""In which order files are given to the processes that share a run of the tests.

Each process gets a file at a time (pytest-xdist's `loadfile`), so what a file makes once is made once. The
order is that of the folders, but what takes longest comes first: in the end there are small files, and no
process is left alone with a dear one.
"""

from __future__ import annotations

import pytest

from kit.seconds import file_of

# Some half minute or more each, the dearest first. A path that ends with "/" stands for all files below it.
DEAREST = (
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
    """The place of a test's file among the dearest; the same for all that are not."""
    path = file_of(nodeid)
    fits = (path == each or (each.endswith("/") and path.startswith(each)) for each in DEAREST)
    return next((place for place, fit in enumerate(fits) if fit), len(DEAREST))


def dearest_first(items: list[pytest.Item]) -> None:
    """Put the tests of the dearest files first; the others, and those of a file, stay in their order."""
    items.sort(key=lambda item: place_of(item.nodeid))
