"""The demo's drafts, cards and answers of AICoderEval. Nothing is executed here: the demo does."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from importlib import resources

import pytest

from benchwright.contracts.specs import CaseLevel
from benchwright.tracks.aicodereval.entry import faults_in, program_of
from demo_source.entries import body_of, cards, entries, program, refused_cards, refused_drafts, sound_drafts
from demo_source.entry_answers import PLANS, answers
from demo_source.make import entry_kinds, files

README = resources.files("benchwright.demo").joinpath("README.md").read_text("utf-8")
ENTRIES = entries()


def test_at_least_a_dozen_entries_over_seven_domains() -> None:
    """Each domain of AICoderEval has one, and no id is there twice."""
    domains = Counter(each.entry.domain.value for each in ENTRIES)

    assert (len(ENTRIES) >= 12, len(domains), "unmapped" in domains) == (True, 7, False)
    assert len({each.unit for each in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("draft", ENTRIES, ids=lambda draft: draft.unit)
def test_a_sound_entry(draft) -> None:  # type: ignore[no-untyped-def]
    """It has the form of an entry, cases at all three levels, and a wrong solution that is a program."""
    assert list(faults_in(draft.entry)) == []
    assert {case.level for case in draft.entry.cases} == set(CaseLevel)
    assert [ast.parse(each) is not None for each in draft.wrong.values()] == [True] * len(draft.wrong)
    assert draft.wrong != {}


def test_each_reason_refuses_one() -> None:
    """No reason is shown twice, but for the licence, which a draft and a card lack."""
    reasons = Counter([reason for reason, _ in refused_drafts().values()])

    assert set(reasons.values()) == {1}
    assert refused_cards() == {"grows-proteins": "no_template", "closed-box": "licence_not_allowed"}


def test_refused_drafts_have_ids_of_their_own() -> None:
    """So a refusal in a release says which draft it is about."""
    units = [*refused_drafts(), *(each.unit for each in ENTRIES)]

    assert len(set(units)) == len(units)


def test_cards_say_that_there_is_no_such_model() -> None:
    """Each is one file with its licence and its kind of task."""
    for name, text in cards().items():
        assert re.fullmatch(r"[a-z-]+\.md", name)
        assert ("There is no such model" in text, text.count("pipeline_tag: ")) == (True, 1)


def test_a_body_and_its_program() -> None:
    """What a program was made of is found in it again."""
    entry = sound_drafts()[0].entry

    assert body_of(entry, program(entry, entry.implementation)) == entry.implementation
    assert ast.dump(ast.parse(program(entry, "    return 0"))) != ast.dump(ast.parse(program_of(entry)))


@pytest.mark.parametrize("model", PLANS)
def test_four_answers_for_each_entry(model: str) -> None:
    """In the order of the entries; only what was cut off says "length"."""
    rows = [json.loads(line) for line in files()[f"aicodereval/{model}.jsonl"].splitlines()]
    cut = [each.kind == "cut off" for _, each in answers(model)]

    assert [row["task_id"] for row in rows] == [each.unit for each in ENTRIES for _ in range(4)]
    assert [row["finish_reason"] == "length" for row in rows] == cut


def test_what_refuses_nothing_raises_nothing() -> None:
    """The solution without its refusals is a program that has none left."""
    texts = [each.text for _, each in answers("demo-weak") if each.kind == "refuses nothing"]

    assert (len(texts) > 0, [text for text in texts if "raise " in text]) == (True, [])


def test_the_models_differ_in_merit() -> None:
    """Strong is mostly right, weak seldom, and a third of what the cheater says is a cheat."""
    right = {model: entry_kinds(model)["right"] for model in PLANS}
    honest = {"right", "slip", "refuses nothing", "cut off"}
    cheats = [each for _, each in answers("demo-cheater") if each.kind not in honest]

    assert right["demo-strong"] > 3 * right["demo-weak"] > 3 * 0
    assert len(cheats) >= len(ENTRIES)


@pytest.mark.parametrize("model", PLANS)
def test_the_readme_counts_the_kinds(model: str) -> None:
    """The table of kinds in the folder's README is the builder's own count."""
    section = README.split(f"## Entries of {model}\n")[1].split("\n## ")[0]
    table = Counter({kind: int(count) for kind, count in re.findall(r"^\| (.+) \| (\d+) \|$", section, re.M)})

    assert table == entry_kinds(model)


def test_the_readme_names_what_is_refused() -> None:
    """Every draft and card that is there to be refused, with the reason."""
    told = dict(re.findall(r"^\| `([a-z0-9-]+)` \| `(\w+)` \|$", README, re.M))

    assert told == {unit: reason for unit, (reason, _) in refused_drafts().items()} | refused_cards()
