"""The answers in Inspect's logs: what is taken, in which order, and what is said of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.interop.answer_import import ImportedFile, import_target
from benchwright.interop.inspect_ai_log.answers import import_inspect
from benchwright.models.replay import Replay
from kit.made_inspect_log import header, sample, write_document, write_zip
from kit.model_tasks import tasks_of
from kit.small_data import humaneval, read_rows


def _taken(folder: Path, *samples: dict[str, Any], **changed: Any) -> list[dict[str, Any]]:
    """The rows that these samples give."""
    import_inspect(write_zip(folder / "log.eval", samples, header(**changed)), folder / "out.jsonl")
    return read_rows(folder / "out.jsonl")


def _one(folder: Path, *samples: dict[str, Any]) -> ImportedFile:
    (imported,) = import_inspect(write_zip(folder / "log.eval", samples), folder / "out.jsonl")
    return imported


@pytest.mark.parametrize("write", [write_zip, write_document])
def test_epochs_become_repetitions(write: Any, tmp_path: Path) -> None:
    """Rows are in the order of the data set and then of the epochs, whatever order the log has."""
    head = header(dataset={"sample_ids": ["b", "a"]})
    samples = [sample(name, epoch, f"{name}{epoch}") for epoch in (2, 1) for name in ("a", "b")]
    log = write(tmp_path / ("log.eval" if write is write_zip else "log.json"), samples, head)
    (imported,) = import_inspect(log, tmp_path / "out.jsonl")
    rows = [(row["task_id"], row["completion"]) for row in read_rows(tmp_path / "out.jsonl")]

    assert rows == [("b", "b1"), ("b", "b2"), ("a", "a1"), ("a", "a2")]
    assert (imported.answers, imported.tasks, imported.least, imported.most) == (4, 2, 2, 2)


def test_more_than_nine_epochs_are_in_order(tmp_path: Path) -> None:
    """Epochs are numbers: the tenth comes after the ninth."""
    rows = _taken(tmp_path, *(sample("a", epoch, str(epoch)) for epoch in range(1, 13)))

    assert [row["completion"] for row in rows] == [str(epoch) for epoch in range(1, 13)]


def test_what_a_row_says(tmp_path: Path) -> None:
    """Model, seed, why it ended and the recorded score are those of the log."""
    (row,) = _taken(tmp_path, sample("HumanEval/0"), model_generate_config={"seed": 42})

    assert row == {
        "task_id": "HumanEval/0",
        "completion": "    return x\n",
        "model": "some/model-1",
        "seed": 42,
        "finish_reason": "stop",
        "recorded_score": {"verify": "C"},
    }


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("max_tokens", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("unknown", None),
    ],
)
def test_stop_reasons(theirs: str, ours: str | None, tmp_path: Path) -> None:
    """Inspect's words become those of the APIs; its "unknown" becomes nothing."""
    given = sample("a")
    given["output"]["choices"][0]["stop_reason"] = theirs
    (row,) = _taken(tmp_path, given)

    assert row.get("finish_reason") == ours


def test_replay_reads_the_file(tmp_path: Path) -> None:
    """The file is one for --model replay:FILE, with the number of answers that the log has."""
    given = [sample(name, epoch) for name in ("a", "b") for epoch in (1, 2)]
    imported = _one(tmp_path, *given, sample("c", 1, error={"message": "broken"}), sample("c", 2))
    model = Replay(Path(imported.out))

    assert (
        imported.command == f"benchwright run humaneval --data DATA --model replay:{tmp_path / 'out.jsonl'}"
    )
    assert [model.samples(task) for task in tasks_of("a", "b", "c").values()] == [2, 2, 2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"error": {"message": "broken"}}, "broken"),
        ({"error": {"no": "message"}}, "the sample ended in an error"),
        ({"text": None}, "the sample has no output"),
        ({"text": None, "limit": {"type": "token", "limit": 9}}, "stopped by Inspect's token limit before"),
        ({"invalidation": {"author": "me"}}, "the sample was invalidated"),
    ],
)
def test_errors_stay_errors(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    """An answer that was not given, or does not count, is an error: never an empty or a wrong answer."""
    imported = _one(tmp_path, sample("a", **changed), sample("b"))
    rows = {row["task_id"]: row for row in read_rows(tmp_path / "out.jsonl")}
    (reason,) = imported.errors

    assert (said in rows["a"]["error"], "text" in rows["a"], "completion" in rows["a"]) == (True, True, False)
    assert (said in reason, imported.errors[reason], imported.empty) == (True, 1, 0)


def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    """A model that was asked and said nothing has answered; it is counted apart."""
    imported = _one(tmp_path, sample("a", text=""))
    (row,) = read_rows(tmp_path / "out.jsonl")

    assert (row["completion"], imported.empty, imported.errors) == ("", 1, {})


def test_an_answer_under_a_limit_is_taken(tmp_path: Path) -> None:
    """A limit that was met after the model had answered changes nothing."""
    (row,) = _taken(tmp_path, sample("a", limit={"type": "time", "limit": 5}))

    assert row["completion"] == "    return x\n"


def test_answers_in_parts(tmp_path: Path) -> None:
    """Without a completion the parts of the message are joined; reasoning is left out, and noted."""
    given = sample("a")
    del given["output"]["completion"]
    given["output"]["choices"][0]["message"]["content"] = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "one"},
        {"type": "image", "image": "data:"},
        {"type": "text", "text": "two"},
    ]
    imported = _one(tmp_path, given)
    (row,) = read_rows(tmp_path / "out.jsonl")

    assert (row["completion"], len(imported.notes)) == ("one\ntwo", 1)
    assert "reasoning" in imported.notes[0]


@pytest.mark.parametrize("value", [None, 0.5, True, [1, 0], {"a": 1}, "x" * 999])
def test_recorded_scores_are_short_and_plain(value: Any, tmp_path: Path) -> None:
    """A number stays a number; what is large or nested is kept as a short text."""
    (row,) = _taken(tmp_path, sample("a", scores={"judge": {"value": value}}))
    kept = row["recorded_score"]["judge"]

    assert (
        kept == value if isinstance(value, float | bool | None) else (isinstance(kept, str), len(kept) <= 200)
    )


def test_a_score_that_is_no_number(tmp_path: Path) -> None:
    """Inspect writes NaN for an answer that was not scored; it becomes null."""
    (row,) = _taken(tmp_path, sample("a", scores={"judge": {"value": float("nan")}}))

    assert row["recorded_score"] == {"judge": None}


def test_old_logs_have_one_score(tmp_path: Path) -> None:
    """Before there could be several, a sample had a `score`."""
    given = sample("a", score={"value": "I"})
    del given["scores"]
    (row,) = _taken(tmp_path, given)

    assert row["recorded_score"] == {"score": "I"}


def test_recorded_scores_are_counted(tmp_path: Path) -> None:
    """The summary says how the log's own scorer judged, to compare with."""
    values = ["C", "I", "I"]
    imported = _one(tmp_path, *(sample("a", n, scores={"v": {"value": v}}) for n, v in enumerate(values, 1)))

    assert imported.recorded == {"v": {"I": 2, "C": 1}}


def test_a_log_that_did_not_end(tmp_path: Path) -> None:
    """Its answers are taken, and the summary says that it is not complete."""
    head = {**header(), "status": "error"}
    log = write_zip(tmp_path / "log.eval", [sample("a", 1), sample("b", 2)], head)
    (imported,) = import_inspect(log, tmp_path / "out.jsonl")

    assert imported.answers == 2
    assert imported.notes == [
        "incomplete evaluation: status error",
        "1 tasks lack an epoch; later epochs are renumbered",
    ]


def test_ids_are_checked_against_a_data_set(tmp_path: Path) -> None:
    """Answers to tasks that the data set lacks are left out and named, and so are tasks without answers."""
    data = humaneval(tmp_path)
    log = write_zip(tmp_path / "log.eval", [sample("Small/0"), sample("Small/1"), sample("Other/9")])
    (imported,) = import_inspect(log, tmp_path / "out.jsonl", aim=import_target("humaneval", str(data)))
    (dropped,) = imported.dropped

    assert [row["task_id"] for row in read_rows(tmp_path / "out.jsonl")] == ["Small/0", "Small/1"]
    assert (dropped.reason, dropped.answers, dropped.tasks) == (
        "not a task of the data set",
        1,
        ["Other/9"],
    )
    assert (imported.answers, imported.unanswered) == (2, ["Small/2"])
    assert "--exclude" not in imported.command
    assert f"run humaneval --data {data} " in imported.command


def test_ids_of_another_data_set(tmp_path: Path) -> None:
    """When none of the ids is known, nothing is written, and the hint has the nearest id."""
    data = humaneval(tmp_path)
    log = write_zip(tmp_path / "log.eval", [sample(0), sample(1)])
    with pytest.raises(DataError, match="none of its 2 tasks") as caught:
        import_inspect(log, tmp_path / "out.jsonl", aim=import_target("humaneval", str(data)))

    assert ("'Small/0'" in str(caught.value.hint), (tmp_path / "out.jsonl").exists()) == (True, False)


def test_integer_ids_match_as_text(tmp_path: Path) -> None:
    """Replay compares ids as text, and so does the check."""
    rows = [json.loads(line) for line in humaneval(tmp_path).read_text().splitlines()]
    (tmp_path / "tasks.jsonl").write_text(
        "".join(json.dumps({**r, "task_id": n}) + "\n" for n, r in enumerate(rows))
    )
    log = write_zip(tmp_path / "log.eval", [sample("0"), sample("1"), sample("2")])
    (imported,) = import_inspect(
        log, tmp_path / "out.jsonl", aim=import_target("humaneval", str(tmp_path / "tasks.jsonl"))
    )

    assert (imported.dropped, imported.unanswered) == ([], [])


def test_half_a_data_set_is_a_slip() -> None:
    """--data without --track cannot be read, nor the reverse."""
    with pytest.raises(UsageError) as no_track:
        import_target(None, "tasks.jsonl")
    with pytest.raises(UsageError) as no_data:
        import_target("humaneval", None)

    assert (no_track.value.hint, no_data.value.hint) == ("add --track TRACK", "add --data PATH")


def test_the_log_may_say_its_data_set(tmp_path: Path) -> None:
    """Where the log names a data set that is there, the command to paste has it."""
    data = humaneval(tmp_path)
    log = write_zip(tmp_path / "log.eval", [sample("a")], header(dataset={"location": str(data)}))
    (imported,) = import_inspect(log, tmp_path / "out.jsonl")

    assert f"--data {data} " in imported.command


def test_a_folder_of_several_models(tmp_path: Path) -> None:
    """One file each, named by the model, in the folder that --out names; what is no log is named."""
    names = ["openai/gpt", "openai gpt", "../../evil\x1b"]
    for number, name in enumerate(names):
        write_zip(tmp_path / f"logs/{number}.eval", [sample("a", text=name)], header(model=name))
    (tmp_path / "logs/logs.json").write_text("[]")
    (tmp_path / "out").mkdir()
    imported = import_inspect(tmp_path / "logs", tmp_path / "out")
    texts = {each.out: read_rows(Path(each.out))[0]["completion"] for each in imported}

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "evil-x1b.jsonl",
        "openai-gpt-2.jsonl",
        "openai-gpt.jsonl",
    ]
    assert sorted(texts.values()) == sorted(names)
    assert imported[0].notes == ["1 files in the folder are not Inspect logs: logs.json"]


def test_several_models_and_one_file(tmp_path: Path) -> None:
    """Answers of two models in one file would be taken for repetitions of one."""
    for name in ("a", "b"):
        write_zip(tmp_path / f"logs/{name}.eval", [sample("t")], header(model=name))
    with pytest.raises(UsageError, match="2 models: a, b") as caught:
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl")

    assert f"--out {tmp_path / 'out'}/" in str(caught.value.hint)


def test_two_logs_of_one_model(tmp_path: Path) -> None:
    """Whether the second is a retry or a further run only their owner knows."""
    for name in ("a", "b"):
        write_zip(tmp_path / f"logs/{name}.eval", [sample("t")])
    with pytest.raises(UsageError, match=r"two logs of the model some/model: .*a\.eval and .*b\.eval"):
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl")


def test_a_folder_of_several_tasks(tmp_path: Path) -> None:
    """--task chooses; without it, or with an unknown one, the hint lists what there is."""
    for name in ("mbpp", "humaneval"):
        write_document(tmp_path / f"logs/{name}.json", [sample("t", text=name)], header(task=name))
    with pytest.raises(UsageError, match="2 tasks: humaneval, mbpp") as several:
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl")
    with pytest.raises(UsageError, match="no log of the task nothing"):
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl", task="nothing")
    import_inspect(tmp_path / "logs", tmp_path / "out.jsonl", task="mbpp")

    assert several.value.hint == "choose one: --task humaneval"
    assert read_rows(tmp_path / "out.jsonl")[0]["completion"] == "mbpp"


def test_no_answers(tmp_path: Path) -> None:
    """A log without samples is an error, and an earlier file stays."""
    (tmp_path / "out.jsonl").write_text("earlier")
    with pytest.raises(DataError, match="contains no answers"):
        import_inspect(write_zip(tmp_path / "log.eval", []), tmp_path / "out.jsonl")

    assert (tmp_path / "out.jsonl").read_text() == "earlier"


def test_an_answer_that_no_reader_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row longer than the limit of every reader here is an error that says so, not a broken file."""
    monkeypatch.setattr("benchwright.interop.answer_import.MAX_LINE", 1000)
    imported = _one(tmp_path, sample("a", text="x" * 2000), sample("b"))
    rows = read_rows(tmp_path / "out.jsonl")

    assert ("longer than" in rows[0]["error"], rows[1]["completion"]) == (True, "    return x\n")
    assert sum(imported.errors.values()) == 1


def test_half_a_character(tmp_path: Path) -> None:
    """A lone surrogate, which no UTF-8 file can hold, becomes U+FFFD, also in names."""
    (row,) = _taken(tmp_path, sample("a", text="x\ud83d", scores={"\udc00": {"value": "\ud800"}}))

    assert (row["completion"], row["recorded_score"]) == ("x\ufffd", {"\ufffd": "\ufffd"})
