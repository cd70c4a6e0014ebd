"""`benchwright suite` from its file to its exit code, with a server and with kill -9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchwright.stub_server import Script, StubServer
from kit.command_line import Said, benchwright, called
from kit.killed_suites import kill_at_request
from kit.small_data import humaneval, mera
from kit.small_labels import label_rows

pytestmark = pytest.mark.usefixtures("jail")

MODELS, TRACKS, N = ("one", "two"), ("en", "ru", "labels"), 2
TASKS = {"en": 3, "ru": 3, "labels": 4}
TOTAL = len(MODELS) * N * sum(TASKS.values())
SUITE = f"""
[defaults]
n = {N}
workers = 1
concurrency = 1
prompts = "row"

[[tracks]]
name = "en"
track = "humaneval"
data = "en/tasks.jsonl"

[[tracks]]
name = "ru"
track = "ruhumaneval"
data = "ru/tasks.jsonl"

[[tracks]]
name = "labels"
track = "codecorrectness"
data = "labels.jsonl"
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the rows of three tracks, and one answer file a track that is right and wrong in turn."""
    folder = tmp_path_factory.mktemp("suite")
    for name, write in (("en", humaneval), ("ru", mera)):
        (folder / name).mkdir()
        write(folder / name, TASKS[name])
    label_rows(folder, tasks=TASKS["labels"])
    return folder


@pytest.fixture
def place(rows: Path, tmp_path: Path) -> Path:
    """A folder of the test's own with links to the rows."""
    return linked(rows, tmp_path)


def linked(rows: Path, folder: Path) -> Path:
    """The folder, with links to the rows."""
    for each in rows.iterdir():
        (folder / each.name).symlink_to(each)
    return folder


def script() -> Script:
    """One right answer and one wrong to the first function, a label to whatever asks for one."""
    return Script.of({"plus_0": ["    return x + 0\n", "    return x - 1\n"], "": ["success"]})


def served_models(server: StubServer) -> str:
    """The models of one server."""
    return "\n".join(
        f'[[models]]\nname = "{name}"\nmodel = "openai:{name}"\nbase-url = "{server.base_url}"\n'
        for name in MODELS
    )


def write(place: Path, text: str) -> Path:
    """The suite's file."""
    path = place / "nightly.toml"
    path.write_text(text, encoding="utf-8")
    return path


def own(*models: str) -> str:
    """Models that need no server."""
    return "\n".join(f'[[models]]\nmodel = "{each}"\n' for each in models)


GOLD = SUITE.replace(f"n = {N}\n", "")


class FinishedSuite(NamedTuple):
    """A folder in which a suite of two models has ended, and what the command printed."""

    place: Path
    said: Said


@pytest.fixture(scope="module")
def finished(rows: Path, tmp_path_factory: pytest.TempPathFactory) -> FinishedSuite:
    """A suite whose runs later calls in the same folder read again."""
    place = linked(rows, tmp_path_factory.mktemp("finished"))
    return FinishedSuite(place, benchwright("suite", write(place, own("gold:", "stub:") + GOLD), cwd=place))


def test_a_suite_prints_figures_and_writes_one_report(finished: FinishedSuite) -> None:
    place, said = finished

    assert said.code == 0, said.err
    assert said.out.strip() == str(Path("runs/nightly/report.html"))
    assert "gold" in said.err and "100.0 %" in said.err and "exact match" in said.err
    page = (place / "runs/nightly/report.html").read_text()
    assert page.startswith("<!doctype html>") and "codecorrectness" in page and "ruhumaneval" in page
    assert len(list((place / "runs/nightly").glob("*/scores.json"))) == 6


def test_json_names_every_run_and_threshold(finished: FinishedSuite) -> None:
    place = finished.place
    suite = write(
        place,
        own("gold:", "stub:")
        + GOLD
        + '[[fail-under]]\ntrack = "en"\nmeasure = "pass@1"\nvalue = 0.5\n'
        + '[[fail-under]]\nmodel = "gold"\ntrack = "labels"\nmeasure = "exact_match"\nvalue = 1.0\n',
    )

    said = called("suite", suite, "--json", "--no-report", cwd=place)

    document = said.document
    assert said.code == 1 and not document["good"] and document["report"] is None
    assert {(each["track"], each["model"]) for each in document["cells"]} == {
        (track, model) for track in TRACKS for model in ("gold", "stub")
    }
    held = {(each["track"], each["model"]): each["holds"] for each in document["checks"]}
    assert held == {("en", "gold"): True, ("en", "stub"): False, ("labels", "gold"): True}
    assert all(each["error"] is None and each["score"]["metrics"] for each in document["cells"])


def test_a_part_of_it_and_a_summary(finished: FinishedSuite) -> None:
    place = finished.place
    suite = write(
        place, own("gold:", "stub:") + GOLD + '[[fail-under]]\ntrack="en"\nmeasure="pass@1"\nvalue=0.5\n'
    )

    said = called(
        "suite", suite, "--only", "en/*", "--summary", "sum.md", "--out", "here", "--no-report", cwd=place
    )

    text = (place / "sum.md").read_text()
    assert said.code == 1
    assert "| gold | pass@1 100.0 %" in text and "✗ **fails** en/stub: pass@1 0.0 %" in text
    assert {each.name.split("-")[0] for each in (place / "here").iterdir()} == {"en"}
    assert called("suite", suite, "--only", "ru/gold", "--no-report", cwd=place).code == 0
    called("suite", suite, "--only", "en/*", "--summary", "sum.md", "--no-report", cwd=place)
    assert (place / "sum.md").read_text().startswith(text)  # a page of a check may hold more than one


def test_a_run_that_fails_keeps_no_other_from_being_run(place: Path) -> None:
    """What only asking shows; what planning shows ends the suite before its first request."""
    with StubServer(Script.of({"in no prompt": ["x"]})) as server:  # a prompt that no row knows is refused
        model = f'[[models]]\nname = "poor"\nmodel = "openai:poor"\nbase-url = "{server.base_url}"\n'
        suite = write(place, model + own("gold:") + GOLD)

        said = called("suite", suite, "--only", "labels/*", "--json", cwd=place, OPENAI_API_KEY="")

    poor, gold = said.document["cells"]
    assert said.code == 1
    assert poor["score"] is None and "gave no answer to any" in poor["error"]
    assert gold["error"] is None and gold["score"]["metrics"]["exact_match"]["value"] == 1.0
    assert Path(place, said.document["report"]).is_file()


def test_a_dry_run_asks_nothing(place: Path) -> None:
    with StubServer(script()) as server:
        prices = "price-in = 1.0\nprice-out = 2.0\nmax-tokens = 100\n"
        suite = write(place, served_models(server) + SUITE.replace("[defaults]\n", f"[defaults]\n{prices}"))

        said = called("suite", suite, "--dry-run", cwd=place)
        as_json = called("suite", suite, "--dry-run", "--json", cwd=place).document
        assert server.stats()["requests"] == 0

    assert said.code == 0 and f"total: {TOTAL:,} requests, at most " in said.out
    assert not (place / "runs").exists()
    assert sum(each["requests"] for each in as_json["cells"]) == TOTAL
    for each in as_json["cells"]:
        tokens = each["requests"] * 100
        assert each["most"] == pytest.approx((each["tokens_in"] * 1.0 + tokens * 2.0) / 1_000_000)


def test_a_missing_key_is_told_before_anything_is_executed(place: Path) -> None:
    suite = write(place, own("gold:", "openai:gpt-none") + GOLD)

    said = called("suite", suite, cwd=place, OPENAI_API_KEY="", OPENAI_BASE_URL="")

    assert said.code in (2, 3) and "hint:" in said.err
    assert not (place / "runs").exists()


def stored(place: Path) -> int:
    """Answers on disk."""
    return sum(path.read_bytes().count(b"\n") for path in (place / "runs/nightly").glob("*/answers.jsonl"))


def questions(requests: list[dict[str, Any]]) -> list[str]:
    """What tells one question of the suite from any other: the model and the request's own seed."""
    return [json.dumps([each["body"]["model"], each["body"]["seed"]]) for each in requests]


def test_two_models_on_three_tracks_killed_twice_ask_nothing_twice(place: Path) -> None:
    """What was in flight at a kill is asked again, and has no reply yet."""

    def suite(server: StubServer) -> Path:
        return write(place, served_models(server) + SUITE)

    asked, known = [], []
    for number in (TOTAL // 5, TOTAL // 3):
        asked += kill_at_request(
            number, script(), suite, stored=lambda: stored(place), cwd=place, OPENAI_API_KEY=""
        )
        known.append(stored(place))
    with StubServer(script()) as server:
        said = called("suite", suite(server), "--json", cwd=place, OPENAI_API_KEY="")
        again = called("suite", suite(server), "--json", cwd=place, OPENAI_API_KEY="")
        asked += server.requests()

    assert said.code == 0, said.err
    assert 0 < known[0] < known[1] < TOTAL
    assert len(set(questions(asked))) == len(asked) == TOTAL
    assert {each["track"] for each in said.document["cells"]} == set(TRACKS)
    assert len(said.document["cells"]) == len(MODELS) * len(TRACKS)
    assert Path(place, said.document["report"]).is_file()
    assert again.document["cells"] == said.document["cells"]


def test_the_schema_is_printed_without_a_file() -> None:
    said = called("suite", "--schema")

    assert said.code == 0 and said.document["required"] == ["models"]


# Several models of `run`.


def test_run_takes_several_models(place: Path) -> None:
    said = called(
        "run", "humaneval", "--data", "en/tasks.jsonl", "--model", "gold:", "--model", "stub:", cwd=place
    )

    assert said.code == 0, said.err
    assert "gold:" in said.err and "stub:" in said.err and "compare them with: benchwright report" in said.err
    assert len(list((place / "runs").glob("humaneval-*/scores.json"))) == 2


def test_several_models_share_a_folder_and_one_document(place: Path) -> None:
    line = ("run", "humaneval", "--data", "en/tasks.jsonl", "--model", "gold:", "--model", "stub:")

    said = called(*line, "--out", "here", "--json", cwd=place)
    alone = called(*line[:-2], "--out", "alone", "--json", cwd=place)

    gold, stub = said.document["runs"]
    assert (gold["model"], stub["model"]) == ("gold:", "stub:")
    assert Path(gold["run"]).parent == Path(stub["run"]).parent == Path("here")
    assert gold["score"]["metrics"] == alone.document["metrics"]


def test_only_asking_takes_one_model(place: Path) -> None:
    line = ("run", "humaneval", "--data", "en/tasks.jsonl", "--model", "gold:", "--model", "stub:")

    said = called(*line, "--ask-only", cwd=place)

    assert said.code == 2 and "--ask-only takes one --model" in said.err
