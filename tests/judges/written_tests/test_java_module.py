"""Tests of a Java class that needs the other classes of its module: in a clone, and without one."""

from __future__ import annotations

from contextlib import ExitStack
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchwright.contracts import Extraction, WrittenTestsSpec
from benchwright.demo.repositories import make_clones
from benchwright.executing.suite_runners import runner_for
from benchwright.judges.judge_registry import Resources
from benchwright.judges.written_tests.java_module import with_module
from benchwright.judges.written_tests.judge import WrittenTestsJudge
from benchwright.registry import find
from benchwright.sandbox.box import Sandbox
from benchwright.tracks.rows import Fields
from kit.mera_replies import rows
from kit.needs import need_ready, need_sandbox

CLASS = """\
package ours.ledger;

public final class Lists {
    public static long twice(long[] amounts) {
        return 2 * Sums.total(amounts);
    }
}
"""
TEST = """\
package ours.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ListsTest {
    @Test
    void twice() {
        assertEquals(6, Lists.twice(new long[] {1, 2}));
    }
}
"""


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clones")
    make_clones(folder)
    (folder / "libraries" / "java").mkdir(parents=True)
    return folder


def _spec(clones: Path, **meta: Any) -> WrittenTestsSpec:
    ledger = rows("realcodejava")[0]["meta"]
    row = deepcopy(rows("javatestgen")[0])
    row["inputs"] |= {"class_name": "Lists", "test_class_name": "ListsTest", "code": CLASS}
    row["meta"] |= {"repo": ledger["repo"], "base_commit": ledger["base_commit"], "source_code": CLASS}
    row["meta"] |= {"fn_test": "src/test/java/ours/ledger/ListsTest.java", "canonical_test": TEST, **meta}
    track = find("track", "javatestgen").in_repositories(clones)
    spec = track.spec(track.read_row(Fields(row, "rows.jsonl", 1)), profile="mera-exact")
    return replace(spec, baselines={})  # two compilations instead of six


def test_the_clone_supplies_the_other_sources(clones: Path) -> None:
    """Not the class itself, no tests, and the jars next to the clones."""
    found = with_module(_spec(clones))

    assert "src/main/java/ours/ledger/Sums.java" in found.others
    assert not any(name in path for path in found.others for name in ("Lists.java", "src/test/"))
    assert found.libraries == str(clones / "libraries")


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({"base_commit": "0" * 40}, "unknown commit"),
        ({"fn_test": "other/src/test/java/ListsTest.java"}, "has no file ours/ledger/Lists.java"),
    ],
)
def test_a_clone_without_the_class_is_a_reason(meta: dict[str, str], said: str, clones: Path) -> None:
    """The environment is missing, and no test counts as failed."""
    assert said in with_module(_spec(clones, **meta)).missing


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({"repo": "../../etc"}, "`../../etc` is not the name of a repository"),
        ({"repo": "ours/other"}, "no clone of ours/other"),
        ({"base_commit": "main"}, "`base_commit` is not the id of a commit"),
    ],
)
def test_without_a_clone_the_class_stands_alone(meta: dict[str, str], said: str, clones: Path) -> None:
    """What it lacks then is in the reason."""
    spec = _spec(clones, **meta)

    assert (spec.clone, with_module(spec).others) == ("", {})
    assert spec.unmet.startswith("env-missing: ")
    assert said in spec.unmet


def test_a_class_that_needs_its_module_is_judged_in_a_clone(clones: Path) -> None:
    """Without the clone it is not scored."""
    need_sandbox()
    need_ready(runner_for("Java").versions, "no Java suite can be run")
    with Sandbox() as box, ExitStack() as closing:
        judge = WrittenTestsJudge(Resources(box, closing))
        ends = []
        for spec in (_spec(clones), _spec(clones, repo="ours/other")):
            pending = judge.judge(Extraction(program=TEST, rule=""), spec)
            assert callable(pending)
            ends.append(pending())

    assert (ends[0].outcome.value, ends[0].detail) == ("passed", "")
    assert ends[1].outcome.value == "undecided"
    assert ends[1].detail.startswith("not scored: env-missing: ")
    assert "no clone of ours/other" in ends[1].detail
