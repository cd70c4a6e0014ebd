"""The page of a build: what is counted for its charts, drawn, and written without anything from outside."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from benchwright.building.aicodereval.build_statistics import (
    BuildStatistics,
    DraftFacts,
    GateFacts,
    RefusalReason,
    UncertifiedEntry,
    UnnoticedChange,
)
from benchwright.building.aicodereval.page import (
    LISTED,
    NO_LIBRARY,
    PACKAGE,
    lede,
    page_context,
    tallies,
    write_build_page,
)
from benchwright.building.engine.stages import FunnelLevel
from benchwright.report.page import render_template


def facts(name: str, *, tier: str = "certified", lines: int = 7, **more: object) -> DraftFacts:
    return DraftFacts(task_id=name, domain="NLP", tier=tier, code_lines=lines, **{"libraries": [], **more})


FOUND = BuildStatistics(
    folder="builds/mi<ne",
    drafts=[
        facts("a", success_rate=1.0, mutation_score=0.955, libraries=["numpy", "to<rch"]),
        facts("b", success_rate=1.0, mutation_score=1.0, lines=51),
        facts("c", tier="partial", success_rate=2 / 3, mutation_score=0.3, lines=5),
        facts("d", tier="left out", success_rate=0.0),
        facts("e", tier="env-missing"),
    ],
    gates=[
        GateFacts(name="licence", refused={"licence_unknown": 2}),
        GateFacts(name="mutation", refused={"weak_tests": 1}, cpu_s=1.25),
    ],
    funnel=[
        FunnelLevel(
            stage="read", unit="drafts", given=7, considered=7, kept=5, dropped={"licence_unknown": 2}
        )
    ],
)


WEAK = UncertifiedEntry(
    task_id="c<c",
    tier="valid",
    reasons=[
        RefusalReason(
            reason="weak_tests",
            detail="the tests kill <half>",
            changes=[
                UnnoticedChange(name="less-4-8", diff="@@ -4 +4 @@\n-    if a < b:\n+    if a <= b:"),
                UnnoticedChange(name="zero-5-8", diff="-0\n+1", call="f(1)", solution="'<1'", mutant="2"),
            ],
        ),
        RefusalReason(reason="clock_read"),
    ],
)


def rows(key: str) -> dict[str, float]:
    return dict(next(each.rows for each in tallies(FOUND) if each.key == key))


def test_domains_and_libraries_are_of_the_release() -> None:
    """What was left out counts nowhere; an entry without a library uses the standard library alone."""
    assert rows("domains") == {"NLP": 4}
    assert rows("libraries") == {"numpy": 1, "to<rch": 1, NO_LIBRARY: 3}


def test_success_rates_are_of_all_that_was_executed() -> None:
    """None and all have bins of their own, and an empty bin is a row too."""
    assert rows("success-rates") == {"0 %": 1, "1 to 33 %": 0, "34 to 66 %": 0, "67 to 99 %": 1, "100 %": 2}


@pytest.mark.parametrize(
    ("lines", "name"), [(5, "up to 5"), (6, "up to 10"), (50, "up to 50"), (51, "over 50")]
)
def test_bins_of_lines(lines: int, name: str) -> None:
    """A bound belongs to the bin that it names."""
    one = BuildStatistics(folder="x", drafts=[facts("a", lines=lines)], gates=[], funnel=[])
    sizes = next(dict(each.rows) for each in tallies(one) if each.key == "code-size")

    assert {bin_ for bin_, count in sizes.items() if count} == {name}


@pytest.mark.parametrize(("share", "name"), [(0.0, "0 %"), (0.2, "1 to 33 %"), (1 / 3, "1 to 33 %"), (0.5, "34 to 66 %"),
                                             (2 / 3, "67 to 99 %"), (0.75, "67 to 99 %"), (1.0, "100 %")])  # fmt: skip
def test_bins_of_rates(share: float, name: str) -> None:
    """A third of three levels is in the second bin, two thirds in the fourth."""
    one = BuildStatistics(folder="x", drafts=[facts("a", success_rate=share)], gates=[], funnel=[])
    found = next(dict(each.rows) for each in tallies(one) if each.key == "success-rates")

    assert {bin_ for bin_, count in found.items() if count} == {name}


def test_mutation_scores_refusals_and_costs() -> None:
    """Scores by tenths, refusals of all gates, seconds where some were spent."""
    scores = {name: count for name, count in rows("mutation-scores").items() if count}

    assert scores == {"below 50 %": 1, "90 to 99 %": 1, "100 %": 1}
    assert (rows("refusals"), rows("gate-costs")) == (
        {"licence unknown": 2, "weak tests": 1},
        {"mutation": 1.25},
    )


def test_what_was_not_found_out_is_not_drawn() -> None:
    """A build whose drafts were all refused for form has its funnel and refusals, and no empty charts."""
    found = BuildStatistics(folder="x", drafts=[], gates=FOUND.gates[:1], funnel=FOUND.funnel)

    assert [each.key for each in tallies(found)] == ["funnel", "refusals"]
    assert lede(found) == "0 entries released: none."


def test_the_page_and_its_files(tmp_path: Path) -> None:
    """Every chart is drawn twice on the page and saved twice; texts from outside are escaped; equal bytes."""
    written = write_build_page(FOUND, tmp_path / "report.html", charts=tmp_path / "charts")
    page = written.page.read_text("utf-8")

    assert (len(written.charts), written.left_out) == (2 * len(tallies(FOUND)), [])
    assert {path.suffix for path in written.charts} == {".svg", ".png"}
    assert page.count("<svg") == 2 * len(tallies(FOUND))
    assert ("mi&lt;ne" in page, "to&lt;rch" in page, "to<rch" in page) == (True, True, False)
    assert "http" not in page.replace("http-equiv", "")
    assert write_build_page(FOUND, tmp_path / "again.html").page.read_text("utf-8") == page


def _page(found: BuildStatistics) -> str:
    return b"".join(render_template("build.html", page_context(found, [], []), packages=[PACKAGE])).decode()


def test_the_page_says_why_entries_are_not_certified() -> None:
    """Each reason, with changes that the tests do not notice as diffs, and the call that shows one."""
    found = msgspec.structs.replace(FOUND, uncertified=[WEAK] * (LISTED + 3))
    page = _page(found)

    assert page.count("<strong>c&lt;c</strong>") == LISTED
    assert "valid: weak_tests, clock_read" in page
    assert '<del class="line">-    if a &lt; b:</del><ins class="line">+    if a &lt;= b:</ins>' in page
    assert ("the tests kill &lt;half&gt;" in page, "&#39;&lt;1&#39;" in page) == (True, True)
    assert page.count("Counterexample") == LISTED
    assert "3 more are listed" in page


def test_a_build_without_such_entries_has_no_such_section() -> None:
    """Where all that was released is certified."""
    assert 'id="uncertified"' not in _page(FOUND)
