"""The demo's people: two judges and an adjudicator, whose votes are written here. Nobody was asked.

Anna says of most answers what their texts say. Boris differs now and then, and where they do not agree Vera
decides. So agreement is good and not perfect, and the demo's model judge is not always right by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchwright.judges.people.records import JudgedItem, Round, Vote, in_order, vote_key
from benchwright.judges.people.results import results_of
from benchwright.records import TaskId
from benchwright.running.judged_items import items_of_run
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.run_data import data_of, open_run
from demo_source.judge import MODELS, RATINGS, RUBRICS
from demo_source.smartcoding import opinions

INTERFACE = "demo"
OTHER_EVERY, KIND_EVERY = 5, 7  # of the items: Boris differs on a fifth, Anna from the judge on a seventh
LEFT_EVERY = 4  # and each fourth is judged by nobody: the model judge speaks for those
_LESS = {"correct": "partly", "partly": "wrong", "wrong": "partly", "cannot_tell": "wrong"}
_FORMAT = {"right": 5, "echo": 4, "speaks to the judge": 2, "phantom parameter": 3, "no comment": 1}


def votes_of(data: Path, answers: Mapping[str, Mapping[str, str]], track: str) -> dict[str, str]:
    """By the name of its file, the votes on each model's answers, whose kinds `answers` has by task."""
    made = {}
    with TemporaryDirectory() as place:
        for model in MODELS:
            folder = Path(place, model)
            items = _items(track, data, model, folder)
            votes = list(_votes(items, model, answers[model]))
            places = {answer.key: at for at, item in enumerate(items) for answer in item.answers}
            rows = (msgspec.json.encode(vote).decode() for vote in in_order(votes, places))
            made[f"{model}.jsonl"] = "".join(f"{row}\n" for row in rows)
    return made


def _items(track: str, data: Path, model: str, folder: Path) -> list[JudgedItem]:
    kind = RUBRICS[track]
    options = RunOptions(
        track=track,
        data=str(data / f"{kind}.jsonl"),
        model=f"replay:{data / kind / model}.jsonl",
        judges=JudgeOptions(specs=(f"replay:{data / kind / 'judge'}",)),
    )
    run_plan(make_plan(options), out=folder, workers=1)
    run = open_run(folder)
    return list(items_of_run(run, data_of(run)))


def _votes(items: Sequence[JudgedItem], model: str, kinds: Mapping[str, str]) -> Iterator[Vote]:
    labels = {task: str(said["label"]) for task, said in opinions(model)}
    for at, item in enumerate(items):
        if at % LEFT_EVERY == 2:
            continue
        anna = _values(item, at, kinds, labels)
        boris = {
            field: _differing(value) if at % OTHER_EVERY == 1 else value for field, value in anna.items()
        }
        both = [*_said(item, "anna", anna), *_said(item, "boris", boris)]
        yield from both
        for result in results_of(both):
            if result.needs_adjudication:
                yield from _said(item, "vera", {result.field: anna[result.field]}, "adjudication")


def _values(
    item: JudgedItem, at: int, kinds: Mapping[str, str], labels: Mapping[TaskId, str]
) -> dict[str, int | str]:
    if item.kind == "decide":
        label = labels[item.task_id]
        return {"decision": _LESS[label] if at % KIND_EVERY == 3 else label}
    kind = kinds[str(item.task_id)]
    accuracy, logic, _ = RATINGS[kind]
    return {"logic": max(1, logic - (at % KIND_EVERY == 3)), "accuracy": accuracy, "format": _FORMAT[kind]}


def _differing(value: int | str) -> int | str:
    """What Boris says instead: one grade less, or a decision beside it."""
    return _LESS[value] if isinstance(value, str) else max(1, value - 2)


def _said(
    item: JudgedItem, judge: str, values: Mapping[str, int | str], round: Round = "first"
) -> Iterator[Vote]:
    for field, value in values.items():
        vote = Vote(
            vote="",
            item=item.item,
            task_id=item.task_id,
            kind=item.kind,
            field=field,
            value=value,
            judge=judge,
            round=round,
            answers=[answer.key for answer in item.answers],
            interface=INTERFACE,
        )
        yield msgspec.structs.replace(vote, vote=vote_key(vote))
