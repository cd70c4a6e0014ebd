"""Stored answers are replayed exactly, and a file that does not fit its data set is refused early."""

from __future__ import annotations

import gzip
import json
import os
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.contracts import Message, Model, Prompt
from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.models.replay import Replay, open_model
from benchwright.records import Answer, Task, TaskId
from benchwright.store.writing import Appender
from kit.examples import examples
from kit.model_tasks import prompts_of, tasks_of, write_samples

ROWS = [
    {"task_id": "a", "completion": "a0"},
    {"task_id": "b", "completion": "b0"},
    {"task_id": "a", "completion": "a1"},
    {"task_id": "b", "completion": "b1"},
]


def replay(path: Path | str) -> Replay:
    """The replay of a file."""
    model = open_model(str(path))
    assert isinstance(model, Replay)
    return model


def texts(model: Model, tasks: dict[TaskId, Task], *pairs: tuple[TaskId, int]) -> list[str]:
    """The texts that a model answers."""
    return [answer.text for answer in model.answer(prompts_of(pairs), tasks)]


def refuse(folder: Path, *rows: Any) -> DataError:
    """The error for opening a file."""
    with pytest.raises(DataError) as caught:
        replay(write_samples(folder, *rows))
    return caught.value


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("marked", [False, True])
def test_rows_of_a_task_are_its_samples_in_file_order(tmp_path: Path, packed: bool, marked: bool) -> None:
    """Prompts may come in any order; a byte-order mark, blank lines and gzip change nothing."""
    data = b"\xef\xbb\xbf" * marked + b"\n\n".join(json.dumps(row).encode() for row in ROWS)
    path = tmp_path / "samples.jsonl"
    path.write_bytes(gzip.compress(data) if packed else data)
    actual = texts(replay(path), tasks_of("a", "b"), ("b", 1), ("a", 0), ("a", 1), ("b", 0), ("a", 0))

    assert actual == ["b1", "a0", "a1", "b0", "a0"]


def test_an_answer_holds_what_its_row_says(tmp_path: Path) -> None:
    """Key, id and variant are the prompt's; model, seed and finish reason are the row's."""
    row = {
        "task_id": 7,
        "completion": "x",
        "model": "m-1",
        "seed": 5,
        "finish_reason": "length",
        "passed": True,
    }
    answers = replay(write_samples(tmp_path, row)).answer(prompts_of([(7, 0)]), tasks_of(7))

    expected = Answer(
        key="7-0", task_id=7, sample=0, model="m-1", text="x", prompt="base", seed=5, finish_reason="length"
    )
    assert [expected] == list(answers)


def test_an_answer_without_a_model_is_named_after_the_file(tmp_path: Path) -> None:
    """Not after its folder, so that equal runs in two places are equal."""
    path = write_samples(tmp_path, ROWS[0])

    assert next(replay(path).answer(prompts_of([("a", 0)]), tasks_of("a"))).model == "replay:samples.jsonl"


@pytest.mark.parametrize("name", ["completion", "answer", "solution", "text"])
def test_each_common_name_of_the_text_is_read(tmp_path: Path, name: str) -> None:
    """Tools disagree about the name."""
    path = write_samples(tmp_path, {"task_id": "a", name: "x = 1"})

    assert texts(replay(path), tasks_of("a"), ("a", 0)) == ["x = 1"]


def test_a_text_of_null_is_an_empty_answer(tmp_path: Path) -> None:
    """The model was asked; what it did not say is judged, not dropped."""
    path = write_samples(tmp_path, {"task_id": "a", "completion": None})

    assert texts(replay(path), tasks_of("a"), ("a", 0)) == [""]


@pytest.mark.parametrize(("stored", "asked"), [(7, "7"), ("7", 7)])
def test_numbers_and_texts_match_as_ids(tmp_path: Path, stored: TaskId, asked: TaskId) -> None:
    """A round trip through some tool turned the ids into text; the answer has the data set's id."""
    path = write_samples(tmp_path, {"task_id": stored, "completion": "x"})
    answers = list(replay(path).answer(prompts_of([(asked, 0)]), tasks_of(asked)))

    assert [asked] == [answer.task_id for answer in answers]


def test_half_an_emoji_costs_one_character(tmp_path: Path) -> None:
    """A token limit may split a surrogate pair; the file is still read."""
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b'{"task_id": "a", "completion": "x = 1 # \\ud83d"}')

    assert texts(replay(path), tasks_of("a"), ("a", 0)) == ["x = 1 # \ufffd"]


def test_a_run_folder_is_replayed_with_its_failures(tmp_path: Path) -> None:
    """Answers of an earlier run can be judged again, and a failed request stays one."""
    with Appender(tmp_path / "answers.jsonl") as writer:
        writer.append(Answer(key="k", task_id="a", sample=0, model="m", text="x"))
        writer.append(Answer(key="l", task_id="a", sample=1, model="m", text="", error="timeout"))
    answers = list(replay(tmp_path).answer(prompts_of([("a", 0), ("a", 1)]), tasks_of("a")))

    assert [(answer.text, answer.error) for answer in answers] == [("x", None), ("", "timeout")]


def test_an_error_beside_a_completion_is_somebody_elses_note(tmp_path: Path) -> None:
    """Other tools record errors of executing the code; such an error is not a failure of the model."""
    path = write_samples(tmp_path, {"task_id": "a", "completion": "x", "error": "AssertionError"})

    assert None is next(replay(path).answer(prompts_of([("a", 0)]), tasks_of("a"))).error


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"completion": "x"}, "task_id"),
        ({"task_id": None, "completion": "x"}, "task_id"),
        ({"task_id": True, "completion": "x"}, "task_id"),
        ({"task_id": 1.5, "completion": "x"}, "task_id"),
        ({"task_id": "a", "completion": 1}, "completion"),
        ({"task_id": "a", "completion": {"x": 1}}, "completion"),
        ({"task_id": "a", "completion": False}, "completion"),
        ({"task_id": "a", "text": "x", "seed": "1"}, "seed"),
        ({"task_id": "a", "text": "x", "model": {}}, "model"),
        ({"task_id": "a", "text": "x", "finish_reason": 0}, "finish_reason"),
        ({"task_id": "a", "text": "x", "error": 3}, "error"),
        ({"task_id": "a"}, None),
        ({"task_id": "a", "completion": "x", "answer": "y"}, None),
        ([1], None),
    ],
)
def test_a_wrong_row_is_named_when_the_file_is_opened(tmp_path: Path, row: Any, field: str | None) -> None:
    """The last row of a file is checked before the first answer is judged."""
    error = refuse(tmp_path, *ROWS, row)

    assert (field, 5, f"{tmp_path}/samples.jsonl") == (error.field, error.line, error.path)


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    """Nor is a spec without a file."""
    with pytest.raises(UsageError):
        open_model("")
    with pytest.raises(UsageError) as caught:
        open_model(str(tmp_path / "none.jsonl"))

    assert caught.value.hint


def test_answers_to_tasks_that_the_data_lacks_are_counted(tmp_path: Path) -> None:
    """The others are taken; a use that cannot leave any out can refuse the file."""
    model = replay(write_samples(tmp_path, ROWS[0], {"task_id": "HumanEval/12", "completion": ""}))
    tasks = tasks_of("a", "HumanEval/2", "HumanEval/120")
    model.match(tasks)

    assert model.holding().foreign == {"HumanEval/12": 1}
    with pytest.raises(DataError, match="1 of its tasks are not in the data set: HumanEval/12") as caught:
        model.check(tasks)
    assert "nearest" not in str(caught.value)


def test_a_file_of_other_tasks_is_refused(tmp_path: Path) -> None:
    """Answers to another data set are not scored as missing; both sides are shown."""
    with pytest.raises(DataError, match="it names x/1; the data has a, b") as caught:
        open_model(
            str(write_samples(tmp_path, {"task_id": "x/1", "completion": ""})), tasks=tasks_of("a", "b")
        )

    assert caught.value.field == "task_id"


def test_a_prompt_beyond_the_stored_answers_is_refused(tmp_path: Path) -> None:
    """Nothing is repeated to fill a gap."""
    model = replay(write_samples(tmp_path, *ROWS))
    answers = model.answer(prompts_of([("a", 1), ("a", 2)]), tasks_of("a", "b"))
    first = next(answers)
    with pytest.raises(DataError) as caught:
        next(answers)

    assert (first.text, caught.value.hint) == ("a1", "--n 2")


def test_samples_are_counted(tmp_path: Path) -> None:
    """A runner can ask how many there are."""
    model = replay(write_samples(tmp_path, *ROWS, ROWS[0]))

    assert [model.samples(task) for task in tasks_of("a", "b", "c").values()] == [3, 2, 0]


def test_the_identity_is_of_the_content(tmp_path: Path) -> None:
    """A copy, packed or not, is the same model; one changed letter is another."""
    first, copy = write_samples(tmp_path, *ROWS), write_samples(tmp_path, *ROWS, name="copy.jsonl")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(first.read_bytes()))
    other = write_samples(tmp_path, *ROWS[:3], {"task_id": "b", "completion": "B1"}, name="other.jsonl")
    hashes = [json.dumps(replay(path).identity()) for path in (first, copy, packed, other)]

    assert (len(set(hashes[:3])), len(set(hashes))) == (1, 2)


@pytest.mark.parametrize("packed", [False, True])
def test_lines_are_counted_when_a_message_needs_one(tmp_path: Path, packed: bool) -> None:
    """Empty ones too, of a packed file as of a plain one."""
    rows = [json.dumps(own_row(task_id=each)) for each in ("a", "b")]
    data = f"{rows[0]}\n\n  \n{rows[1]}".encode()
    path = tmp_path / "samples"
    path.write_bytes(gzip.compress(data) if packed else data)
    prompt = Prompt(key="k", task_id="b", sample=0, text="?", variant="ru-02")
    with pytest.raises(DataError) as caught:
        list(replay(path).answer([prompt], tasks_of("a", "b")))

    assert caught.value.line == 4


def test_a_file_that_changes_under_the_run_is_noticed(tmp_path: Path) -> None:
    """Another answer, or another task's, is never judged in place of the one that was indexed."""
    path = write_samples(tmp_path, {"task_id": "a", "completion": "xx"}, {"task_id": "b", "completion": "y"})
    model = replay(path)
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"b"'))
    with pytest.raises(DataError) as caught:
        texts(model, tasks_of("a", "b"), ("a", 0))

    assert "changed while it was read" in caught.value.message


def test_a_broken_gzip_is_a_data_error(tmp_path: Path) -> None:
    """A cut download is not a short one."""
    path = tmp_path / "samples.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(os.urandom(50).hex().encode() for _ in range(100)))[:-30])
    with pytest.raises(DataError) as caught:
        replay(path)

    assert "ends too early" in caught.value.message


@pytest.mark.parametrize("packed", [False, True])
def test_a_big_file_is_not_held_in_memory(tmp_path: Path, packed: bool) -> None:
    """Thirty megabytes of answers cost their offsets."""
    path = tmp_path / "samples.jsonl"
    opener: Any = gzip.open if packed else open
    with opener(path, "wb") as file:
        for index in range(3000):
            file.write(b'{"task_id": %d, "completion": "%s"}\n' % (index % 300, b"z" * 10_000))
    tasks = tasks_of(*range(300))
    tracemalloc.start()
    model = replay(path)
    count = sum(len(text) for text in texts(model, tasks, (299, 9), (0, 0), (150, 5)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (count, peak < 4_000_000) == (30_000, True)


def test_no_temporary_file_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill nothing unpacked stays behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    path = tmp_path / "samples.gz"
    path.write_bytes(gzip.compress(json.dumps(ROWS[0]).encode()))
    model = replay(path)

    assert (list(folder.iterdir()), texts(model, tasks_of("a"), ("a", 0))) == ([], ["a0"])


@given(
    st.lists(st.tuples(st.integers(0, 3), st.text(max_size=20)), max_size=15),
    st.randoms(use_true_random=False),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
def test_every_stored_text_comes_back(
    tmp_path: Path, stored: list[tuple[int, str]], chance: random.Random
) -> None:
    """Any text, asked for in any order, is the one that was stored."""
    path = write_samples(tmp_path, *({"task_id": task_id, "completion": text} for task_id, text in stored))
    pairs, expected = [], {}
    for task_id, text in stored:
        pairs.append((task_id, sum(1 for other, _ in pairs if other == task_id)))
        expected[pairs[-1]] = text
    chance.shuffle(pairs)

    assert [expected[pair] for pair in pairs] == texts(replay(path), tasks_of(*range(4)), *pairs)


VALUES = st.sampled_from([None, True, 0, -5, 1 << 70, 0.5, "", "a", "b", [], ["a"], {}, {"a": 1}])
KEYS = st.sampled_from(["task_id", "completion", "answer", "text", "seed", "model", "finish_reason", "error"])
NOISE = st.lists(
    st.sampled_from([*'{}[]",:\\ \n\t01e.-', "null", '"task_id":', '"completion":', "\ud800"])
).map("".join)


@given(st.lists(st.dictionaries(KEYS, VALUES).map(json.dumps) | NOISE, max_size=4), st.booleans())
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_malformed_files_never_raise_another_exception(
    tmp_path: Path, lines: list[str], packed: bool
) -> None:
    """Any invalid samples file raises one of our errors."""
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    path = tmp_path / "samples.jsonl"
    path.write_bytes(gzip.compress(data) if packed else data)
    tasks = tasks_of("a", 0)
    try:
        model = replay(path)
        model.check(tasks)
        actual = len(texts(model, tasks, ("a", 0), (0, 0))) == 2
    except BenchwrightError as error:
        actual = bool(error.message)

    assert actual


def own_row(**changed: Any) -> dict[str, Any]:
    """A row as a run of this program writes it."""
    return {
        "task_id": "a",
        "text": "x",
        "prompt": "ru-01",
        "tokens_in": 7,
        "tokens_out": 3,
        "tail": "\ndef",
        **changed,
    }


def test_a_run_s_own_row_keeps_what_was_paid_for(tmp_path: Path) -> None:
    """Tokens, the cut-off tail and the variant, where the prompt that is asked names none."""
    prompt = Prompt(key="k", task_id="a", sample=0, text="?")
    (answer,) = replay(write_samples(tmp_path, own_row())).answer([prompt], tasks_of("a"))

    assert (answer.prompt, answer.tokens_in, answer.tokens_out, answer.tail) == ("ru-01", 7, 3, "\ndef")


@pytest.mark.parametrize(("stored", "asked"), [("ru-01", "ru-01"), ("", "ru-02"), ("ru-01", "")])
def test_an_answer_to_the_prompt_that_is_asked_is_taken(tmp_path: Path, stored: str, asked: str) -> None:
    """So is one that names no prompt, and any where none is asked for."""
    prompt = Prompt(key="k", task_id="a", sample=0, text="?", variant=asked)
    (answer,) = replay(write_samples(tmp_path, own_row(prompt=stored))).answer([prompt], tasks_of("a"))

    assert (answer.text, answer.prompt) == ("x", asked or stored)


def test_an_answer_to_another_prompt_is_refused(tmp_path: Path) -> None:
    """Scored as the answer to this one it would make up a prompt's effect."""
    prompt = Prompt(key="k", task_id="a", sample=1, text="?", variant="ru-02")
    model = replay(write_samples(tmp_path, own_row(), own_row()))
    with pytest.raises(DataError) as caught:
        list(model.answer([prompt], tasks_of("a")))

    assert (caught.value.line, caught.value.field, "answers the prompt ru-01" in caught.value.message) == (
        2,
        "prompt",
        True,
    )
    assert "--prompts row" in str(caught.value.hint)


@pytest.mark.parametrize("field", ["prompt", "tail", "tokens_in", "tokens_out"])
def test_another_program_s_row_may_use_these_names_otherwise(tmp_path: Path, field: str) -> None:
    """Only in a row of our own are they read, and checked."""
    foreign = {"task_id": "a", "completion": "x", field: ["anything"]}
    prompt = Prompt(key="k", task_id="a", sample=0, text="?")
    (answer,) = replay(write_samples(tmp_path, foreign)).answer([prompt], tasks_of("a"))
    fault = refuse(tmp_path, own_row(**{field: ["anything"]}))

    assert (answer.prompt, answer.tail, answer.tokens_in, fault.field) == ("", "", None, field)


def later(task: str, sample: int, number: int) -> dict[str, Any]:
    """A row of the file of all rounds."""
    row = {"key": "k", "task_id": task, "sample": sample, "model": "m", "text": f"{task}{sample}.{number}"}
    return {**row, "round": number} if number else row


def turn(task: str, sample: int, number: int) -> Prompt:
    """A prompt of an agent, which so many answers went before."""
    history = (Message(role="user", content="?"), Message(role="assistant", content="!")) * number
    return Prompt(key="k", task_id=task, sample=sample, text="?", history=history, round=number)


def test_answers_of_later_rounds_are_found_by_the_round(tmp_path: Path) -> None:
    """They are no samples; a round that the file lacks is a DataError."""
    rows = [later("a", 0, 0), later("a", 0, 1), later("a", 0, 2), later("a", 1, 0), later("b", 0, 0)]
    model, tasks = replay(write_samples(tmp_path, *rows)), tasks_of("a", "b")
    wanted = [turn("a", 1, 0), turn("a", 0, 2), turn("a", 0, 1)]

    assert [answer.text for answer in model.answer(wanted, tasks)] == ["a1.0", "a0.2", "a0.1"]
    assert [model.samples(task) for task in tasks.values()] == [2, 1]
    with pytest.raises(DataError, match="holds no answer of round 1 to sample 1") as caught:
        list(model.answer([turn("a", 1, 1)], tasks))
    assert "rounds.answers.jsonl" in str(caught.value.hint)


def test_the_last_answers_of_a_run_with_an_agent_are_plain_samples(tmp_path: Path) -> None:
    """Each stands alone, in whichever round it was given."""
    rows = [later("a", 0, 2), later("a", 1, 0), later("a", 2, 1)]
    model, tasks = replay(write_samples(tmp_path, *rows)), tasks_of("a")

    assert texts(model, tasks, ("a", 0), ("a", 1), ("a", 2)) == ["a0.2", "a1.0", "a2.1"]
