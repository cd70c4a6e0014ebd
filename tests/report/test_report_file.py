"""The file: its policy, structure and sections, and equal bytes for equal runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.records import Metric, SelfCheck
from benchwright.report.page import assets, meta, policy
from benchwright.report.pipeline import write_report
from benchwright.running.score_notes import notes_on_rescues
from kit import small_data
from kit.made_runs import finished_run
from kit.reported import STRONG, WEAK, run_of

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Outline(HTMLParser):
    """Structure of a page: ids, headings, and elements that were left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.anchors: list[str] = []
        self.headings: list[str] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.styled: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record ids, headings and open elements."""
        given = dict(attrs)
        self.styled += [name for name in given if name == "style" or name.startswith("on")]
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if (given.get("href") or "").startswith("#"):
            self.anchors.append(str(given["href"])[1:])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of a drawing that closes itself."""

    def handle_endtag(self, tag: str) -> None:
        """Each end tag must match the latest start tag."""
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def page_of(folder: Path, **counts: list[int]) -> str:
    """Write the report of runs by name."""
    runs = [run_of(folder, name, each) for name, each in counts.items()]
    return write_report(runs, folder / "report.html").page.read_text(encoding="utf-8")


def test_equal_runs_give_equal_bytes(tmp_path: Path) -> None:
    """Page, charts and side files have no clock, no random number, no order of a set."""
    runs = [run_of(tmp_path, "a", STRONG), run_of(tmp_path, "b", WEAK)]
    made: list[dict[str, bytes]] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_report(runs, folder / "report.html", charts=folder / "charts")
        write_report(runs, folder / "side.html", embedded=0)
        made.append(
            {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        )

    assert made[0] == made[1]
    assert len(made[0]) == 2 + 8 + 12


def test_the_page_is_well_formed(tmp_path: Path) -> None:
    """Every element is closed in order, ids are unique, links inside have targets, no style or handler."""
    outline = Outline(page_of(tmp_path, a=STRONG, b=WEAK))
    broken = [anchor for anchor in outline.anchors if "task=" not in anchor and anchor not in outline.ids]

    assert (outline.wrong, outline.open, outline.styled, broken) == ([], [], [], [])
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.headings[:2] == ["h1", "h2"]


def test_the_policy_names_this_script_and_this_style(tmp_path: Path) -> None:
    """By the hashes of the content of the file; nothing else may run or be loaded."""
    text = page_of(tmp_path, a=STRONG)
    said = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert said and script and style
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(part[1].encode()).digest()).decode()
        for part in (script, style)
    ]

    assert said[1].replace("&#39;", "'") == (
        f"default-src 'none'; script-src '{hashes[0]}'; style-src '{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def test_side_files_need_one_word_more() -> None:
    """Only a report with side files lets its script load scripts."""
    assert ("strict-dynamic" in policy(side=""), "strict-dynamic" in policy(side="x-answers")) == (
        False,
        True,
    )


def test_the_script_builds_no_html_from_text() -> None:
    """The script uses no function that turns a string into markup or code."""
    ways = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "setTimeout",
    )

    assert [way for way in ways if way in assets().script] == []
    assert "</script" not in assets().script and "<!--" not in assets().script


def test_the_page_knows_its_outcomes() -> None:
    """Every outcome has words, group and sign; there is a sentence if programs are not available."""
    known = meta(["a"], ["t"], side="", readable=False)

    assert known["outcomes"]["no_code"] == {"label": "no code", "group": "unusable", "sign": "∅"}
    assert "data set was not available" in known["noProgram"]
    assert meta(["a"], ["t"], side="", readable=True)["noProgram"] == ""


def test_names_cannot_end_the_data(tmp_path: Path) -> None:
    """A task named like the end of a script stays inside its JSON."""
    name = "</script><script>alert(1)</script>"
    data = small_data.write(tmp_path / "d.jsonl", [small_data.humaneval_row(0, task_id=name)])
    run = finished_run(tmp_path / "run", data, {name: [("a", "passed")]})
    text = write_report([run], tmp_path / "r.html").page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="meta">(.*?)</script>', text, re.DOTALL)
    assert found

    assert json.loads(found[1])["tasks"] == [name]
    assert Outline(text).wrong == []


def test_sections_are_there_when_there_is_something_to_say(tmp_path: Path) -> None:
    """A run of one answer has no comparison, no curve, no prompts and no cheats, and no links to them."""
    text = write_report([run_of(tmp_path, "a", [1, 0, 1], n=1)], tmp_path / "r.html").page.read_text()
    outline = Outline(text)

    assert {"standing", "outcomes", "tasks", "method"} <= set(outline.ids)
    assert not {"comparisons", "curve", "prompts", "cheats"} & set(outline.ids)
    assert "<h1>a on HumanEval</h1>" in text


def test_all_sections(tmp_path: Path) -> None:
    """Prompts, cheats, notes and other profiles each have a section."""
    metric = Metric(value=0.5, low=0.4, high=0.6, n=3, samples=4)
    rows = {
        f"Small/{number}": [("a", "wrong", {"suspicious": "ends the process"})] * 2 for number in range(3)
    }
    more: dict[str, Any] = {
        "prompts": {"en-01": {"pass@1": metric}, "en-02": {"pass@1": metric}},
        "prompt_design": "spread",
        "other_profiles": {"mera-code": {"pass@1": metric}},
        "notes": ["a note & more"],
    }
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows, **more)
    text = write_report([run], tmp_path / "r.html").page.read_text(encoding="utf-8")

    assert {"prompts", "cheats", "curve"} <= set(Outline(text).ids)
    assert all(said in text for said in ("en-02", "mera-code", "a note &amp; more", "ends the process"))
    assert "6 answers tried to cheat or escape; none of them passed." in text


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ([("a", "passed"), ("b", "model_error")], {}, "1 answer is missing because of infrastructure errors"),
        ([("a", "passed", {"isolation": "none"})], {}, "ran without isolation"),
        (
            [("a", "passed")],
            {"self_check": SelfCheck(gold_passed=0, gold_total=1, stub_passed=0, stub_total=1)},
            "the self-check failed",
        ),
    ],
)
def test_warnings_come_first(tmp_path: Path, rows: Any, more: dict[str, Any], said: str) -> None:
    """They precede all numbers that they qualify."""
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), {"Small/0": rows}, **more)
    text = write_report([run], tmp_path / "r.html").page.read_text(encoding="utf-8")

    assert said in text.partition('<section id="standing"')[0]


def test_the_folder_beside_is_chosen_by_size(tmp_path: Path) -> None:
    """Up to the limit there is one file; beyond it the answers are in a folder named like the page."""
    runs = [run_of(tmp_path, "a", STRONG)]
    size = (runs[0] / "answers.jsonl").stat().st_size
    whole = write_report(runs, tmp_path / "whole.html", embedded=size)
    split = write_report(runs, tmp_path / "split.html", embedded=size - 1)
    assert split.side is not None
    line = (split.side / "00011.js").read_text(encoding="ascii")

    assert (whole.side, split.side.name, len(list(split.side.iterdir()))) == (None, "split-answers", 12)
    assert re.fullmatch(r'benchwrightAnswers\(11, "[A-Za-z0-9+/=]+"\);\n', line)
    assert 'id="answers-0"' not in split.page.read_text(encoding="utf-8")


def test_progress_is_told(tmp_path: Path) -> None:
    """The number of tasks comes first, then each of them."""
    told: list[int] = []

    def begin(total: int) -> Any:
        told.append(total)
        return lambda: told.append(1)

    write_report([run_of(tmp_path, "a", STRONG)], tmp_path / "r.html", progress=begin)

    assert told == [12] + [1] * 12


def test_a_run_that_goes_on_is_refused(tmp_path: Path) -> None:
    """Without scores.json it has not ended, and half a run is not reported."""
    run = run_of(tmp_path, "a", STRONG)
    (run / "scores.json").unlink()
    with pytest.raises(RunError, match="is not finished"):
        write_report([run], tmp_path / "r.html")

    assert not (tmp_path / "r.html").exists()


def test_the_target_is_looked_at_first(tmp_path: Path) -> None:
    """A folder in place of the page is an error before any run is read."""
    with pytest.raises(UsageError, match="not a regular file"):
        write_report([tmp_path / "nowhere"], tmp_path)


def test_data_that_has_gone_is_said(tmp_path: Path) -> None:
    """The report is still written, and states why it has no programs."""
    run = run_of(tmp_path, "a", STRONG)
    (tmp_path / "tasks.jsonl").unlink()
    written = write_report([run], tmp_path / "r.html")

    assert "The data set was not available" in written.page.read_text(encoding="utf-8")
    assert [note.partition(":")[0] for note in written.notes] == [
        "the page omits questions, programs and canonical solutions"
    ]


def test_the_page_says_how_many_passes_are_rescued(tmp_path: Path) -> None:
    """It shows the score's notes."""
    note = notes_on_rescues(Counter({"cut": 61, "prose": 2}), 61, 99)
    page = tmp_path / "page.html"
    write_report([run_of(tmp_path, "strong", STRONG, notes=note)], page)
    text = " ".join(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8")).split())

    assert "61 of 99 passes are by a rescue rule" in text
    assert "(cut 61, prose 2)" in text
