"""The answers in lm-eval's sample logs: real shapes, several files, and rows that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.interop.answer_import import ImportedFile, import_target
from benchwright.interop.lm_eval import ID_FIELDS, import_lm_eval
from benchwright.models.replay import Replay
from kit.examples import examples
from kit.model_tasks import tasks_of
from kit.small_data import humaneval

TIME = "2026-01-31T12-00-00.123456"
MANY = settings(
    max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def row(number: int, *texts: str | None, **changed: Any) -> dict[str, Any]:
    """A row as lm-eval 0.4 writes it for a task with `repeats`."""
    made = {
        "doc_id": number,
        "doc": {"task_id": f"Small/{number}", "prompt": "def f(x):\n"},
        "target": "    return x\n",
        "arguments": {"gen_args_0": {"arg_0": "def f(x):\n", "arg_1": {"until": ["\ndef"]}}},
        "resps": [list(texts or ("    return x\n",))],
        "filtered_resps": ["    return x\n"],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "a",
        "prompt_hash": "b",
        "target_hash": "c",
        "exact_match": 1.0,
    }
    return {**made, **changed}


def log(folder: Path, *rows: dict[str, Any], task: str = "humaneval", time: str = TIME) -> Path:
    """A sample log under the name that lm-eval gives it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{time}.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file. Its lines end only where a byte says so: a text may hold other ends of lines."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _import(folder: Path, *rows: dict[str, Any], **options: Any) -> tuple[ImportedFile, list[dict[str, Any]]]:
    imported = import_lm_eval([log(folder, *rows)], folder / "out.jsonl", **options)
    return imported, read_rows(folder / "out.jsonl")


def test_repeats_become_repetitions(tmp_path: Path) -> None:
    """The raw texts are taken, in order, with the metrics that the row names."""
    imported, rows = _import(tmp_path, row(0, "a", "b"), row(1, "c", "d"))

    assert [(each["task_id"], each["completion"]) for each in rows] == [
        ("Small/0", "a"),
        ("Small/0", "b"),
        ("Small/1", "c"),
        ("Small/1", "d"),
    ]
    assert rows[0]["recorded_score"] == {"exact_match": 1.0}
    assert (imported.task, imported.answers, imported.tasks, imported.most) == ("humaneval", 4, 2, 2)
    assert (
        imported.command == f"benchwright run humaneval --data DATA --model replay:{tmp_path / 'out.jsonl'}"
    )


@pytest.mark.parametrize(
    ("resps", "texts"),
    [
        ([["a", "b"]], ["a", "b"]),
        ([["a"], ["b"]], ["a", "b"]),
        (["a", "b"], ["a", "b"]),
        ([["a", None]], ["a", ""]),
        ([["a\ud83d"]], ["a\ufffd"]),
    ],
)
def test_shapes_of_responses(resps: Any, texts: list[str], tmp_path: Path) -> None:
    """One list a request or one a repeat; a repeat of nothing is an empty answer."""
    imported, rows = _import(tmp_path, row(0, resps=resps))

    assert [each["completion"] for each in rows] == texts
    assert imported.empty == texts.count("")


@pytest.mark.parametrize(
    "resps",
    [
        None,
        "text",
        5,
        [],
        [[]],
        {"a": 1},
        [[["-1.5", "False"]]],
        [[[-1.5, False]]],
        [[1.5]],
        [[True]],
        [[{}]],
    ],
)
def test_responses_that_are_no_texts(resps: Any, tmp_path: Path) -> None:
    """Likelihoods of multiple-choice tasks, and anything else, are refused with the line and the field."""
    with pytest.raises(DataError) as caught:
        _import(tmp_path, row(0), row(1, resps=resps))

    assert (caught.value.line, caught.value.field) == (2, "resps")
    assert not (tmp_path / "out.jsonl").exists()


def test_replay_reads_the_file(tmp_path: Path) -> None:
    """The file is one for --model replay:FILE."""
    _import(tmp_path, row(0, "a", "b"), row(1, "c", "d"))

    assert [Replay(tmp_path / "out.jsonl").samples(task) for task in tasks_of("Small/1").values()] == [2]


@pytest.mark.parametrize(
    ("doc", "field", "task_id"),
    [
        ({"task_id": 11, "id": "x"}, "doc.task_id", 11),
        ({"meta": {"id": 3}, "inputs": {}}, "doc.meta.id", 3),
        ({"id": "x", "name": "y"}, "doc.id", "x"),
        ({"question_id": 5}, "doc.question_id", 5),
        ({"name": "y"}, "doc.name", "y"),
        ({"task_id": True, "meta": []}, "doc_id", 0),
    ],
)
def test_where_the_id_is_found(doc: dict[str, Any], field: str, task_id: Any, tmp_path: Path) -> None:
    """The first of the known places that holds an id, in the documented order; the summary says which."""
    imported, (first,) = _import(tmp_path, row(0, doc=doc))

    assert (first["task_id"], field in ID_FIELDS) == (task_id, True)
    assert f"task ids are from `{field}`" in imported.notes[-1]


def test_another_place_of_the_id(tmp_path: Path) -> None:
    """--id-field names any place, and then there is nothing to note about it."""
    imported, (first,) = _import(tmp_path, row(4, doc={"a": {"b": "deep"}}), id_field="doc.a.b", model="m")

    assert (first["task_id"], imported.notes) == ("deep", [])


def test_a_row_without_the_id(tmp_path: Path) -> None:
    """Each row must have its id where the first one has it; the hint names a place that would do."""
    with pytest.raises(DataError, match="missing task id") as caught:
        _import(tmp_path, row(0), row(1, doc={"id": "x"}))

    assert (caught.value.line, caught.value.field) == (2, "doc.task_id")
    assert caught.value.hint == "specify the field of the id: --id-field doc.id"


def test_no_id_at_all(tmp_path: Path) -> None:
    """A first row without any of the known places is an error with a hint."""
    bare = row(0, doc={})
    del bare["doc_id"]
    with pytest.raises(DataError, match="the row has no task id") as caught:
        _import(tmp_path, bare)

    assert "--id-field" in str(caught.value.hint)


def test_an_id_twice(tmp_path: Path) -> None:
    """Two rows of one task in one file are no repetitions: lm-eval writes those into one row."""
    with pytest.raises(DataError, match="already on line 1") as caught:
        _import(tmp_path, row(0), row(1, doc={"task_id": "Small/0"}))

    assert caught.value.line == 2


def test_several_filters(tmp_path: Path) -> None:
    """A document is there once for each filter, with the same texts: they count once, and it is said."""
    pairs = [row(number, "a", filter=name) for name in ("first", "upper") for number in range(2)]
    imported, rows = _import(tmp_path, *pairs)

    assert (len(rows), imported.answers) == (2, 2)
    assert imported.notes[-1] == "2 rows of other filters repeat the same texts and were not read: upper"


def test_files_named_one_by_one_are_joined(tmp_path: Path) -> None:
    """Two runs of a task give further answers, in the order of the files."""
    first = log(tmp_path / "a", row(0, "a"), row(1, "b"))
    second = log(tmp_path / "b", row(1, "d"), row(0, "c"))
    imported = import_lm_eval([first, second], tmp_path / "out.jsonl")
    texts = [each["completion"] for each in read_rows(tmp_path / "out.jsonl") if each["task_id"] == "Small/0"]

    assert (texts, imported.least, imported.most) == (["a", "c"], 2, 2)


def test_one_file_twice(tmp_path: Path) -> None:
    """A file that is named twice would count its answers twice."""
    path = log(tmp_path, row(0))

    with pytest.raises(UsageError, match="duplicate log"):
        import_lm_eval([path, tmp_path / "." / path.name], tmp_path / "out.jsonl")


def test_a_folder(tmp_path: Path) -> None:
    """A folder's one log is found below it, as lm-eval puts it into a folder named by the model."""
    log(tmp_path / "out/some__model", row(0, "a"))
    imported = import_lm_eval([tmp_path / "out"], tmp_path / "out.jsonl")

    assert (imported.answers, imported.task) == (1, "humaneval")


def test_a_folder_of_several_tasks(tmp_path: Path) -> None:
    """--task chooses one, and what is wrong with the others does not matter then."""
    log(tmp_path / "out", row(0, "a"))
    log(tmp_path / "out", row(0, "b"), task="mbpp")
    log(tmp_path / "out", row(0, "c"), task="mbpp", time="2026-02-01T12-00-00")
    with pytest.raises(UsageError, match="two logs of the task mbpp"):
        import_lm_eval([tmp_path / "out"], tmp_path / "out.jsonl")
    imported = import_lm_eval([tmp_path / "out"], tmp_path / "out.jsonl", task="humaneval")

    assert (imported.task, imported.answers) == ("humaneval", 1)


def test_files_of_several_tasks(tmp_path: Path) -> None:
    """Answers to two tasks are not put into one file; the hint chooses one."""
    paths = [log(tmp_path, row(0), task=task) for task in ("mbpp", "humaneval")]
    with pytest.raises(UsageError, match="2 tasks: humaneval, mbpp") as several:
        import_lm_eval(paths, tmp_path / "out.jsonl")
    with pytest.raises(UsageError, match="no log of the task x"):
        import_lm_eval(paths, tmp_path / "out.jsonl", task="x")

    assert several.value.hint == "choose one: --task humaneval"


def test_an_empty_folder(tmp_path: Path) -> None:
    """The hint says how lm-eval is made to write a log."""
    with pytest.raises(UsageError, match="no samples_TASK_TIME") as caught:
        import_lm_eval([tmp_path], tmp_path / "out.jsonl")

    assert "--log_samples" in str(caught.value.hint)


def test_another_name(tmp_path: Path) -> None:
    """A renamed log is read as well; its task is its name."""
    path = log(tmp_path, row(0)).rename(tmp_path / "mine.jsonl")

    assert import_lm_eval([path], tmp_path / "out.jsonl").task == "mine"


@pytest.mark.parametrize(
    ("results", "model"),
    [
        ({"model_name": "some/model", "config": {"model": "hf"}}, "hf/some/model"),
        ({"config": {"model": "hf", "model_args": {"pretrained": "p"}}}, "hf/p"),
        ({"model_name": 5, "config": []}, None),
        (None, None),
        ("broken", None),
    ],
)
def test_the_model_is_in_the_results(results: Any, model: str | None, tmp_path: Path) -> None:
    """lm-eval names the model only in the results file beside the log."""
    text = "NaN" if results == "broken" else json.dumps(results)
    if results is not None:
        (tmp_path / f"results_{TIME}.json").write_text(text)
    imported, (first,) = _import(tmp_path, row(0))

    assert (imported.model, first.get("model")) == (model, model)
    assert any("--model-name" in note for note in imported.notes) is (model is None)


def test_two_models(tmp_path: Path) -> None:
    """Joined files of two models have no one name; it can be given."""
    paths = []
    for name in "ab":
        paths.append(log(tmp_path / name, row(0)))
        (tmp_path / name / f"results_{TIME}.json").write_text(json.dumps({"model_name": name}))
    unnamed = import_lm_eval(paths, tmp_path / "out.jsonl")
    named = import_lm_eval(paths, tmp_path / "out.jsonl", model="both")

    assert (unnamed.model, named.model) == (None, "both")
    assert "name 2 models" in unnamed.notes[0]


def test_ids_are_checked_against_a_data_set(tmp_path: Path) -> None:
    """With a data set, foreign answers are left out and tasks without answers are named."""
    data = humaneval(tmp_path)
    imported, rows = _import(
        tmp_path, row(0), row(9), row(1), aim=import_target("humaneval", str(data)), id_field="doc.task_id"
    )

    assert [each["task_id"] for each in rows] == ["Small/0", "Small/1"]
    assert (imported.dropped[0].tasks, imported.unanswered) == (["Small/9"], ["Small/2"])


def test_rows_by_number_in_a_data_set(tmp_path: Path) -> None:
    """Numbers where the data set has names are refused, with the nearest name."""
    data = humaneval(tmp_path)
    with pytest.raises(DataError, match="none of its 1 tasks") as caught:
        _import(tmp_path, row(0), aim=import_target("humaneval", str(data)), id_field="doc_id")

    assert "Small/" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "must be a JSON object"),
        ('{"doc_id": 0, "doc_id": 1}', "twice"),
        ('{"doc_id": NaN}', "NaN"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested deeper"),
        ('{"doc_id": 1, "filter": 5, "resps": [["a"]]}', "must be text"),
        ('{"doc_id": 1, "filter": "none"}', "missing"),
    ],
)
def test_lines_that_are_refused(line: str, said: str, tmp_path: Path) -> None:
    """A wrong line is an error with its number, and no answers file is left."""
    path = log(tmp_path, row(0, doc={}))
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=said) as caught:
        import_lm_eval([path], tmp_path / "out.jsonl")

    assert (caught.value.line, (tmp_path / "out.jsonl").exists()) == (2, False)


def test_an_empty_file(tmp_path: Path) -> None:
    """An empty log says so."""
    with pytest.raises(DataError, match="the file is empty"):
        _import(tmp_path)


def test_a_line_that_is_too_long(tmp_path: Path) -> None:
    """A row has the limit of every reader here, and is not held beyond it."""
    path = tmp_path / f"samples_x_{TIME}.jsonl"
    path.write_bytes(b'{"doc_id": "' + b"x" * (16 << 20) + b'"}\n')

    with pytest.raises(DataError, match="longer than"):
        import_lm_eval([path], tmp_path / "out.jsonl")


@pytest.mark.usefixtures("quick_disk")
@MANY
@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "doc_id": JSON,
                "doc": JSON | st.fixed_dictionaries({"task_id": JSON}),
                "resps": JSON | st.lists(st.lists(st.text(max_size=4) | JSON, max_size=2), max_size=2),
                "filter": JSON,
                "metrics": JSON | st.just(["m"]),
                "m": JSON,
            },
        ),
        max_size=3,
    )
)
def test_any_rows(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    """Whatever JSON the rows hold, they are answers that replay reads, or an error with the file's name."""
    path = log(tmp_path, *rows)
    try:
        imported = import_lm_eval([path], tmp_path / "out.jsonl")
    except BenchwrightError as error:
        assert str(path) in error.message
        return

    assert imported.answers == Replay(tmp_path / "out.jsonl").holding().answers


@pytest.mark.usefixtures("quick_disk")
@MANY
@given(st.binary(max_size=60))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    """Bytes that are no rows are an error with the file's name, never another exception."""
    path = log(tmp_path)
    path.write_bytes(content)
    try:
        import_lm_eval([path], tmp_path / "out.jsonl")
        said = str(path)
    except BenchwrightError as error:
        said = error.message

    assert str(path) in said


@pytest.mark.usefixtures("quick_disk")
@settings(MANY, max_examples=examples(40))
@given(st.lists(st.lists(st.text(max_size=20), min_size=1, max_size=3), min_size=1, max_size=3))
def test_every_text_arrives(tmp_path: Path, tasks: list[list[str]]) -> None:
    """All texts of all rows are in the file, in order; what UTF-8 cannot hold is replaced."""
    _, rows = _import(tmp_path, *(row(number, *texts) for number, texts in enumerate(tasks)))
    flat = [text.encode(errors="surrogatepass").decode(errors="replace") for texts in tasks for text in texts]

    assert len(rows) == len(flat)
    assert [each["completion"].replace("\ufffd", "") for each in rows] == [
        text.replace("\ufffd", "") for text in flat
    ]
