"""Every link of a page of several tracks opens the answer that it stands for, followed in the browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.report.pipeline import write_report
from kit import small_data
from kit.made_runs import Given, finished_run
from kit.visits import Visit, in_page

MODELS, TASKS, OUTCOMES = ("strong", "weak", "live"), 3, ("passed", "wrong", "timed_out", "no_code")


def said(track: str, model: str, task: int, sample: int) -> str:
    """The text of an answer, unlike that of any other."""
    return f"{track} {model} task {task} sample {sample}"


def rows_of(track: str, model: str) -> dict[str, list[Given]]:
    """Answers whose text says where they belong; outcomes that differ from neighbour to neighbour."""
    shift = MODELS.index(model)
    return {
        f"Small/{task}": [
            (
                said(track, model, task, sample),
                OUTCOMES[(task + sample + shift) % 4],
                {
                    "cpu_s": 0.1 * (1 + task),
                    "suspicious": "reads the frame" if (task + sample) % 3 == 0 else "",
                },
            )
            for sample in range(4)
        ]
        for task in range(TASKS)
    }


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tracks with the same models and the same tasks, as the demo has them, and a run with a task less."""
    folder = tmp_path_factory.mktemp("links")
    data = small_data.humaneval(folder, tasks=TASKS)
    runs = []
    for track in ("ruhumaneval", "humaneval"):
        for model in MODELS:
            rows = rows_of(track, model)
            if (track, model) == ("humaneval", "live"):
                del rows["Small/0"]
            runs.append(
                finished_run(folder / f"{track}-{model}", data, rows, model=f"openai:{model}", track=track)
            )
    data.unlink()  # rows of one track are none of the other's; the texts of the answers are enough here
    write_report(runs, folder / "report.html")
    return folder / "report.html"


def shown(page: Any, links: list[str]) -> list[dict[str, Any]]:
    """What the reader shows once it has followed each of the links, in one call of the browser."""
    return in_page(
        page,
        """
            const found = [];
            for (const link of given) {
                document.getElementById("answer").replaceChildren();
                location.hash = "";
                await follow(() => { location.hash = link; }, "#answer h2");
                found.push({
                    task: document.getElementById("reader-title").textContent,
                    heading: document.querySelector("#answer h2").textContent,
                    badge: document.querySelector("#answer h2 .badge").textContent,
                    text: [...document.querySelectorAll("#answer details")].find((each) => each.textContent.startsWith("Raw text"))
                        .querySelector("pre").textContent,
                    current: [...document.querySelectorAll("#reader-list a[aria-current]")].map((a) => a.getAttribute("href")),
                    others: [...document.querySelectorAll("#reader-list a")].map((a) => a.getAttribute("href")),
                });
            }
            return found;
        """,
        links,
    )


def links_of(page: Any) -> list[dict[str, str]]:
    """Every link to an answer with what its place says of it: track, task, model and sample as it is written."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#report a")].filter((a) => (a.getAttribute("href") || "").startsWith("#task=")).map((a) => {
            const table = a.closest("table");
            const row = a.closest("tr");
            const said = a.getAttribute("title") || (a.querySelector("title") || {}).textContent || "";
            const names = row ? [...row.querySelectorAll("td.name")].map((cell) => cell.textContent) : [];
            const before = [...document.querySelectorAll(".track h2, #all-tasks h3, #cheats h2")]
                .filter((each) => each.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
            return { href: a.getAttribute("href"), text: a.textContent, said, names, track: before.textContent };
        })"""
    )


def test_every_link_opens_what_it_says(visit: Callable[..., Visit], report: Path) -> None:
    """Cells of tables and charts, the slowest, the hardest, cheats: track, task, model and sample are as said."""
    seen = visit()
    page = seen.open(report)
    links = links_of(page)
    found = shown(page, [link["href"] for link in links])
    wrong = [(*pair, problem) for pair in zip(links, found, strict=True) if (problem := mistake(*pair))]
    kinds = Counter("said" if link["said"] else "named" if link["names"] else "task" for link in links)

    assert wrong == []
    assert seen.troubles == []
    least = {"said": 2 * (6 * TASKS - 1), "named": 6 * TASKS, "task": 2 * TASKS}
    assert all(kinds[name] >= number for name, number in least.items()), kinds


def mistake(link: dict[str, Any], found: dict[str, Any]) -> str:
    """What the reader shows that the link did not say; empty where all is as said."""
    track, model, _, task, _, sample = found["text"].split()
    name = {"ruHumanEval": "ruhumaneval", "HumanEval": "humaneval"}.get(link["track"])
    outcome = OUTCOMES[(int(task) + int(sample) + MODELS.index(model)) % 4].replace("_", " ")
    checks = {
        "track": name in (None, track),
        "title": found["task"] == f"Task {track} Small/{task}",
        "heading": found["heading"].startswith(f"{model} \u00b7 answer {sample} "),
        "outcome": outcome in found["badge"],
        "current": len(found["current"]) == 1,
        "sentence": not link["said"] or link["said"].startswith(f"{model}, task Small/{task}: "),
        "model": not link["names"] or model in link["names"][0],
        "sample": "sample=" not in link["href"] or f"#{sample}" in link["text"],
        "task": "Small/" not in link["text"] or f"Small/{task}" in link["text"],
    }
    return ", ".join(name for name, fits in checks.items() if not fits)


def test_links_of_the_reader_are_those_of_the_page(visit: Callable[..., Visit], report: Path) -> None:
    """Each small number in the reader opens its own answer, and its address is the one that tables make."""
    page = visit().open(report)
    of_tables = {link["href"] for link in links_of(page) if "sample=" in link["href"]}
    of_reader: set[str] = set()
    for task in range(TASKS):
        for track in ("ruhumaneval", "humaneval"):
            hrefs = shown(page, [f"#task={track}%20Small%2F{task}"])[0]["others"]
            texts = {each["text"] for each in shown(page, hrefs)}
            of_reader |= set(hrefs)
            assert len(texts) == len(hrefs)
            assert all(text.startswith(track) and f" task {task} " in text for text in texts)

    assert of_tables and of_tables <= of_reader
    assert len(of_reader) == 2 * len(MODELS) * TASKS * 4 - 4


@pytest.mark.parametrize("model", ["strong", "humaneval%20nobody", "live"])
def test_a_model_that_is_not_there_is_not_another(
    visit: Callable[..., Visit], report: Path, model: str
) -> None:
    """An address whose model the page does not know shows no answer, rather than that of another model."""
    page = visit().open(report, f"#task=humaneval%20Small%2F0&model={model}")
    page.wait_for_selector("#answer p")

    assert "no such answer" in page.inner_text("#answer")
