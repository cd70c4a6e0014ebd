"""Which files tests are written for, and where those stand."""

from __future__ import annotations

import pytest

from benchwright.building.codecorrectness.generated_tests import is_focal_path, written_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pack/mod.py", True),
        ("setup.py", False),
        ("pack/tests/data.py", False),
        ("src/test/java/a/Tool.java", False),
        ("conftest.py", False),
        ("src/main/java/a/package-info.java", False),
        ("README.md", False),
        ("contest.py", True),
        ("pack/test.py", False),
    ],
)
def test_what_may_be_a_focal_file(path: str, expected: bool) -> None:
    """Files that serve tests or installation are not asked about."""
    assert is_focal_path(path) == expected


def test_written_tests_have_a_folder_that_no_repository_has() -> None:
    """Two replies to one file stand at two paths."""
    paths = [written_path("a/b.py", "test_b.py", number) for number in (1, 2)]

    assert [*paths, written_path("b.py", "test_b.py", 1)] == [
        "generated/1/a/test_b.py",
        "generated/2/a/test_b.py",
        "generated/1/test_b.py",
    ]
