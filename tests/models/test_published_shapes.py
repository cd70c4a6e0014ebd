"""Shapes in which answers are published: names with zeros or words, reference columns, folders of samples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.models.replay import Replay, open_model
from benchwright.models.stored_answers.task_names import match_names
from benchwright.records import Task, TaskId
from kit.model_tasks import prompts_of

PROMPTS = {
    "Set/0": 'import math\n\n\ndef near(numbers):\n    """Say whether two are near.\n    >>> near([1])\n    """\n',
    "Set/1": 'import math\n\n\ndef far(numbers):\n    """Say whether two are far.\n    >>> far([1])\n    """\n',
    "Set/2": 'def near(words):\n    """Say whether two words are near."""\n',
}


def tasks(prompts: Mapping[str, str] = PROMPTS) -> dict[TaskId, Task]:
    """The data set that answers are to."""
    return {
        name: Task(
            task_id=name, instruction="", inputs={"function": text}, outputs=None, meta={}, revision="r"
        )
        for name, text in prompts.items()
    }


def texts(path: Path, *fields: str) -> dict[str, list[str]]:
    """The texts to each task that has any."""
    data = tasks()
    model = open_model(str(path), tasks=data, fields=fields)
    assert isinstance(model, Replay)
    pairs = [(each, sample) for each, task in data.items() for sample in range(model.samples(task) or 0)]
    found: dict[str, list[str]] = {}
    for answer in model.answer(prompts_of(pairs), data):
        found.setdefault(str(answer.task_id), []).append(answer.text)
    return found


def written(folder: Path, *rows: Any) -> Path:
    """A file of these rows."""
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def tree(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("text", ["completion", "solution", "answer", "generation"])
@pytest.mark.parametrize(
    "column", [{"seed": "def f(): ..."}, {"seed": 0.5}, {"model": {"name": "m"}}, {"finish_reason": ["stop"]}]
)
def test_columns_of_other_types_are_not_this_programs(
    tmp_path: Path, text: str, column: dict[str, Any]
) -> None:
    """A seed may be a program that another program was made from."""
    assert texts(written(tmp_path, {"task_id": "Set/0", text: "a", **column})) == {"Set/0": ["a"]}


def test_the_reference_of_a_row_is_no_answer(tmp_path: Path) -> None:
    """Rows of MBPP have it as `code`, beside their tests."""
    row = {"task_id": "Set/0", "code": "gold", "test_list": ["assert f()"], "completion": "a"}

    assert texts(written(tmp_path, row)) == {"Set/0": ["a"]}


@pytest.mark.parametrize(
    ("name", "ids", "wanted"),
    [
        ("HumanEval_007", ["HumanEval/7", "HumanEval/70"], "HumanEval/7"),
        ("HumanEval/00", ["HumanEval/0", "HumanEval/1"], "HumanEval/0"),
        ("task_012", ["7", "12"], "12"),
        ("MBPP/12", ["7", "12"], "12"),
        ("mbpp_12_some_name", ["7", "12"], "12"),
        ("mbpp_12_some_name", ["Mbpp/7", "Mbpp/12"], "Mbpp/12"),
        ("HumanEval_3_below_zero", ["HumanEval/3", "HumanEval/30"], "HumanEval/3"),
        ("HumanEval_3_f", ["HumanEval_3_f", "HumanEval_3"], "HumanEval_3_f"),
        ("MBPP/1", ["1", "2"], "1"),
    ],
)
def test_spellings_of_published_names(name: str, ids: list[str], wanted: str) -> None:
    """Zeros before a number and the function's name after it do not matter, nor the name of the data set."""
    found = match_names([name], ids, kind="", column="task_id", path="x")

    assert found.match == {name: wanted}


@pytest.mark.parametrize(
    "files",
    [
        {"Set_0/0/main.py": "a", "Set_0/1/main.py": "b", "Set_1/0/main.py": "c"},
        {"m-4/Set_0/0.py": "a", "m-4/Set_0/1.py": "b", "m-4/Set_1/0.py": "c"},
        {"Set_0/sample_0/code.py": "a", "Set_0/sample_1/code.py": "b", "Set_1/sample_0/code.py": "c"},
        {"run_0/Set_0.py": "a", "run_1/Set_0.py": "b", "run_0/Set_1.py": "c"},
    ],
)
def test_folders_of_samples(tmp_path: Path, files: dict[str, str]) -> None:
    """A folder that is only a number is a sample where another folder or the file names the task."""
    assert texts(tree(tmp_path, files)) == {"Set/0": ["a", "b"], "Set/1": ["c"]}


def test_several_files_of_one_sample_are_refused(tmp_path: Path) -> None:
    """A log and a script beside the answer are no further answers."""
    files = {f"Set_0/{n}/{name}": "x" for n in (0, 1) for name in ("log.txt", "run.py", "code/my_tests.py")}

    with pytest.raises(UsageError, match="3 files") as caught:
        texts(tree(tmp_path, files))

    assert "Set_0" in str(caught.value)
    assert caught.value.hint


def test_a_folder_of_verdict_files_names_them(tmp_path: Path) -> None:
    """One of them may hold the answers."""
    with pytest.raises(UsageError, match=r"a_detailed_results\.json, b_results\.json"):
        texts(tree(tmp_path, {"a_detailed_results.json": "[]", "b_results.json": "{}"}))


def test_verdicts_without_programs_suggest_no_column(tmp_path: Path) -> None:
    """EvalPlus wrote such files once: nothing in them is the model's text."""
    path = written(tmp_path, {"eval": {"Set/0": {"nfiles": 1, "base": [["failed", []]], "plus": []}}})

    with pytest.raises(DataError, match="has no answer") as caught:
        texts(path)

    assert "nfiles" not in (caught.value.hint or "")


SHORT = {name: text.partition("    >>>")[0] + '    """\n' for name, text in PROMPTS.items()}


@pytest.mark.parametrize("prompts", [PROMPTS, SHORT], ids=["whole", "without examples"])
@pytest.mark.parametrize(
    "order", [("Set/0", "Set/1", "Set/2"), ("Set/2", "Set/0", "Set/1"), ("Set/2", "Set/1")]
)
def test_rows_without_ids_are_found_by_their_prompts(
    tmp_path: Path, prompts: dict[str, str], order: tuple[str, ...]
) -> None:
    """Their order is another than that of the data, or they are to some tasks only."""
    path = written(tmp_path, *({"prompt": prompts[name], "samples": [name, "x"]} for name in order))

    assert texts(path) == {name: [name, "x"] for name in order}


def test_prompts_inside_a_request_are_found(tmp_path: Path) -> None:
    """A request says more than the data's prompt does."""
    rows = [{"prompt": f"Complete:\n```\n{PROMPTS[name]}```", "completion": name} for name in PROMPTS]

    assert texts(written(tmp_path, *reversed(rows))) == {name: [name] for name in PROMPTS}


def test_rows_with_the_same_prompt_are_samples(tmp_path: Path) -> None:
    """Several rows a task, none with an id."""
    rows = [{"prompt": PROMPTS[name], "completion": f"{name}{n}"} for name in PROMPTS for n in (0, 1)]

    assert texts(written(tmp_path, *rows)) == {name: [f"{name}0", f"{name}1"] for name in PROMPTS}


def test_prompts_that_mean_no_task_leave_the_order(tmp_path: Path) -> None:
    """Other wordings of the same tasks, one row a task."""
    rows = [{"prompt": f"question {place}", "completion": name} for place, name in enumerate(PROMPTS)]

    assert texts(written(tmp_path, *rows)) == {name: [name] for name in PROMPTS}


def test_prompts_that_begin_as_many_do_mean_no_task(tmp_path: Path) -> None:
    """A start that other tasks share says nothing."""
    rows = [
        {"prompt": PROMPTS[name].replace("near", "wide"), "completion": "a"} for name in ("Set/0", "Set/1")
    ]

    assert texts(written(tmp_path, *rows)) == {"Set/1": ["a"]}


def test_two_prompts_of_one_task_have_no_match(tmp_path: Path) -> None:
    """The order of the others says nothing either."""
    ends = [PROMPTS["Set/0"] + end for end in ("a", "b")]
    rows = [{"prompt": each, "completion": each[-1]} for each in (*ends, PROMPTS["Set/2"] + "c")]

    assert texts(written(tmp_path, *rows)) == {"Set/2": ["c"]}


def test_other_prompts_are_not_taken_in_order(tmp_path: Path) -> None:
    """Fewer rows than tasks, and nothing says which task they are to."""
    with pytest.raises(DataError, match="do not say which task"):
        texts(written(tmp_path, *({"prompt": word, "completion": "a"} for word in ("what?", "why?"))))
