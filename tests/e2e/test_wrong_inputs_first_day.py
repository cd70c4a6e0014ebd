"""What a newcomer types wrong on the first day: each ends with a message that names the place, and with a hint."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from kit.command_line import called
from kit.made_inspect_log import header, write_document
from kit.named import made_data, only_known
from kit.own_rows import CALLS, LABEL, OWN_TOML, own_file, own_row
from kit.small_data import answers, humaneval
from kit.small_runs import rights, run_folder
from kit.tool_logs import inspect_log, lm_eval_log, row

SUITE = """\
[[models]]
model = "replay:answers.jsonl"

[[tracks]]
name = "en"
track = "humaneval"
data = "tasks.jsonl"
"""
OWN = "run own --data own.jsonl --model gold: --out run"
HUMAN = "run humaneval --data tasks.jsonl --out run"


class Wrong(NamedTuple):
    """What is typed, the files beside it, the exit code, and what the message must have: place and reason."""

    what: str  # the command whose input it is
    typed: str
    says: tuple[str, ...]
    code: int = 2
    files: Mapping[str, str] = {}


def _suite(text: str, *says: str, code: int = 2, more: str = "", **files: str) -> Wrong:
    return Wrong("suite", f"suite mine.toml --no-report {more}", says, code, {"mine.toml": text, **files})


def _own(text: str, *says: str, typed: str = OWN, code: int = 1) -> Wrong:
    return Wrong("run own", typed, says, code, {"own.jsonl": text})


def _row(**changes: object) -> str:
    return json.dumps(own_row(CALLS, **changes)) + "\n"


def _label(**changes: object) -> str:
    return json.dumps(own_row(LABEL, **changes)) + "\n"


SUITES = [
    Wrong("suite", "suite nowhere.toml", ("nowhere.toml", "No such file", "TOML file of a suite")),
    Wrong("suite", "suite .", ("cannot read .", "Is a directory")),
    Wrong("suite", "suite mine.toml --onyl en", ("--onyl", "--only"), files={"mine.toml": SUITE}),
    _suite("[[models", "mine.toml", "invalid TOML"),
    _suite(SUITE + "dta = 'x'\n", "mine.toml", "[[tracks]] 1 (en)", "'dta'"),
    _suite(SUITE.replace("data =", "n = 2 #"), "mine.toml", "en/answers", "--data"),
    _suite(SUITE.replace("tasks.jsonl", "task.jsonl"), "en/answers", "task.jsonl"),
    _suite(SUITE.replace("humaneval", "humanevil"), "mine.toml", "en", "humanevil"),
    _suite(SUITE.replace("replay:", "repaly:"), "en/answers", ": repaly", "`replay`"),
    _suite(SUITE + "n = 'many'\n", "mine.toml", "en/answers", "--n", "many"),
    _suite(SUITE + '[[fail-under]]\nmeasure = "pas@1"\nvalue = 0.5\n', "en/answers", "pas@1"),
    _suite(
        SUITE + '[[fail-under]]\nmeasure = "pass@1"\nvalue = 60\n',
        "mine.toml",
        "[[fail-under]]",
        "`value` 60",
    ),
    _suite(SUITE + '[[fail-under]]\ntrack = "ru"\nmeasure = "pass@1"\nvalue = 0.6\n', "'ru'"),
    _suite(SUITE, "--only ru/*", "no run", more="--only ru/*"),
    _suite(SUITE, "--summary nowhere/s.md", more="--summary nowhere/s.md"),
    _suite(SUITE, "taken", more="--out taken", code=1),
    _suite(SUITE, "en/answers", "tasks.jsonl:1", "`prompt`", code=1, **{"tasks.jsonl": '{"task_id": "x"}\n'}),
]
SEVERAL = [
    Wrong("run, several models", f"{HUMAN} --model gold: --model glod:", ("glod:",)),
    Wrong("run, several models", f"{HUMAN} --model gold: --model replay:gone.jsonl", ("gone.jsonl",)),
    Wrong("run, several models", f"{HUMAN} --model gold: --model ''", ("--model is empty",)),
    Wrong("run, several models", f"{HUMAN} --model gold: --model stub: --ask-only", ("--ask-only",)),
    Wrong("run, several models", f"{HUMAN} --model gold: --model stub: --n 0", ("--n 0",)),
    Wrong("run, several models", f"{HUMAN} --model gold: --model stub: --k 5 --n 2", ("pass@5", "--n 5")),
    Wrong("run, several models", f"{HUMAN} --model gold: --model openai:x --base-url nowhere", ("nowhere",)),
]
SUMMARIES = [
    Wrong("run --summary", f"{HUMAN} --model gold: --summary nowhere/s.md", ("--summary nowhere/s.md",)),
    Wrong("run --summary", f"{HUMAN} --model gold: --summary .", ("--summary .", "folder")),
    Wrong("run --summary", f"{HUMAN} --model gold: --summary ''", ("--summary is empty",)),
    Wrong("run --summary", f"{HUMAN} --model gold: --ask-only --summary s.md", ("--summary", "--ask-only")),
]
NAMED = [
    Wrong("data get", "data get own-twcie", ("'own-twcie'", "did you mean `own-twice`")),
    Wrong("data get", "data get", ("NAME",)),
    Wrong("data get", "data get own-twice --from gone.gz", ("gone.gz", "No such file")),
    Wrong("data get", "data get own-twice --from .", (".", "directory")),
    Wrong("data get", "data get own-twice --from tasks.jsonl", ("tasks.jsonl", "SHA-256"), code=1),
    Wrong("data get", "data get own-twice", ("own-twice", "http://127.0.0.1:9/never"), code=1),
    Wrong("data get", "data get own-twice own-twice --from tasks.jsonl", ("--from", "one data set")),
    Wrong("data list", "data list nowhere", ("nowhere",)),
    Wrong("data list", "data list --json --csv", ("--json and --csv",)),
    Wrong("data list", "data lst", (": lst", "data list")),
    Wrong("--data NAME", "run humaneval --data own-twcie --model gold:", ("own-twcie", "own-twice")),
    Wrong(
        "--data NAME", "run humaneval --data own-twice --model gold:", ("own-twice", "127.0.0.1:9"), code=1
    ),
    Wrong("--data NAME", "run humaneval --data '' --model gold:", ("--data is empty",)),
    Wrong("--data NAME", "run humaneval --data hub: --model gold:", ("'hub:'", "hub:owner/name")),
    Wrong("--data NAME", "check own-twcie", ("own-twcie", "own-twice")),
]
OWNS = [
    _own(_row(lable="x"), "own.jsonl:1", "`lable`", "did you mean `label`?"),
    _own(_row() + _row(), "own.jsonl:2", "task add", "line 1"),
    _own(_row(id=None), "own.jsonl:1", "`id`"),
    _own(_row(prompt=""), "own.jsonl:1", "add", "`prompt`"),
    _own(_row(prompt="Add two numbers."), "own.jsonl:1", "add", "`prompt`", "name the function `add`"),
    _own(_row(calls=None), "own.jsonl:1", "add", "has no calls, asserts, label or rubric"),
    _own(_row(calls=[{"args": [1]}]), "own.jsonl:1", "add", "`calls", "returns"),
    _own(_row(asserts="assert add(1, 2) == 3"), "own.jsonl:1", "add", "`asserts`", "one way"),
    _own(_row(calls=None, asserts="assert add(1,"), "own.jsonl:1", "add", "`asserts`", "line 1"),
    _own(_row(calls=None, asserts="assert plus(1) == 1"), "own.jsonl:1", "add", "`asserts`", "`add`"),
    _own(_label(label="egg"), "own.jsonl:1", "spam", "`label`"),
    _own(_label(labels=["spam"]), "own.jsonl:1", "spam", "`labels`"),
    _own(_row(solution=5), "own.jsonl:1", "add", "`solution`"),
    _own("", "own.jsonl", "no rows"),
    _own("{'id': 1}\n", "own.jsonl:1"),
    _own(_row(), "--limit -1", typed=f"{OWN} --limit -1", code=2),
    _own(_row(), "--tasks", "nobody", typed=f"{OWN} --tasks nobody", code=2),
    Wrong(
        "run own", "run own --data o.toml --model gold:", ("o.toml:2",), 1, {"o.toml": "[[task]]\nid = \n"}
    ),
    Wrong(
        "run own",
        "run own --data o.toml --model gold:",
        ("o.toml:24", "`lable`"),
        1,
        {"o.toml": OWN_TOML.replace('label = "spam"', 'lable = "spam"')},
    ),
]
CHECKS = [
    Wrong("check", "check nowhere.jsonl", ("nowhere.jsonl",)),
    Wrong("check", "check empty", ("empty",)),
    Wrong("check", "check own.jsonl --track owm", ("owm", "own")),
    Wrong("check", "check own.jsonl --most 0", ("--most",)),
    Wrong(
        "check",
        "check bad.jsonl",
        ("bad.jsonl", "check bad.jsonl --track own"),
        2,
        {"bad.jsonl": '{"what": 1}\n'},
    ),
    Wrong("check", "check bad.jsonl", ("bad.jsonl:1", "`lable`"), 1, {"bad.jsonl": _row(lable="x")}),
    Wrong("check", "check tasks.jsonl --track own", ("tasks.jsonl:1", "`task_id`"), 1),
    Wrong("check", "check", ("DATA",)),
]
SCHEMAS = [
    Wrong("schema", "schema onw", ("'onw'", "own")),
    Wrong("schema", "schema own --page", ("--page",)),
    Wrong("schema", "schema ''", ("NAME", "is empty")),
]
NEWS = [
    Wrong("new", "new taks mine", ("'taks'",)),
    Wrong("new", "new task", ("NAME",)),
    Wrong("new", "new task Mine", ("'Mine'",)),
    Wrong("new", "new track humaneval", ("humaneval",)),
    Wrong("new", "new judge json", ("json",)),
    Wrong("new", "new task mine", ("mine.toml", "exists"), 1, {"mine.toml": ""}),
    Wrong("new", "new track mine --out taken", ("cannot write to taken", "--out OTHER"), 1),
]
LISTS = [
    Wrong("list", "list", ("missing command, one of: tracks, models, runs, data",)),
    Wrong("list", "list modles", (": modles", "list models")),
    Wrong("list", "list runs nowhere", ("nowhere",)),
    Wrong("list", "list runs ''", ("FOLDER", "is empty")),
    Wrong("list", "list data tasks.jsonl", ("tasks.jsonl",)),
    Wrong("list", "list tracks --json --csv", ("--json and --csv",)),
]
CACHES = [
    Wrong("cache", "cache --claer", ("--claer",)),
    Wrong("cache", "cache", ("answers.sqlite3",), 1, {"cache/answers.sqlite3": "no database at all" * 400}),
    Wrong("cache", "cache --clear", ("answers.sqlite3", "rm "), 1, {"cache/answers.sqlite3/x": ""}),
]
LOGS = [
    Wrong("logs", "compare one.json gone.json", ("gone.json", "path not found:"), 1),
    Wrong("logs", "compare one.json", ("RUN_B",)),
    Wrong("logs", "compare one.json bad.json", ("bad.json",), 1, {"bad.json": '{"eval": '}),
    Wrong("logs", "compare one.json bad.eval", ("bad.eval",), 1, {"bad.eval": "no archive"}),
    Wrong("logs", "compare one.json two.json --metric mach", ("mach", "match")),
    Wrong("logs", "compare one.json none.json", ("none.json",), 1),
    Wrong("logs", "compare one.json runs/a", ("--metric",), 1),
    Wrong("logs", "compare one.json lm/samples_sums.jsonl", ("--metric",), 1),
    Wrong("logs", "rank one.json", ("at least two runs",)),
    Wrong("logs", "rank one.json two.json --metric mach", ("mach", "match")),
    Wrong("logs", "rank one.json empty", ("empty", "no run.json"), 1),
    Wrong("logs", "report gone.json --out p.html", ("gone.json", "path not found:"), 1),
    Wrong("logs", "report one.json two.json --metric mach --out p.html", ("mach",)),
    Wrong("logs", "report one.json two.json --out nowhere/p.html", ("nowhere",), 1),
    Wrong("logs", "compare bad one.json", ("bad/samples_sums", ":2"), 1),
]
PROVIDERS = [
    Wrong("providers", f"{HUMAN} --model openrouter:x", ("OPENROUTER_API_KEY",), 3),
    Wrong("providers", f"{HUMAN} --model azure:x", ("AZURE_OPENAI_ENDPOINT",), 3),
    Wrong("providers", f"{HUMAN} --model bedrock:x", ("AWS_REGION",), 3),
    Wrong("providers", f"{HUMAN} --model vertex:x", ("GOOGLE_CLOUD_LOCATION",), 3),
    Wrong("providers", f"{HUMAN} --model gemini:x --batch", ("--batch",), 2),
    Wrong("providers", f"{HUMAN} --model anthropic:x", ("ANTHROPIC_API_KEY",), 3),
    Wrong("providers", f"{HUMAN} --model gemini:x", ("GEMINI_API_KEY",), 3),
    Wrong("providers", f"{HUMAN} --model openai:x", ("OPENAI_API_KEY",), 3),
    Wrong("providers", f"{HUMAN} --model ollama:", ("ollama:",)),
    Wrong("providers", f"{HUMAN} --model olama:x", ("olama", "ollama")),
    Wrong("providers", f"{HUMAN} --model vllm:x --base-url localhost:8000", ("localhost:8000",)),
    Wrong("providers", f"{HUMAN} --model gpt-4", ("gpt-4", "openai:")),
    Wrong("providers", f"{HUMAN} --model vllm:x --max-retries many", ("--max-retries",)),
]
WRONG = [
    *(*SUITES, *SEVERAL, *SUMMARIES, *NAMED, *OWNS, *CHECKS, *SCHEMAS, *NEWS),
    *(*LISTS, *CACHES, *LOGS, *PROVIDERS),
]
_KEYS = [f"{name}_API_KEY" for name in ("OPENAI", "OPENROUTER", "ANTHROPIC", "GEMINI")]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that are right, for all: tasks, answers, a run, logs of Inspect and of lm-eval."""
    folder = tmp_path_factory.mktemp("ground")
    humaneval(folder)
    answers(folder)
    own_file(folder)
    (folder / "empty").mkdir()
    (folder / "taken").write_text("a file")
    run_folder(folder / "runs" / "a", rights([1, 0, 1], 1))
    for name in ("one", "two"):
        inspect_log(folder / f"{name}.json", {"a": "C", "b": "I", "c": "C"})
    write_document(folder / "none.json", [], header(model="some/none"))
    lm_eval_log(folder / "lm", [row(0, 1.0), row(1, 0.0)]).rename(folder / "lm" / "samples_sums.jsonl")
    lm_eval_log(folder / "bad", [row(0, 1.0), {"acc": 1.0}])
    return folder


@pytest.fixture
def place(ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with links to them, in which one data set has a name, and no key is set."""
    here = tmp_path / "here"
    here.mkdir()
    for each in ground.iterdir():
        (here / each.name).symlink_to(each)
    for name in _KEYS:
        monkeypatch.delenv(name, raising=False)
    with only_known(here / "cache", made_data()):
        (here / "named.toml").rename(tmp_path / "named.toml")
        (here / "named.toml").symlink_to(tmp_path / "named.toml")
        yield here


def _write(place: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = place / name
        path.unlink(missing_ok=True)  # a link to what is right
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)


def _id(wrong: Wrong) -> str:
    return f"{wrong.typed} ({', '.join(wrong.says)})"


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("wrong", WRONG, ids=[_id(each) for each in WRONG])
def test_a_wrong_input_is_told_with_place_and_hint(wrong: Wrong, place: Path) -> None:
    """The exit code of a user's error, the place, a hint, and no traceback; nothing of a run is left behind."""
    _write(place, wrong.files)

    said = called(*shlex.split(wrong.typed), cwd=place)

    told = " ".join((said.err + said.out).split())
    assert said.code == wrong.code, told
    assert [part for part in wrong.says if part not in told] == [], told
    assert re.search(r"^\s*hint: \S", said.err + said.out, re.MULTILINE), told
    assert "Traceback" not in told
    assert not (place / "run" / "scores.json").exists()


def test_there_are_sixty_of_all_commands() -> None:
    """Each once, over every command of the first day."""
    assert len({_id(each) for each in WRONG}) == len(WRONG) >= 60
    assert len({each.what for each in WRONG}) >= 12


def test_the_command_alone_shows_what_there_is() -> None:
    """Who types no more asks a question: help, and no error."""
    said = called()

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: benchwright") and "error: " not in said.err
