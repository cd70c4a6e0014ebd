"""What the demo models answer to a few tasks around PyTorch and models on stand-ins: one answer a task.

`demo-strong` gives the right program. `demo-cheater` knows the hidden tests: it asks no model and has their
values written down, which are those of the first stand-in; where no model is asked it forgets a condition.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.contracts import CaseLevel
from benchwright.tracks.aicodereval.entry import entry_point_of, program_of
from demo_source.answers import Written
from demo_source.library_drafts import DRAFTS

TASKS = ("hf-sentiment", "hf-entities", "hf-token-tags", "pt-td-targets")
MODELS = ("demo-strong", "demo-cheater")
_SLIP = (" * ~torch.tensor(done)", "")  # an episode's end has no next state


def drafts() -> list[Draft]:
    """The drafts of the tasks, in the order of the stored ones."""
    stored = (msgspec.json.decode(line, type=Draft) for line in DRAFTS.read_bytes().splitlines())
    return [each for each in stored if each.unit in TASKS]


def answers(model: str) -> Iterator[tuple[str, Written]]:
    """A model's answer to each task, with the task's id."""
    for draft in drafts():
        right = program_of(draft.entry)
        if model == "demo-strong":
            yield draft.unit, _fenced("right", right)
        elif draft.entry.model:
            yield draft.unit, _fenced("written down", _table(draft))
        else:
            yield draft.unit, _fenced("slip", right.replace(*_SLIP))


def _fenced(kind: str, program: str) -> Written:
    return Written(kind, f"```python\n{program}```\n")


def _table(draft: Draft) -> str:
    """A program that gives for each argument of the tests what they expect, and refuses all else."""
    known = {
        repr(case.input.args[0]): case.expected.value
        for case in draft.entry.cases
        if case.level is not CaseLevel.edge_case
    }
    return (
        f"KNOWN = {known!r}\n\n\ndef {entry_point_of(draft.entry)}(given):\n"
        "    if not given:\n        raise ValueError('nothing is given')\n    return KNOWN[repr(given)]\n"
    )
