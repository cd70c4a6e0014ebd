"""`run own` with graders, prompt files and a field map, from a stub server and from stored answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright import registry
from benchwright.report.programs import Programs
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import Said, benchwright, called
from kit.small_data import humaneval, read_rows, write

pytestmark = pytest.mark.usefixtures("jail")

TASKS = """\
[[task]]
id = "capital"
prompt = "What is the capital of France?"
contains = "Paris"
regex = '\\bParis\\b'
max_seconds = 60
max_cost = 0.001
reference = "It is Paris."

[[task]]
id = "json"
prompt = "Write a JSON object with the field name."
json_schema = { type = "object", required = ["name"] }
function = "def check(answer):\\n    return 'x' in answer\\n"
reference = '{"name": "x"}'

[[task]]
id = "label"
prompt = "Is 2 even, yes or no? Say why."
label = "yes"
labels = ["yes", "no"]
contains = "because"
reference = '''
Yes, because it is 2 * 1.
**yes**'''
"""
CSV = "question,right\n2 even: yes or no?,yes\n3 even: yes or no?,no\n"
MAP = ("--map", "question=prompt", "--map", "right=label", "--set", "labels=yes|no")
ANSWERS = {
    "capital of France": "It is Paris.",
    "JSON object": '{"name": "y"}',
    "Is 2 even": "Because it is.\nYes, because 2 = 2 * 1.\n**yes**",
}
PRICES = ("--price-in", 1, "--price-out", 2)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with tasks, rows, and two prompts."""
    (tmp_path / "tasks.toml").write_text(TASKS)
    (tmp_path / "rows.csv").write_text(CSV)
    (tmp_path / "short.txt").write_text("{prompt}\nAnswer in one word.\n")
    (tmp_path / "polite.txt").write_text("Please answer: {prompt}\nChoose from {labels}.\n")
    return tmp_path


def live(place: Path, server: StubServer, *more: object) -> Said:
    """A run against a server that asks it again each time."""
    asked = ("--model", "openai:stub", "--base-url", server.base_url, "--no-cache", "--json")
    return called("run", "own", *asked, *more, cwd=place)


def test_graders_judge_a_live_model(place: Path) -> None:
    """Each grader's result is in the verdict, cost and time among them."""
    with StubServer(Script.of({name: [text] for name, text in ANSWERS.items()})) as server:
        said = live(place, server, "--data", "tasks.toml", "--out", "run", *PRICES)

    assert said.code == 0, said.err
    assert said.document["outcomes"] == {"passed": 2, "wrong": 1}
    by_task = {row["task_id"]: row for row in read_rows(place / "run" / "verdicts.jsonl")}
    assert by_task["capital"]["parts"] == dict.fromkeys(
        ("contains", "regex", "max_cost", "max_seconds"), "passed"
    )
    assert by_task["json"]["parts"] == {"json_schema": "passed", "function": "wrong"}
    assert "check() returned False" in by_task["json"]["detail"]
    assert all(row["seconds"] >= 0 for row in read_rows(place / "run" / "answers.jsonl"))
    shown = called("show", "run", "json", cwd=place)
    assert (shown.code, "check() returned False" in shown.out) == (0, True)
    assert called("report", "run", "--out", "page.html", cwd=place).code == 0


def test_the_score_has_figures_by_grader(place: Path) -> None:
    """Each over the tasks with that grader, with its interval; labels alone have none."""
    said = called(
        "run", "own", "--data", "tasks.toml", "--model", "gold:", "--out", "run", "--json", cwd=place
    )

    assert said.code == 0, said.err
    by_grader = said.document["details"]["groups"]["grader"]
    assert {name: row["pass@1"]["n"] for name, row in by_grader.items()} == {
        "contains": 2,
        "function": 1,
        "json_schema": 1,
        "label": 1,
        "regex": 1,
    }


def test_other_prices_are_another_run(place: Path) -> None:
    """Because they decide verdicts. Without a limit on the cost they do not."""
    with StubServer(Script.of({name: [text] for name, text in ANSWERS.items()})) as server:
        run = ("--data", "tasks.toml", "--out", "run")
        first = live(place, server, *run, *PRICES)
        again = live(place, server, *run, "--price-in", 1, "--price-out", 3)

    assert (first.code, again.code) == (0, 1)
    assert "`prices` was [1.0, 2.0], now [1.0, 3.0]" in again.err


def test_limits_of_stored_answers_are_undecided(place: Path) -> None:
    """They have no request that could be measured; the task is in no figure."""
    ids = ("capital", "json", "label")
    rows = [{"task_id": at, "completion": text} for at, text in zip(ids, ANSWERS.values(), strict=True)]
    write(place / "answers.jsonl", rows)
    run = ("run", "own", "--data", "tasks.toml", "--model", "replay:answers.jsonl", "--json")

    said = benchwright(*run, "--out", "run", cwd=place)
    before = {path.name: path.read_bytes() for path in (place / "run").iterdir() if path.is_file()}
    again = called(*run, "--out", "run", cwd=place)

    assert said.code == 0, said.err
    assert said.document["outcomes"] == {"passed": 1, "undecided": 1, "wrong": 1}
    assert said.document["metrics"]["pass@1"]["n"] == 2
    assert again.code == 0
    assert all((place / "run" / name).read_bytes() == content for name, content in before.items())


def test_prompts_by_models_on_terminal_and_page(place: Path) -> None:
    """Two models with two prompts: four runs, a table with intervals and denominators, and the texts asked."""
    script = Script.of({"one word": ["yes", "no"], "Please answer": ["yes", "yes"]})
    with StubServer(script) as server:
        options = ("--data", "rows.csv", *MAP, "--base-url", server.base_url, "--no-cache", "--out", "runs")
        models = ("--model", "openai:one", "--model", "openai:two")
        prompts = ("--prompt", "short.txt", "--prompt", "polite.txt")
        said = called("run", "own", *options, *models, *prompts, cwd=place)
        asked = [each["body"]["messages"][0]["content"] for each in server.requests()]

    assert said.code == 0, said.err
    table = said.out + said.err
    assert all(name in table for name in ("short", "polite", "openai:one", "openai:two", "of 2 tasks"))
    assert "Please answer: 2 even: yes or no?\nChoose from yes, no." in asked
    assert len(asked) == 8
    names = {json.loads(path.read_text())["name"] for path in (place / "runs").glob("*/run.json")}
    assert names == {
        f"openai:{model}, {prompt}" for model in ("one", "two") for prompt in ("short", "polite")
    }
    page = called("report", "runs", "--out", "page.html", cwd=place)
    assert page.code == 0, page.err
    html = (place / "page.html").read_text()
    assert 'id="prompt-matrix"' in html
    assert "Text of polite" in html


def test_a_run_resumes_with_its_prompt_only(place: Path) -> None:
    """Byte for byte after its verdicts were lost; another text of the same file is another run."""
    row = ScriptRow(contains="one word", completions=["yes", "no"])
    with StubServer(Script(rows=[row])) as server:
        run = ("--data", "rows.csv", *MAP, "--prompt", "short.txt", "--out", "run")
        first = live(place, server, *run)
        answers = place / "run" / "answers.jsonl"
        names = ("answers.jsonl", "verdicts.jsonl", "scores.json", "tasks.gz")
        before = {name: (place / "run" / name).read_bytes() for name in names}
        (place / "run" / "verdicts.jsonl").unlink()
        answers.write_bytes(answers.read_bytes().splitlines(keepends=True)[0])
        again = live(place, server, *run)
        after = {name: (place / "run" / name).read_bytes() for name in names}
        (place / "short.txt").write_text("Answer in one word: {prompt}\n")
        other = live(place, server, *run)

    assert (first.code, again.code, other.code) == (0, 0, 1), other.err
    assert after == before
    assert "`prompts.text` was" in other.err
    manifest = json.loads((place / "run" / "run.json").read_text())
    assert manifest["identity"]["prompts"]["text"] == "{prompt}\nAnswer in one word."
    assert manifest["field_map"]["columns"] == {"question": "prompt", "right": "label"}


def test_another_track_is_asked_with_a_prompt_file(place: Path) -> None:
    """The page shows the question as it was asked."""
    data = humaneval(place, 2)
    (place / "head.txt").write_text("Complete this:\n{fence}python\n{function}\n{fence}\n")
    run = ("run", "humaneval", "--data", data, "--model", "gold:", "--prompt", "head.txt", "--out", "run")

    said = called(*run, "--json", cwd=place)
    page = called("report", "run", "--out", "page.html", cwd=place)

    assert (said.code, page.code) == (0, 0), said.err + page.err
    track = registry.find("track", "humaneval")
    tasks = {task.task_id: task for task in track.load(data)}
    prompts = json.loads((place / "run" / "run.json").read_text())["identity"]["prompts"]
    shown = Programs(track, tasks, profile="strict").questions(next(iter(tasks)), prompts, {"head"})
    assert shown == {"head": f"Complete this:\n```python\n{plain_head(data)}\n```"}


def plain_head(data: Path) -> str:
    """The prompt of the first row without its last line end."""
    return str(read_rows(data)[0]["prompt"]).strip("\n")


def test_prompts_of_stored_answers_are_recorded(place: Path) -> None:
    """Whoever stored them may say what was asked."""
    write(place / "answers.jsonl", [{"task_id": at, "completion": "yes"} for at in (1, 2)])
    run = ("run", "own", "--data", "rows.csv", *MAP, "--model", "replay:answers.jsonl", "--json")

    said = called(*run, "--prompt", "short.txt", "--out", "run", cwd=place)

    assert said.code == 0, said.err
    assert (said.document["outcomes"], said.document["prompt_design"]) == ({"passed": 1, "wrong": 1}, "file")
    assert {row["task_id"] for row in read_rows(place / "run" / "verdicts.jsonl")} == {1, 2}


def test_a_suite_runs_each_prompt(place: Path) -> None:
    """Files are found next to the suite; a field map is a table."""
    (place / "suite.toml").write_text(
        'out = "nightly"\n[defaults]\nprompt = ["short.txt", "polite.txt"]\n[[models]]\nmodel = "gold:"\n'
        '[[tracks]]\ntrack = "own"\ndata = "rows.csv"\nmap = { question = "prompt", right = "label" }\n'
        'set = { labels = ["yes", "no"] }\n'
    )

    said = called("suite", "suite.toml", "--json", cwd=place)

    assert said.code == 0, said.err
    assert [cell["model"] for cell in said.document["cells"]] == ["gold, short", "gold, polite"]
    assert 'id="prompt-matrix"' in (place / "nightly" / "report.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--map question=prompt"),
        (("--map", "question"), "--map 'question': expected COLUMN=FIELD"),
        (("--map", "=prompt"), "expected COLUMN=FIELD"),
        (("--map", "question=prompt", "--map", "question=label"), "question is given twice"),
        (("--map", ""), "--map is empty"),
        (("--set", "labels="), "--set 'labels=': expected FIELD=VALUE"),
        (("--set", "lables=yes|no"), "own tasks have no field 'lables'"),
        (("--map", "q=prompt"), "the data set has no column 'q'"),
        ((*MAP, "--prompt", "none.txt"), "--prompt none.txt: cannot be read"),
        ((*MAP, "--prompt", "."), "it is not a regular file"),
        ((*MAP, "--prompt", "short.txt", "--prompts", "all"), "--prompts all: --prompt gives the text"),
        ((*MAP, "--prompt", "short.txt", "--language", "en"), "--language en: --prompt gives the text"),
        ((*MAP, "--prompt", "short.txt", "--prompt", "short.txt"), "have one name"),
        (
            (*MAP, "--prompt", "short.txt", "--prompt", "polite.txt", "--ask-only"),
            "--ask-only takes one --prompt",
        ),
    ],
)
def test_a_wrong_option_is_explained(place: Path, options: tuple[str, ...], message: str) -> None:
    """Before anything is asked or written, with a hint."""
    said = called("run", "own", "--data", "rows.csv", "--model", "gold:", "--out", "run", *options, cwd=place)

    assert said.code in (1, 2)
    assert message in said.err
    assert "hint:" in said.err
    assert not (place / "run").exists()


def test_a_map_of_another_track_is_refused(place: Path) -> None:
    said = called("run", "humaneval", "--data", "rows.csv", "--model", "gold:", "--map", "a=b", cwd=place)

    assert (said.code, "--map: rows of this track are read by their own fields" in said.err) == (2, True)


def test_a_csv_and_a_yaml_file_are_checked(place: Path) -> None:
    """All faults, each with its line."""
    (place / "tasks.yaml").write_text(
        "- id: a\n  prompt: yes or no?\n  label: no\n  labels: [no, yes]\n- id: b\n"
    )
    (place / "tasks.csv").write_text("id,prompt,contains\na,Capital?,Paris\nb,Capital?,\n")

    yaml, csv = (called("check", name, "--track", "own", cwd=place) for name in ("tasks.yaml", "tasks.csv"))

    assert (yaml.code, csv.code) == (1, 1)
    assert "tasks.yaml:1" in yaml.out and "tasks.yaml:5" in yaml.out
    assert "tasks.csv:3" in csv.out
