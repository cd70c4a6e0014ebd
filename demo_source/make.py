"""Builds the demo's data files: `python -m demo_source.make` writes them into the package.

Nothing is drawn at random and no answer is run: the same sources give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from demo_source import cheater, entry_answers, judge, library_answers, people, smartcoding, strong, weak
from demo_source.answers import Written
from demo_source.entries import cards, refused_drafts, sound_drafts
from demo_source.labels import PLANS, said
from demo_source.pairs import DemoPair, pairs
from demo_source.task import DemoTask, parts_of
from demo_source.text import TASKS, TaskText, task_texts

DATA = Path(__file__).parents[1] / "src" / "benchwright" / "demo"
INSTRUCTIONS = [
    "Ниже дано начало функции на Python: сигнатура и описание. Допишите её тело.\n{function}",
    "Прочитайте описание и реализуйте функцию так, чтобы примеры из описания выполнялись.\n{function}",
    "Вы пишете код на Python. Продолжите фрагмент, ничего не меняя в уже написанном.\n{function}",
    "Реализуйте функцию по её описанию. В ответе нужен только код.\n{function}",
    "Дополните код. Обратите внимание на крайние случаи, о которых сказано в описании.\n{function}",
    "Перед вами заготовка функции. Напишите рабочее решение на Python.\n\n{function}",
]
LABEL_INSTRUCTIONS = [
    "Ниже файл на языке {lang} и тест к нему. Пройдёт ли тест? Ответьте одним словом: success или failed.\n\n"
    "Файл:\n```\n{focal_code}```\n\nТест:\n```\n{test_code}```",
    "Прочитайте код на {lang}.\n\n```\n{focal_code}```\n\nЕго проверяет такой тест.\n\n"
    "```\n{test_code}```\n\nЧем закончится запуск? Если проверки выполнятся, напишите success, иначе failed.",
    "Тест:\n```\n{test_code}```\n\nКод, который он проверяет ({lang}):\n```\n{focal_code}```\n\n"
    "Не запуская тест, предскажите его результат. Ответ: success (пройдёт) или failed (не пройдёт).",
]
MODELS: dict[str, Callable[[TaskText], list[Written]]] = {
    "demo-strong": strong.answers,
    "demo-weak": weak.answers,
    "demo-cheater": cheater.answers,
}
SMART_RECORDS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "comments": smartcoding.comment_rows,
    "issues": smartcoding.issue_rows,
}
SMART_ANSWERS: dict[str, Callable[[str], list[tuple[str, Written]]]] = {
    "comments": smartcoding.comment_answers,
    "issues": smartcoding.issue_answers,
}


def files() -> dict[str, str]:
    """The content of each data file, by name."""
    made = {"ruhumaneval.jsonl": _lines(_row(number, task) for number, task in enumerate(TASKS, 1))}
    for model, answers in MODELS.items():
        rows = [_answer(task.number, written, model) for task in task_texts() for written in answers(task)]
        made[f"{model}.jsonl"] = _lines(rows)
    made["codecorrectness.jsonl"] = _lines(map(_pair_row, pairs()))
    for model in PLANS:
        made[f"labels/{model}.jsonl"] = _lines(_label_answers(model))
    return {**made, **_entry_files(), **_library_files(), **_smart_files()}


def _entry_files() -> dict[str, str]:
    """What AICoderEval is built from, and the answers to what comes out."""
    drafts = [*sound_drafts(), *(draft for _, draft in refused_drafts().values())]
    made = {f"aicodereval/cards/{name}": text for name, text in cards().items()}
    made["aicodereval/drafts.jsonl"] = _lines(map(msgspec.to_builtins, drafts))
    for model in entry_answers.PLANS:
        rows = [_answer(unit, written, model) for unit, written in entry_answers.answers(model)]
        made[f"aicodereval/{model}.jsonl"] = _lines(rows)
    return made


def _library_files() -> dict[str, str]:
    """What the demo with PyTorch is built from, and the answers to it."""
    made = {"torch/drafts.jsonl": _lines(map(msgspec.to_builtins, library_answers.drafts()))}
    for model in library_answers.MODELS:
        rows = [_answer(unit, written, model) for unit, written in library_answers.answers(model)]
        made[f"torch/{model}.jsonl"] = _lines(rows)
    return made


def judge_files() -> dict[str, str]:
    """What the demo's judge replied, as a run with it keeps it: the runs are made in passing, in seconds."""
    made: dict[str, str] = {}
    for track, kind in judge.RUBRICS.items():
        said = {model: _said_in(kind, model) for model in judge.MODELS}
        found = judge.kept_replies(DATA / "smartcoding", said, track)
        made |= {f"smartcoding/{kind}/judge/{name}": text for name, text in found.items()}
    return made


def people_files() -> dict[str, str]:
    """What the demo's people say of the answers; it reads what the judge replied."""
    made: dict[str, str] = {}
    for track, kind in judge.RUBRICS.items():
        said = {model: _said_in(kind, model) for model in judge.MODELS}
        found = people.votes_of(DATA / "smartcoding", said, track)
        made |= {f"smartcoding/{kind}/people/{name}": text for name, text in found.items()}
    return made


def _said_in(kind: str, model: str) -> dict[str, str]:
    answers = SMART_ANSWERS[kind](model)
    return {task_id: written.kind for task_id, written in answers}


def _smart_files() -> dict[str, str]:
    """The two smart-coding sets as records of the proposal's shapes, and the answers to them."""
    made = {}
    for kind, records in SMART_RECORDS.items():
        made[f"smartcoding/{kind}.jsonl"] = _lines(records())
        for model in judge.MODELS:
            rows = [_answer(task_id, written, model) for task_id, written in SMART_ANSWERS[kind](model)]
            made[f"smartcoding/{kind}/{model}.jsonl"] = _lines(rows)
    return made


def kinds(model: str) -> Counter[str]:
    """How many answers of each kind a demo model gives."""
    return Counter(written.kind for task in task_texts() for written in MODELS[model](task))


def entry_kinds(model: str) -> Counter[str]:
    """How many of a demo model's answers to the entries of AICoderEval are of each kind."""
    return Counter(written.kind for _, written in entry_answers.answers(model))


def label_kinds(model: str) -> Counter[str]:
    """How many of a demo model's answers to the rows of CodeCorrectness are of each kind."""
    return Counter(answer.kind for answer in said(model))


def _pair_row(pair: DemoPair) -> dict[str, Any]:
    return {
        "instruction": LABEL_INSTRUCTIONS[pair.number % len(LABEL_INSTRUCTIONS)],
        "inputs": {"focal_code": pair.focal_code, "test_code": pair.test_code, "lang": pair.lang},
        "outputs": pair.label,
        "meta": {
            "id": pair.number,
            "focal_path": pair.focal_path,
            "test_path": pair.test_path,
            "author": "Benchwright",
            "license": "Apache-2.0",
        },
    }


def _label_answers(model: str) -> list[dict[str, Any]]:
    return [
        {
            "task_id": number,
            "completion": answer.text,
            "finish_reason": answer.finish_reason,
            "model": model,
        }
        for number, answer in enumerate(said(model), 1)
    ]


def _row(number: int, task: DemoTask) -> dict[str, Any]:
    return {
        "instruction": INSTRUCTIONS[number % len(INSTRUCTIONS)],
        "inputs": {"function": task.prompt, "tests": repr(task.tests)},
        "outputs": task.outputs,
        "meta": {
            "id": number,
            "canonical_solution": f"\n{parts_of(task.solution).body}\n",
            "entry_point": task.name,
            "author": "Benchwright",
            "license": "Apache-2.0",
        },
    }


def _answer(task_id: int | str, written: Written, model: str) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "completion": written.text,
        "finish_reason": written.finish_reason,
        "model": model,
    }


def _lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    """Write every file into the package, with the line ends it was built with."""
    for made in (files, judge_files, people_files):  # each reads what those before it wrote
        for name, content in made().items():
            (DATA / name).parent.mkdir(parents=True, exist_ok=True)
            (DATA / name).write_text(content, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
