"""Comments without a reference and without a judge: parts, and nowhere a total or an order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.command_line import called
from kit.graded_runs import ANSWER, comment_row
from kit.small_data import write

pytestmark = pytest.mark.usefixtures("jail")

SAID = "rules only: not a ranking"
TRACK = "smartcoding-comments"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over rows without references."""
    folder = tmp_path_factory.mktemp("unranked")
    bare = [comment_row(at, outputs={"annotations": []}) for at in (1, 2, 3)]
    write(folder / "rows.jsonl", bare)
    for name in ("one", "two"):
        texts = [f"```python\n{ANSWER.replace('area', f'area_{at}')}```" for at in (1, 2, 3)]
        write(
            folder / f"{name}.jsonl",
            [{"task_id": at, "completion": text} for at, text in enumerate(texts, 1)],
        )
        words = ("run", TRACK, "--data", "rows.jsonl", "--model", f"replay:{name}.jsonl", "--out", name)
        said = called(*words, cwd=folder)
        assert (said.code, SAID in said.out + said.err) == (0, True), said.err
    return folder


def test_no_score_has_a_total(place: Path) -> None:
    """The parts are there, each with its interval; the reason stands in the notes."""
    score = json.loads((place / "one" / "scores.json").read_text())

    assert "total" not in score["metrics"] and {"format", "logic"} <= set(score["metrics"])
    assert any(SAID in note for note in score["notes"])


@pytest.mark.parametrize("words", [("compare", "one", "two"), ("rank", "one", "two")])
def test_nothing_is_ranked(place: Path, words: tuple[str, ...]) -> None:
    """With what to do about it."""
    said = called(*words, cwd=place)

    assert (said.code, SAID in said.err, "--judge" in said.err) == (1, True, True)


@pytest.mark.parametrize("runs", [("one",), ("one", "two")])
def test_a_page_shows_the_parts_without_an_order(place: Path, runs: tuple[str, ...]) -> None:
    """Of one run and of several."""
    said = called("report", *runs, "--out", f"page{len(runs)}.html", cwd=place)
    page = (place / f"page{len(runs)}.html").read_text()

    assert said.code == 0, said.err
    assert SAID in page
    assert '<th scope="col">Rank</th>' not in page


def test_an_exported_example_has_no_total(place: Path) -> None:
    """Neither as a metric nor as what it is sorted by."""
    words = (
        "ianvs",
        "export",
        "job",
        "--track",
        TRACK,
        "--data",
        "rows.jsonl",
        "--model",
        "replay:one.jsonl",
    )
    said = called(*words, cwd=place)
    files = [path for path in (place / "job").rglob("*") if path.suffix in (".yaml", ".py", ".md")]

    assert said.code == 0, said.err
    assert files and not any('"total' in text or "total_" in text for text in (p.read_text() for p in files))
