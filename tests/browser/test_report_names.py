"""Names that break charts, scripts or eyes: a page each, with every chart, and nothing of them alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.records import Metric
from benchwright.report.pipeline import write_report
from kit import small_data
from kit.examples import SCALE
from kit.made_runs import finished_run
from kit.visits import Visit, in_page

NAMES = {
    **{name: name for name in ("constructor", "toString", "valueOf", "hasOwnProperty", "__proto__")},
    "stand-in": "text-0",
    "emoji": "\U0001f600" * 20,
    "families": "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 12,
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "bidi marks": "a\u202eolleh\u2066b\u2069\u200f",
    "ten thousand": "x" * 9_990 + "-the-end",
    "wide": "\ufdfd\u2e3b" * 12,
    "combining": "Z" + "\u0335\u0336\u0337" * 50,
    "looks empty": "\u3164\u2800",
    "end of script": "</script><script>alert(1)</script>",
    "markup": "<svg/onload=alert(1)>&lt;\"'",
    "expression": 'datum.value;[]["constructor"]()',
}
LIVE = """() => [
    document.querySelectorAll("img, iframe, object, embed").length,
    [...document.querySelectorAll("*")].filter((each) => each.getAttributeNames().some((name) => name.startsWith("on"))).length,
    [...document.querySelectorAll("script")].filter((each) => !each.type && each !== document.scripts[1]).length,
]"""

# Opens each tab; how many charts are seen in all of them.
CHARTS = """
    let charts = 0;
    for (const tab of document.querySelectorAll("[role=tab]")) {
        await follow(() => tab.click(), `#${CSS.escape(tab.id)}[aria-selected=true]`);
        charts += [...document.querySelectorAll("figure > svg.wide")].filter((each) => each.checkVisibility()).length;
    }
    return charts;
"""
# Clicks on cells of the first table of tasks; which task and which run the reader then shows.
CELLS = """
    const meta = JSON.parse(document.getElementById("meta").textContent);
    const at = (keys, key) => keys.map(decodeURIComponent).indexOf(key);
    const opened = [];
    for (const number of [0, 1, 2, 3]) {
        await follow(() => { location.hash = "#all-tasks"; }, "#task-table");
        document.getElementById("answer").replaceChildren();
        await follow(() => document.querySelectorAll("#task-table tbody td.heat a")[number].click(), "#answer h2");
        const hash = new URLSearchParams(location.hash.slice(1));
        opened.push([at(meta.taskKeys, hash.get("task")), at(meta.modelKeys, hash.get("model"))]);
    }
    return opened;
"""


def is_refused(name: str) -> bool:
    """Whether a data set with such an id is refused, so that only a run folder from elsewhere may have it."""
    return len(name) >= 200 or not name.isprintable()


def report_on(folder: Path, name: str) -> Path:
    """A page on which everything from outside has this name: task, model, prompt, tag, label and note."""
    metric = Metric(value=0.5, low=0.4, high=0.6, n=2, samples=2)
    rows = [small_data.humaneval_row(number, task_id=f"{name}{number or ''}") for number in range(2)]
    data, gone = (small_data.write(folder / name, rows) for name in ("tasks.jsonl", "gone.jsonl"))
    answers = {
        row["task_id"]: [("a", "passed"), (name, "wrong", {"detail": name, "rule": name})] for row in rows
    }
    prompts = {name: {"pass@1": metric}, "other": {"pass@1": metric}}
    matrix = {name: {name: 1, "none": 1}, "success": {"success": 2}}
    share = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 2, "samples": 2}
    group = {name: {"exact_match": share, "mcc": share}}
    details = {"confusion": matrix, "groups": {"language": group, "tag": group}, "findings": [name]}
    runs = [
        finished_run(folder / "one", data, answers, model=f"openai:{name}", notes=[name], prompts=prompts),
        finished_run(folder / "two", data, answers, model=f"openai:{name}"),
        finished_run(
            folder / "labels", gone, answers, model=f"openai:{name}", track="ruhumaneval", details=details
        ),
    ]
    for path in [gone, data] if is_refused(name) else [gone]:  # rows of one track are none of the other's
        path.unlink()
    write_report(runs, folder / "report.html")
    return folder / "report.html"


# What differs from another name in letters alone: only the weekly check.
LIKE_OTHERS = ("toString", "valueOf", "hasOwnProperty", "families")


@pytest.mark.parametrize("kind", [kind for kind in NAMES if SCALE > 1 or kind not in LIKE_OTHERS])
def test_a_page_for_each_name(visit: Callable[..., Visit], tmp_path: Path, kind: str) -> None:
    """As task, model, prompt, tag and label: charts on the page, an answer behind each cell."""
    path = report_on(tmp_path, NAMES[kind])
    seen = visit(viewport={"width": 1000, "height": 700})
    page = seen.open(path)
    charts = in_page(page, CHARTS)
    live = page.evaluate(LIVE)
    blank = page.evaluate(
        "[...document.querySelectorAll('#report a')].filter((a) => !a.textContent.trim()).length"
    )
    opened = in_page(page, CELLS)

    assert (charts, page.locator("#left-out + ul li").count()) == (9, 1 + is_refused(NAMES[kind]))
    assert (live, blank, seen.troubles) == ([0, 0, 0], 0, [])
    assert opened == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
