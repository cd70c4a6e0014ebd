"""Weights: which models a program loads and as what, and the state of an entry once twins were made or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from benchwright.building.aicodereval.admission import Tier, tier_of
from benchwright.building.aicodereval.draft_records import Draft, ExaminedDraft, code_of
from benchwright.building.aicodereval.model_twins import ModelLoad, loads_of, requests_of, with_stand_ins
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.contracts import Decision
from benchwright.tracks.aicodereval.entry import Weights
from benchwright.tracks.aicodereval.stand_in_models import TwinRequest, make_stand_ins
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft

CASES = [
    case("text", NORMAL, ["good"], value="A"),
    case("empty", EDGE, [""], raises="ValueError"),
    case("other", RIGHT, ["bad"], value="B"),
]
PIPELINE = ("from transformers import pipeline",)
LABELS = "return pipeline('text-classification', model='sst')(text)[0]['label']"


def loading(body: str, *imports: str, name: str = "loads", **more: Any) -> Draft:
    """A draft in the profile of models."""
    return draft(name, "def f(text):", body, CASES, imports=imports, environment="torch", **more)


@pytest.mark.parametrize(
    ("imports", "body", "expected"),
    [
        (PIPELINE, LABELS, [ModelLoad("sst", "text-classification")]),
        (PIPELINE, "return pipeline('ner', 'a/b')(text)", [ModelLoad("a/b", "token-classification")]),
        (PIPELINE, "return pipeline(task='fill-mask', model='a/b')(text)", [ModelLoad("a/b", "")]),
        (PIPELINE, "return pipeline('ner', text)(text)", [ModelLoad("own", "token-classification")]),
        (
            ("import transformers as t",),
            "name = 'q'\nt.AutoTokenizer.from_pretrained(name)\n"
            "return t.AutoModelForQuestionAnswering.from_pretrained(name)",
            [ModelLoad("q", "any"), ModelLoad("q", "question-answering")],
        ),
        (
            ("from transformers import BertModel",),
            "return BertModel.from_pretrained('b')",
            [ModelLoad("b", "feature-extraction")],
        ),
        (
            ("import torch",),
            "return torch.hub.load('o/r:v1', model='net')",
            [ModelLoad("o/r:v1", "torch-hub", "net")],
        ),
        (("import torch",), "return torch.load(text)", []),
    ],
)
def test_what_a_program_loads(imports: tuple[str, ...], body: str, expected: list[ModelLoad]) -> None:
    """By the call's full name; an id that is no text there is the entry's own model."""
    one = loading(body, *imports, model="own")

    assert loads_of(one.entry, code_of(one)) == expected


def test_one_request_for_all_programs_of_an_id() -> None:
    """Its inputs are a group for each, without those of edge cases; torch.hub's entry points stand together."""
    one = loading(LABELS, *PIPELINE)
    text, any_ = ModelLoad("sst", "text-classification"), ModelLoad("sst", "any")
    hub = [ModelLoad("o/r", "torch-hub", name) for name in ("b", "a")]
    requests = requests_of([(one, [any_, *hub]), (one, [text, ModelLoad("none", "")])])

    assert requests == [
        TwinRequest(id="o/r#a,b", kind="torch-hub"),
        TwinRequest(id="sst", kind="text-classification", inputs=[["good", "bad"], ["good", "bad"]]),
    ]


def made(*bodies: str, refused: Mapping[str, str] | None = None) -> list[ExaminedDraft]:
    """Drafts that went through, with a maker that refuses what the test says."""
    drafts = [loading(each, *PIPELINE, name=f"d{at}") for at, each in enumerate(bodies)]

    def make(requests: Sequence[TwinRequest]) -> Mapping[str, str]:
        assert requests
        return refused or {}

    return with_stand_ins([ExaminedDraft(draft=each) for each in drafts], make)


def test_an_entry_with_twins_runs_on_stand_ins() -> None:
    """What was made for it stands in its admission."""
    [found] = made(LABELS)

    assert found.draft.entry.weights is Weights.stand_in
    assert found.decisions["twins"] == Decision(evidence={"stand_ins": {"sst": "text-classification"}})


def test_an_entry_says_how_its_stand_ins_are_made() -> None:
    """So that whoever runs the release makes the same: the request that comes of it is the build's own."""
    [found, other] = made(LABELS, LABELS.replace("[0]", "[-1]"))
    asked: list[TwinRequest] = []

    def make(requests: Sequence[TwinRequest]) -> Mapping[str, str]:
        asked.extend(requests)
        return {}

    make_stand_ins([found.draft.entry], note=str, make=make)
    drafts = [(each.draft, [ModelLoad("sst", "text-classification")]) for each in (found, other)]
    assert asked == requests_of(drafts)
    assert asked[0].inputs == [["good", "bad"], ["good", "bad"]]


@pytest.mark.parametrize(
    ("body", "refused", "detail"),
    [
        (LABELS, {"sst": "no two vary"}, "no two vary"),
        ("return pipeline('fill-mask', 'mlm')(text), pipeline('ner', 'n')", {}, "no stand-in for mlm"),
        ("return pipeline('ner', 'a')(text), pipeline('text-generation', 'a')", {}, "no stand-in for a,"),
    ],
)
def test_an_id_without_twins(body: str, refused: dict[str, str], detail: str) -> None:
    """It is neither validated nor dropped, whatever the reason: none was made, none can be, or another kind was."""
    [found] = made(body, refused=refused)

    assert (found.draft.entry.weights, tier_of(found, EntryBounds())) == (
        Weights.unverified,
        Tier.unverified_weights,
    )
    assert detail in found.decisions["twins"].detail


def test_what_loads_nothing_is_left_alone() -> None:
    """A program without a model, one of another profile, and one whose library is missing ask for no twins."""
    plain = ExaminedDraft(draft=loading("return text", "import torch"))
    bare = ExaminedDraft(draft=draft("bare", "def f(text):", LABELS, CASES, imports=PIPELINE))
    absent = ExaminedDraft(
        draft=loading(LABELS, *PIPELINE), decisions={"imports": Decision(reason="env_missing")}
    )

    def never(requests: Sequence[TwinRequest]) -> Mapping[str, str]:
        raise AssertionError(requests)

    assert with_stand_ins([plain, bare, absent], never) == [plain, bare, absent]
