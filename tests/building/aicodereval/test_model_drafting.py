"""Drafts by a model: each script to its end or to a named drop, nothing asked twice, replies enough to rebuild."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.aicodereval import model_drafting
from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.model_drafting import Drafter, ModelDrafting
from benchwright.contracts import CaseLevel, RequestOptions
from benchwright.errors import RunError, UsageError
from benchwright.executing.pool import Pool
from benchwright.executing.trials import Trials
from benchwright.progress import Silent
from benchwright.records import Drop
from benchwright.sources.model_records import ModelRecord
from benchwright.stub_server import Script, StubServer
from benchwright.stub_server.behaviour import ScriptRow
from benchwright.tracks.aicodereval.entry import Domain
from kit.drafting_kit import GOOD, INPUTS, SOLUTION, SOLVE, WORDS, StepModel, case, record

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One executor for all tests here."""
    with Pool() as opened:
        yield opened


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, StepModel]:
    """What each `steps:NAME` opens; other specs open as ever."""
    made: dict[str, StepModel] = {}
    real = model_drafting.parse_model
    monkeypatch.setattr(
        model_drafting,
        "parse_model",
        lambda spec, **rest: made[spec] if spec in made else real(spec, **rest),
    )
    monkeypatch.setattr(model_drafting, "check_name", lambda option, name: None)
    return made


class Drafting:
    """Drafts into a folder, with a model made for the test."""

    def __init__(self, folder: Path, pool: Pool, models: dict[str, StepModel]) -> None:
        self.folder, self._pool, self._models = folder, pool, models

    def __call__(
        self, model: StepModel | str, *records: ModelRecord, reviewer: StepModel | None = None, **options: Any
    ) -> list[Draft | Drop]:
        """What becomes of the records; of one where none is named."""
        for each in (model, reviewer):
            if isinstance(each, StepModel):
                self._models[each.spec] = each
        given = ModelDrafting(
            model=model if isinstance(model, str) else model.spec,
            reviewer=reviewer.spec if reviewer else "",
            **options,
        )
        with Trials(self.folder / "trials.jsonl", self._pool) as trials:
            drafter = Drafter(given)
            return list(drafter.draft(records or [record()], self.folder, trials, Silent()))


@pytest.fixture
def drafts(tmp_path: Path, pool: Pool, models: dict[str, StepModel]) -> Drafting:
    """Drafting into an empty folder."""
    return Drafting(tmp_path, pool, models)


def _one(found: list[Draft | Drop]) -> Draft:
    [draft] = found
    assert isinstance(draft, Draft), draft
    return draft


def _dropped(found: list[Draft | Drop]) -> tuple[str, str]:
    [drop] = found
    assert isinstance(drop, Drop)
    return drop.reason, drop.detail


def test_a_draft(drafts: Drafting) -> None:
    """Solution, inputs, outputs found by execution, words, and a blind solve that agrees."""
    model = StepModel()
    draft = _one(drafts(model))
    entry = draft.entry

    assert model.steps() == ["solution", "inputs", "words", "solve"]
    assert [(each.name, each.level, each.expected.raises) for each in entry.cases] == [
        ("two", CaseLevel.normal, ""),
        ("none", CaseLevel.edge_case, "ValueError"),
        ("three", CaseLevel.correctness, ""),
    ]
    assert entry.cases[0].expected.value == [0.5, 0.5]
    assert entry.cases[0].expected.rel_tol > 0
    assert (entry.domain, entry.created, entry.description) == (
        Domain.nlp,
        "2026-01-02",
        WORDS["description"],
    )
    assert draft.alternatives == [SOLVE["program"]]
    assert (draft.licence, draft.lineage["source"], draft.lineage["repairs"]) == ("MIT", "cards:acme/tiny", 0)
    assert draft.lineage["drafted_by"] == "steps:author"
    assert len(draft.lineage["replies"]) == 4


def test_what_a_model_is_told(drafts: Drafting) -> None:
    """The conversation goes on to the words; whoever solves blindly sees the task and nothing else."""
    model = StepModel()
    draft = _one(drafts(model))
    solution, inputs, words, solve = model.asked

    assert "pipeline('text-classification')" in solution.text and "Python 3" in solution.text
    assert [message.role for message in inputs.history] == ["user", "assistant"]
    assert len(words.history) == 4
    assert "called with ([1.0, 1.0]) gives [0.5, 0.5]" in words.text
    assert "raises ValueError" in words.text
    assert solve.history == ()
    assert draft.entry.docstring.splitlines()[0] in solve.text
    assert "0.5" not in solve.text and "math.exp" not in solve.text
    assert all(prompt.schema is not None for prompt in model.asked)


def test_a_model_of_plain_texts(drafts: Drafting) -> None:
    """It is told conversation and form in the text, and may put its JSON into a fence."""
    fenced = {step: f"Here:\n```json\n{json.dumps(each)}\n```\n" for step, each in GOOD.items()}
    model = StepModel(**fenced)
    model.takes = frozenset()
    _one(drafts(model))

    inputs = model.asked[1]
    assert (inputs.history, inputs.schema) == ((), None)
    assert inputs.text.startswith("USER:\nWrite one Python function")
    assert "\n\nASSISTANT:\nHere:" in inputs.text
    assert "by this JSON schema" in inputs.text


def test_a_repair_with_the_traceback(drafts: Drafting) -> None:
    """What went wrong is told, and what comes back is executed like the first."""
    broken = {**SOLUTION, "implementation": "    return [each / 0 for each in logits]"}
    mended = {"analysis": "It divided by zero.", **SOLUTION, **INPUTS}
    model = StepModel(solution=broken, repair_1=mended)
    draft = _one(drafts(model))

    assert model.steps() == ["solution", "inputs", "repair-1", "words", "solve"]
    assert "raised ZeroDivisionError: " in model.asked[2].text and "(line 5)" in model.asked[2].text
    assert draft.lineage["repairs"] == 1
    assert draft.entry.implementation == SOLUTION["implementation"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"implementation": "    return {'a': object()}"}, "Unsendable"),
        ({"implementation": "    return float('nan')"}, "no number that is asked for"),
        ({"implementation": "    import time\n    return time.perf_counter_ns()"}, "another execution"),
        ({"implementation": "    return 'x' * 30000"}, "its result is too large"),
        ({"implementation": "    class Own(Exception): pass\n    raise Own"}, "only edge cases may raise"),
        ({"implementation": "    return ["}, "cannot be executed: syntax_error"),
        ({"imports": ["import no_such_library"]}, "no_such_library"),
        ({"signature": "def softmax(logits)"}, "the signature is not the head of a function"),
    ],
)
def test_what_no_repair_mends(drafts: Drafting, changed: dict[str, str], said: str) -> None:
    """After so many repairs as are allowed the record is a drop that says what went wrong."""
    broken = {**SOLUTION, **changed}
    again = {"analysis": "?", **broken, **INPUTS}
    model = StepModel(solution=broken, repair_1=again, repair_2=again)
    reason, detail = _dropped(drafts(model, repairs=2))

    assert reason == "not_repaired"
    assert said in detail
    assert model.steps() == ["solution", "inputs", "repair-1", "repair-2"]


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([case("a", "normal", [1.0])] * 3, "duplicate case name 'a'"),
        ([case(name, "normal", [1.0]) for name in "abc"], "no case of level edge_case, correctness"),
        ([*INPUTS["cases"], case("x", "normal", {"$literal": "1 +"})], "$literal"),
    ],
)
def test_inputs_that_are_none(drafts: Drafting, cases: list[Any], said: str) -> None:
    """They are told like any fault, and can be mended."""
    mended = {"analysis": "", **SOLUTION, **INPUTS}
    model = StepModel(inputs={"cases": cases}, repair_1=mended)
    _one(drafts(model))

    assert said in model.asked[2].text


@pytest.mark.parametrize(
    "reply", ["no JSON", '{"libraries": []', '{"libraries": 1}', {**SOLUTION, "more": 1}, "[" * 10_000, ""]
)
def test_one_more_try_at_the_form(drafts: Drafting, reply: Any) -> None:
    """A reply that does not fit is asked for once more with the reason; a second one ends the record."""
    model = StepModel(solution=reply, solution_again=SOLUTION)
    _one(drafts(model))
    assert model.steps()[:2] == ["solution", "solution-again"]
    assert "That reply cannot be used: " in model.asked[1].text
    assert [message.role for message in model.asked[1].history] == ["user", "assistant"]


def test_no_more_tries_at_the_form(drafts: Drafting) -> None:
    """The drop says which step, and has the keys of the replies."""
    [drop] = drafts(StepModel(solution="x", solution_again="y"))

    assert isinstance(drop, Drop)
    assert (drop.reason, drop.detail[:10]) == ("reply_unusable", "solution: ")
    assert len(drop.evidence["replies"]) == 2


def test_words_must_say_what_is_raised(drafts: Drafting) -> None:
    """A docstring without an exception that a case asks for is asked for again; so is one that is empty."""
    for words in ({**WORDS, "docstring": "Probabilities."}, {**WORDS, "description": " "}):
        model = StepModel(words=words, words_again=WORDS)
        drafts.folder /= "more"
        drafts.folder.mkdir()
        assert _one(drafts(model)).entry.docstring == WORDS["docstring"]


def test_a_blind_solve_that_disagrees(drafts: Drafting) -> None:
    """It is no alternative; how it ended stands in the lineage, for the task may say too little."""
    draft = _one(drafts(StepModel(solve={"program": "def softmax(logits):\n    return logits\n"})))

    assert draft.alternatives == []
    assert draft.lineage["blind_solve"]["outcome"] == "wrong"
    assert "blind_solve" not in _one(drafts(StepModel(), solves=False)).lineage


def test_a_blind_solve_without_a_program(drafts: Drafting) -> None:
    """The draft stands without one."""
    draft = _one(drafts(StepModel(solve="?", solve_again="!")))

    assert (draft.alternatives, draft.lineage["blind_solve"]["outcome"]) == ([], "reply_unusable")


def test_a_reviewer(drafts: Drafting) -> None:
    """Another model sees entry and tests, and may refuse it; its replies are a folder of their own."""
    author, reviewer = StepModel(), StepModel("critic")
    draft = _one(drafts(author, reviewer=reviewer))
    assert draft.lineage["review"] == {"verdict": "accept", "faults": []}
    assert (reviewer.steps(), author.steps()) == (["review"], ["solution", "inputs", "words", "solve"])
    assert SOLUTION["implementation"] in reviewer.asked[0].text
    assert (drafts.folder / "reviews/answers.jsonl").exists()

    drafts.folder /= "second"
    drafts.folder.mkdir()
    critic = StepModel("critic", review={"verdict": "reject", "faults": ["It is dull."]})
    assert _dropped(drafts(StepModel(), reviewer=critic)) == ("review_rejected", "It is dull.")


def test_many_records_side_by_side(drafts: Drafting) -> None:
    """Each round asks all at once; results come in the order of the records, one for each."""
    records = [record(f"acme/m{number}") for number in range(5)]
    model = StepModel()
    found = drafts(model, *records)

    assert [each.entry.model for each in found if isinstance(each, Draft)] == [each.id for each in records]
    assert model.steps()[:10] == ["solution"] * 5 + ["inputs"] * 5


def test_stored_replies_rebuild_everything(drafts: Drafting, tmp_path: Path) -> None:
    """From the replies alone, in another folder and without a model, to the byte."""
    broken = {**SOLUTION, "implementation": "    return 1 / 0"}
    model = StepModel(solution=broken, repair_1="?", repair_1_again={"analysis": "", **SOLUTION, **INPUTS})
    records = [record("acme/a"), record("acme/b")]
    found = drafts(model, *records)
    drafts.folder = tmp_path / "again"
    drafts.folder.mkdir()
    again = drafts(f"replay:{tmp_path}/replies/answers.jsonl", *records)

    assert msgspec.json.encode(again) == msgspec.json.encode(found)
    lines = [(tmp_path / part / "answers.jsonl").read_bytes() for part in ("replies", "again/replies")]
    assert lines[0] == lines[1]


def test_stored_replies_that_lack_some(drafts: Drafting, tmp_path: Path) -> None:
    """A record without them is a drop, and the others go on."""
    drafts(StepModel(), record("acme/a"))
    drafts.folder = tmp_path / "again"
    drafts.folder.mkdir()
    known, unknown = drafts(f"replay:{tmp_path}/replies/answers.jsonl", record("acme/a"), record("acme/b"))

    assert isinstance(known, Draft) and isinstance(unknown, Drop)
    assert unknown.reason == "model_error" and "holds no reply" in unknown.detail


@pytest.mark.parametrize("after", [0, 1, 3, 4, 6, 7])
def test_ended_and_taken_up(drafts: Drafting, tmp_path: Path, after: int) -> None:
    """Ended after any answer, the same call goes on: nothing is asked twice, and the drafts are the same."""
    records = [record("acme/a"), record("acme/b")]
    model = StepModel()
    model.stops_after = after
    with pytest.raises(KeyboardInterrupt):
        drafts(model, *records)
    model.stops_after = 10**9
    found = drafts(model, *records)
    assert len(model.asked) == 8 == len({prompt.key for prompt in model.asked})

    drafts.folder = tmp_path / "whole"
    drafts.folder.mkdir()
    assert msgspec.json.encode(drafts(StepModel(), *records)) == msgspec.json.encode(found)
    lines = [(tmp_path / part / "answers.jsonl").read_bytes() for part in ("replies", "whole/replies")]
    assert lines[0] == lines[1]


def test_a_server_that_fails(drafts: Drafting) -> None:
    """At one step of one record that is a drop to try again; at all of the first, the build ends."""
    model = StepModel(words=None)
    assert _dropped(drafts(model)) == ("model_error", "500: it broke")
    model.replies["words"] = WORDS
    _one(drafts(model))
    drafts.folder /= "other"
    drafts.folder.mkdir()
    with pytest.raises(RunError, match="gave no answer to any of 1 question:"):
        drafts(StepModel(solution=None))


def test_a_served_model_and_its_budget(drafts: Drafting) -> None:
    """Through the client for servers: a spent budget ends the build, and a higher one goes on from there."""
    turns = {"Write one": SOLUTION, "write inputs": INPUTS, "write the task": WORDS, "Complete": SOLVE}
    rows = [ScriptRow(contains="", turn=turn, completions=[json.dumps(each)]) for turn, each in turns.items()]
    records = [record(f"acme/m{number}") for number in range(3)]
    with StubServer(Script(rows=rows), faults=["500:every=5"]) as server:

        def drafted(budget: float) -> list[Draft | Drop]:
            prices = {"price_in": 1000.0, "price_out": 1000.0, "budget": budget}
            asking = RequestOptions(
                base_url=server.base_url, temperature=0.0, concurrency=1, retries=3, **prices
            )
            return drafts("openai:stub", *records, asking=asking)

        with pytest.raises(RunError, match=r"questions not asked|budget"):
            drafted(1.5)
        kept = (drafts.folder / "replies/answers.jsonl").read_text().splitlines()
        found = drafted(1000.0)
    stored = (drafts.folder / "replies/answers.jsonl").read_text().splitlines()

    assert 0 < len(kept) < len(stored) == 12
    assert set(kept) <= set(stored)
    assert [each.entry.model for each in found if isinstance(each, Draft)] == [each.id for each in records]


def test_tokens_are_kept(drafts: Drafting) -> None:
    """Every reply in the folder says what it cost, as a run's do."""
    drafts(StepModel())
    stored = [json.loads(line) for line in (drafts.folder / "replies/answers.jsonl").read_text().splitlines()]

    assert [each["task_id"].partition("#")[2] for each in stored] == ["solution", "inputs", "words", "solve"]
    assert sum(each["tokens_in"] for each in stored) == 40


def test_what_decides(models: dict[str, StepModel]) -> None:
    """Models, prompts, environment and rules are the identity of a build's drafts."""
    models["steps:a"] = StepModel("a")
    identity = Drafter(ModelDrafting(model="steps:a")).identity()

    assert identity["models"] == [{"name": "steps:a"}]
    assert identity["installed"]["python"]
    assert identity != Drafter(ModelDrafting(model="steps:a", repairs=1)).identity()
    with pytest.raises(UsageError, match="a build has none"):
        Drafter(ModelDrafting(model="gold:"))
