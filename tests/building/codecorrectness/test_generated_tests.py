"""A model writes tests: asked once, stored, read, counted; whatever it or its server does has a name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.codecorrectness import generated_tests
from benchwright.building.codecorrectness.options import BuildOptions, GeneratedTestOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import CorrectnessBuild, build
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import DataError, RunError, UsageError
from benchwright.executing.suite_runners import Runners
from benchwright.records import Answer, Drop, Task, TaskId
from benchwright.store.writing import read_records
from kit.fake_suites import FakeSuites
from kit.made_candidates import funnel_faults
from kit.made_repositories import MIT, cases_of, function, repository

_NAMES = ("alpha", "beta", "gamma")


class FakeModel:
    """Answers by the name of the file; `stop_after` answers the server is gone, "" is an error of it."""

    spec = "fake:writer"
    deterministic = False
    asked: list[str] = []
    replies: dict[str, str] = {}
    stop_after: int | None = None
    killed = False

    def identity(self) -> Mapping[str, Any]:
        """Its name, and where it stands."""
        return {"name": "writer", "base_url": "http://here:1/v1"}

    def samples(self, task: Task) -> int | None:
        """As many as asked."""
        return None

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """In reverse order, as any order is allowed."""
        for number, prompt in enumerate(reversed(list(prompts))):
            if number == FakeModel.stop_after:
                if FakeModel.killed:
                    raise KeyboardInterrupt
                return
            FakeModel.asked.append(prompt.key)
            name = str(prompt.task_id).partition(":")[2].partition(".")[0]
            text = FakeModel.replies.get(name, _reply(name)).replace("NUMBER", str(prompt.sample))
            error = None if text else "500: it broke"
            yield Answer(
                key=prompt.key, task_id=prompt.task_id, sample=prompt.sample, model=self.spec, text=text,
                error=error, finish_reason="stop",
            )  # fmt: skip


def _reply(name: str) -> str:
    return f"```python\n{cases_of(name, name, 'first_NUMBER', 'second_NUMBER')}```"


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = generated_tests.parse_model
    monkeypatch.setattr(
        generated_tests,
        "parse_model",
        lambda spec, **rest: FakeModel() if spec == "fake:writer" else real(spec, **rest),
    )
    yield
    FakeModel.asked.clear()
    FakeModel.replies, FakeModel.stop_after, FakeModel.killed = {}, None, False
    FakeSuites.executed.clear()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Three files without tests; the tests of one of them fail."""
    files = {f"{name}.py": function(name) for name in _NAMES[:2]}
    fails = {"gamma.py": function("gamma", remark="ends: assertion")}
    return repository(tmp_path / "clone", {"LICENSE": MIT, **files, **fails})


def _build(clone: Path, out: str = "out", model: str = "fake:writer", **more: Any) -> CorrectnessBuild:
    wanted = {name: more.pop(name) for name in ("tests", "files", "asking") if name in more}
    written = GeneratedTestOptions(model=model, **{"tests": 2, **wanted})
    options = BuildOptions(
        sources=(str(clone),), repeat=2, bounds=RowBounds(likeness=1.0), generate=written, **more
    )
    return build(options, clone.parent / out, runners=Runners(lambda lang: FakeSuites()))


def _rows(built: CorrectnessBuild) -> list[dict[str, Any]]:
    folder = Path(built.folder)
    files = [json.loads((folder / name).read_text()) for name in ("test.json", "shots.json")]
    return [row for document in files for row in document["data"]]


def _dropped(built: CorrectnessBuild, stage: str) -> dict[str, int]:
    return next(each.dropped for each in built.levels if each.stage == stage)


def _bytes(built: CorrectnessBuild) -> tuple[bytes, bytes]:
    return (Path(built.folder) / "test.json").read_bytes(), (Path(built.folder) / "shots.json").read_bytes()


def test_rows_say_who_wrote_their_test(clone: Path) -> None:
    """Subset, model, question and reply; a mutated row keeps its test's; the funnel adds up."""
    built = _build(clone)
    metas = [row["meta"] for row in _rows(built)]
    stored = (clone.parent / "out/replies/answers.jsonl").read_text().splitlines()
    replies = {json.loads(line)["key"] for line in stored}

    assert Counter(meta["subset"] for meta in metas) == {"generated": 4, "mutated": 4}
    assert Counter(row["outputs"] for row in _rows(built)) == {"failed": 4, "success": 4}
    assert {(meta["test_model"], meta["test_prompt"]) for meta in metas} == {("fake:writer", "write-tests-1")}
    assert {meta["test_reply"] for meta in metas} <= replies
    assert funnel_faults(built.levels) == []


def test_the_manifest_and_the_card_name_the_model(clone: Path) -> None:
    """With how many rows of the test set are its, and without where its server stood."""
    built = _build(clone)
    said, card = built.manifest["generated"], (clone.parent / "out/README.md").read_text()
    count = built.manifest["rows"]["test"]

    assert said == {
        "prompt": "write-tests-1",
        "tests_per_file": 2,
        "files": 40,
        "model": {"name": "writer"},
        "rows": {"fake:writer": count},
    }
    assert f"fake:writer ({count} rows)" in card
    assert "http://here" not in json.dumps(built.manifest) + card


def test_nothing_is_asked_twice(clone: Path) -> None:
    """The same command again asks nobody and leaves the same bytes."""
    first = _build(clone)
    asked = len(FakeModel.asked)
    again = _build(clone)

    assert (asked, len(FakeModel.asked), _bytes(again)) == (6, 6, _bytes(first))


@pytest.mark.parametrize("stop", [0, 1, 5])
def test_ended_in_the_middle_of_asking(clone: Path, stop: int) -> None:
    """What was stored is not asked again, and the rows are those of a build that was left alone."""
    whole = _build(clone, "whole")
    FakeModel.asked.clear()
    FakeModel.stop_after, FakeModel.killed = stop, True
    with pytest.raises(KeyboardInterrupt):
        _build(clone)
    stored = clone.parent / "out/replies/answers.jsonl"
    with stored.open("ab") as file:
        file.write(b'{"key": "torn')  # as a kill in the middle of a write leaves it
    FakeModel.stop_after = None
    again = _build(clone)

    assert (max(Counter(FakeModel.asked).values()), len(FakeModel.asked)) == (1, 6)
    assert _bytes(again) == _bytes(whole)


def test_a_model_that_repeats_itself_is_asked_once(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At temperature 0 a second test file would be all votes would be equal, paid for."""
    monkeypatch.setattr(FakeModel, "deterministic", True)
    built = _build(clone)

    assert (len(FakeModel.asked), built.manifest["generated"]["tests_per_file"]) == (3, 1)


def test_stored_replies_give_the_same_rows(clone: Path) -> None:
    """Byte for byte, from the folder of replies, with no model."""
    first = _build(clone)
    asked = len(FakeModel.asked)
    again = _build(clone, "again", f"replay:{clone.parent / 'out/replies'}")

    assert (_bytes(again), len(FakeModel.asked)) == (_bytes(first), asked)
    assert again.manifest["generated"]["model"]["scheme"] == "replay"


def test_stored_replies_to_some_files(clone: Path) -> None:
    """A file that they lack is a drop; a file that is not asked about any more is no error."""
    _build(clone)
    kept = clone.parent / "kept.jsonl"
    lines = (clone.parent / "out/replies/answers.jsonl").read_text().splitlines(keepends=True)
    kept.write_text("".join(line for line in lines if "gamma.py" not in line))
    built = _build(clone, "again", f"replay:{kept}")
    fewer = BuildOptions(
        sources=(str(clone),),
        repeat=2,
        bounds=RowBounds(focal_chars=145),
        generate=GeneratedTestOptions(model=f"replay:{clone.parent / 'out/replies'}"),
    )
    small = build(fewer, clone.parent / "small", runners=Runners(lambda lang: FakeSuites()))

    assert _dropped(built, "write") == {"no_reply": 1}
    assert _dropped(small, "focal") == {"focal_too_large": 1}
    assert funnel_faults(built.levels) == funnel_faults(small.levels) == []


def test_stored_replies_to_other_code(clone: Path) -> None:
    """They are refused: a test is for the code that its writer saw."""
    stored = clone.parent / "stored.jsonl"
    stored.write_text(json.dumps({"task_id": "clone:alpha.py@00000000", "text": "x"}) + "\n")

    with pytest.raises(DataError, match=r"it names clone:alpha\.py@00000000"):
        _build(clone, model=f"replay:{stored}")


def test_replies_that_hold_no_tests(clone: Path) -> None:
    """Each is a drop with its reason and the key of the reply; the rest of the build goes on."""
    FakeModel.replies = {"alpha": "No.", "beta": "```java\nclass X { }\n```"}
    with pytest.raises(DataError, match="no row left"):
        _build(clone)  # the tests of the third file all fail
    drops = list(read_records(clone.parent / "out/stages/4-write.dropped.jsonl", Drop))

    assert Counter(drop.reason for drop in drops) == {"reply_without_code": 2, "reply_other_language": 2}
    assert {FakeModel.asked.count(drop.detail[-33:-1]) for drop in drops} == {1}


def test_a_test_of_something_else(clone: Path) -> None:
    """Tests that do not reach the file under test, or repeat it, end in the filter."""
    FakeModel.replies = {"alpha": "```python\ndef test_x():\n    y = 1\n    assert y == 1\n```"}
    built = _build(clone)

    assert _dropped(built, "filter") == {"layout_no_import": 2}


def test_what_the_server_failed_at_is_asked_again(clone: Path) -> None:
    """A failure is a drop; the next run of the command asks that question and no other."""
    FakeModel.replies = {"beta": ""}
    first = _build(clone)
    FakeModel.replies, before = {}, len(FakeModel.asked)
    second = _build(clone)

    assert (_dropped(first, "write"), _dropped(second, "write")) == ({"model_error": 2}, {})
    assert (len(FakeModel.asked) - before, funnel_faults(second.levels)) == (2, [])


def test_a_server_that_gives_nothing(clone: Path) -> None:
    """Is one error with its words, not a build of what happens to be there."""
    FakeModel.replies = dict.fromkeys(_NAMES, "")
    with pytest.raises(RunError, match="gave no answer to any of 6 questions: 500: it broke"):
        _build(clone)


def test_questions_that_were_not_asked(clone: Path) -> None:
    """A part of the replies makes no data set: later the same command would make another."""
    FakeModel.stop_after = 2
    with pytest.raises(RunError, match="4 of 6 questions not asked"):
        _build(clone)

    assert not (clone.parent / "out/test.json").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "gold:"}, "this model needs a data set"),
        ({"model": "nothing"}, "has no scheme"),
        ({"tests": 0}, "--tests-per-file 0"),
        ({"files": 0}, "--files-asked 0"),
        ({"asking": RequestOptions(temperature=-1.0)}, "--temperature"),
    ],
)
def test_what_cannot_be_meant(clone: Path, given: dict[str, Any], said: str) -> None:
    """It is refused before anything is written."""
    with pytest.raises(UsageError, match=said):
        _build(clone, **given)

    assert not (clone.parent / "out").exists()


def test_another_model_needs_another_folder(clone: Path) -> None:
    """Tests of two models are never mixed unseen; a build without a model is another one, too."""
    _build(clone)
    for other in (GeneratedTestOptions(model="fake:writer", tests=3), None):
        options = BuildOptions(
            sources=(str(clone),), repeat=2, bounds=RowBounds(likeness=1.0), generate=other
        )
        with pytest.raises(RunError, match="holds another build"):
            build(options, clone.parent / "out", runners=Runners(lambda lang: FakeSuites()))


def test_a_build_without_a_model_says_nothing_of_one() -> None:
    """Its identity is what it was before there were models, so its folder goes on."""
    assert "generate" not in BuildOptions(sources=("x",)).identity()


def test_a_repositorys_own_tests_stay_original(clone: Path) -> None:
    """With a model beside them, rows of both are there, and each kind is balanced by itself."""
    own = {"delta.py": function("delta"), "test_delta.py": cases_of("delta", "delta", "small")}
    others = {"alpha.py": function("alpha"), "gamma.py": function("gamma", remark="ends: assertion")}
    both = repository(clone.parent / "both", {"LICENSE": MIT, **own, **others})
    built = _build(both)
    (balanced,) = (clone.parent / "out/stages").glob("*-balance.jsonl")
    stored = read_records(balanced, Candidate)
    counts = Counter((row.written is not None, row.label) for row in stored)

    assert counts[False, "success"] == counts[False, "failed"] == 1
    assert counts[True, "success"] == counts[True, "failed"] > 0
    assert sum(built.manifest["generated"]["rows"].values()) < built.manifest["rows"]["test"]
