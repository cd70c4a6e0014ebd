"""`transformers:PATH` without its libraries: what is settled before weights are loaded, and with a small engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.asking.parameters import seed_of
from benchwright.contracts import RequestOptions
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, UsageError
from benchwright.models import transformers
from benchwright.models.engine import LocalCompletion
from benchwright.models.spec import parse_model
from benchwright.models.transformers import LocalModel, folder_hash, open_model
from benchwright.records import Answer
from benchwright.tracks.functions.ruhumaneval import TRACK
from kit.model_tasks import prompts_of, tasks_of

PROMPTS = prompts_of([("a", 0), ("a", 1), ("b", 0)])
TASKS = tasks_of("a", "b")


class Engine:
    """Says one text, or fails; remembers what it was asked."""

    def __init__(
        self, text: str = "return 1", *, complete: bool = True, error: Exception | None = None
    ) -> None:
        self.text, self.complete, self.error = text, complete, error
        self.seeds: list[int] = []

    def draw(self, text: str, *, seed: int) -> LocalCompletion:
        self.seeds.append(seed)
        if self.error is not None:
            raise self.error
        return LocalCompletion(self.text, len(text), len(self.text), self.complete)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a model."""
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text("{}")
    return tmp_path / "tiny"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries are there, as far as anyone looks."""
    monkeypatch.setattr(transformers, "find_spec", lambda name: name)


def local(folder: Path, engine: Engine, **asking: Any) -> LocalModel:
    """A model with a small engine."""
    return LocalModel(folder, asking=RequestOptions(**asking), temperature=0.8, load=lambda: engine)


def answers(model: LocalModel) -> list[Answer]:
    """All answers to the prompts."""
    return list(model.answer(iter(PROMPTS), TASKS))


def test_each_answer_is_drawn_with_its_own_seed(folder: Path) -> None:
    """A seed follows from the run's seed and the prompt's key, and is stored with the answer."""
    engine = Engine()
    given = answers(local(folder, engine, seed=7))
    expected = [seed_of(7, prompt.key) for prompt in PROMPTS]

    assert (engine.seeds, [answer.seed for answer in given], len(set(expected))) == (expected, expected, 3)


def test_an_answer_says_all_that_is_known(folder: Path) -> None:
    """Key, task, sample, text, tokens and why it ended."""
    answer = answers(local(folder, Engine("return 1")))[1]

    assert answer == Answer(
        key="a-1",
        task_id="a",
        sample=1,
        model="transformers:tiny",
        text="return 1",
        prompt="base",
        seed=seed_of(1234, "a-1"),
        finish_reason="stop",
        tokens_in=1,
        tokens_out=8,
    )


ENDS = {
    "ended by the model": ("x\n", True, ("x\n", "", "stop")),
    "cut off": ("x\n", False, ("x\n", "", "length")),
    "a stop string": ("x\ndef g", False, ("x", "\ndef g", "stop")),
}


@pytest.mark.parametrize(("text", "complete", "expected"), ENDS.values(), ids=ENDS)
def test_an_answer_ends(folder: Path, text: str, complete: bool, expected: tuple[str, str, str]) -> None:
    """At a stop string, which goes into the tail, by itself, or at the token limit."""
    answer = answers(local(folder, Engine(text, complete=complete), stop=("\ndef",)))[0]

    assert (answer.text, answer.tail, answer.finish_reason) == expected


@pytest.mark.parametrize(
    "error", [RuntimeError("no memory"), ValueError("too long"), IndexError("out of range")]
)
def test_a_failed_generation_is_no_answer(folder: Path, error: Exception) -> None:
    """The answer has an error, so it is missing and not wrong; other prompts are still generated."""
    given = answers(local(folder, Engine(error=error)))

    assert [answer.error for answer in given] == [f"{type(error).__name__}: {error}"] * 3


def test_weights_are_not_loaded_for_nothing(folder: Path) -> None:
    """A run whose answers are all there costs no load."""

    def load() -> Engine:
        raise AssertionError("loaded")

    model = LocalModel(folder, asking=RequestOptions(), temperature=0.8, load=load)

    assert list(model.answer(iter(()), TASKS)) == []


def test_what_decides_the_answers_is_in_the_identity(folder: Path, installed: None) -> None:
    """Each parameter that changes a text changes the identity; how fast it goes does not."""
    changes: list[dict[str, Any]] = [
        {"temperature": 0.1},
        {"top_p": 0.5},
        {"max_tokens": 5},
        {"stop": ("x",)},
        {"seed": 5},
        {"api": "completions"},
    ]
    plain = open_model(str(folder), asking=RequestOptions()).identity()
    changed = [open_model(str(folder), asking=RequestOptions(**change)).identity() for change in changes]
    faster = open_model(str(folder), asking=RequestOptions(concurrency=64)).identity()

    assert plain == faster
    assert len({repr(identity) for identity in [plain, *changed]}) == 7


def test_the_temperature_is_the_tracks_when_none_is_given(folder: Path, installed: None) -> None:
    """And a model that is asked at temperature 0 is deterministic."""
    own = parse_model(f"transformers:{folder}", track=TRACK, asking=RequestOptions())
    cold = parse_model(f"transformers:{folder}", track=TRACK, asking=RequestOptions(temperature=0))

    assert own.identity()["temperature"] == TRACK.temperature
    assert (own.deterministic, cold.deterministic) == (False, True)


def test_a_model_makes_as_many_answers_as_asked(folder: Path, installed: None) -> None:
    """It holds none, so it sets no n."""
    assert open_model(str(folder)).samples(TASKS["a"]) is None


def test_the_extra_is_named_when_it_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and the command that installs it."""
    monkeypatch.setattr(transformers, "find_spec", lambda name: None)
    with pytest.raises(PrerequisiteError) as caught:
        open_model(str(folder))

    assert (caught.value.message, caught.value.hint) == (
        "`transformers:` needs torch and transformers",
        "pip install 'benchwright[transformers]'",
    )


WRONG = {
    "no folder": ("", {}, UsageError, "needs a folder"),
    "a hub's name": ("owner/name", {}, UsageError, "models are not fetched"),
    "not a model": (".", {}, DataError, "has no config.json"),
    "a request's field": ("tiny", {"body": {"top_k": 5}}, UsageError, "cannot take top_k"),
    "a server": ("tiny", {"base_url": "http://x/v1"}, UsageError, "has no --base-url"),
}


@pytest.mark.parametrize(("rest", "asking", "kind", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_done_is_refused(
    folder: Path,
    installed: None,
    monkeypatch: pytest.MonkeyPatch,
    rest: str,
    asking: dict[str, Any],
    kind: type[BenchwrightError],
    message: str,
) -> None:
    """With a hint, and before anything is loaded."""
    monkeypatch.chdir(folder.parent)
    with pytest.raises(kind) as caught:
        open_model(rest, asking=RequestOptions(**asking))

    assert (message in str(caught.value), bool(caught.value.hint)) == (True, True)


def test_the_hash_sees_every_byte_of_the_weights(folder: Path) -> None:
    """A fine-tuned model has the sizes of its base, so sizes would not do; hidden folders are no part."""
    hashes = []
    for content in (b"\0" * 100_000, b"\0" * 99_999 + b"\1"):
        (folder / "model.safetensors").write_bytes(content)
        hashes.append(folder_hash(folder))
    (folder / ".cache").mkdir()
    (folder / ".cache" / "lock").write_text("x")
    hashes.append(folder_hash(folder))
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    hashes.append(folder_hash(folder))

    assert (hashes[1] == hashes[2], len(set(hashes))) == (True, 3)
