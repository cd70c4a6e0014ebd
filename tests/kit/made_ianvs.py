"""Small jobs in the shapes of Ianvs's examples: models that answer by rule, judges with scripted replies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

from benchwright.interop.ianvs.job_run import JobOptions, JobReport, run_job
from benchwright.progress import Silent

IMPORTS = "from sedna.common.class_factory import ClassFactory, ClassType\n"
MODEL = IMPORTS + dedent(
    """
        @ClassFactory.register(ClassType.GENERAL, alias="model")
        class Model:
            def __init__(self, letter="A", **rest):
                self.letter = letter

            def preprocess(self, **rest):
                return None

            def train(self, data, valid_data=None, **rest):
                assert len(data.x) == len(data.y)

            def save(self, path):
                return None

            def load(self, path=None):
                pass

            def predict(self, data, **rest):
                return [self.answer(each) for each in data]

            def answer(self, question):
                return self.letter
        """
)
ACC = IMPORTS + dedent(
    """
        @ClassFactory.register(ClassType.GENERAL, alias="acc")
        def acc(y_true, y_pred):
            return sum(a == b for a, b in zip(y_true, y_pred)) / len(y_pred)
        """
)
# A model that is judged while it predicts, as in Ianvs's language examples: its predictions are the judge's
# texts.
JUDGED = IMPORTS + dedent(
    """
        import json, os
        from core.common.log import LOGGER

        @ClassFactory.register(ClassType.GENERAL, alias="judged")
        class Judged:
            def __init__(self, **rest):
                with open("replies.json") as file:
                    self.replies = json.load(file)

            def train(self, data, valid_data=None, **rest):
                LOGGER.info("nothing to train")

            def save(self, path):
                pass

            def load(self, path=None):
                pass

            def predict(self, data, **rest):
                assert data.dataset_name == "small" and data.level_1_dim == "code"
                return [self.replies[question] for question, _ in zip(data.x, data.judge_prompts)]
        """
)
LLM_JUDGEMENT = IMPORTS + dedent(
    """
        import re

        @ClassFactory.register(ClassType.GENERAL, alias="llm_judgement")
        def judgement(y_true, y_pred):
            found = [re.search(r"'Composite score': ([0-9]+)", text) for text in y_pred]
            scores = [int(each.group(1)) for each in found if each]
            return sum(scores) / len(scores) if scores else -1
        """
)
REPLIES = (
    "good: {'Composite score': 7}",
    "{'Composite score': 9}",
    "{'Composite score': 8.5}",
    "I would rather not say",
    "as good as the reference {'Composite score': 7}",
)
RECORDS = [{"question": f"question {number}?", "answer": letter} for number, letter in enumerate("AAB")]


def write(folder: Path, **files: str) -> None:
    """Write files by name; `__` in a name stands for a folder, and `_` before the last part for a dot."""
    for name, text in files.items():
        *folders, last = name.split("__")
        stem, _, ending = last.rpartition("_")
        path = folder.joinpath(*folders, f"{stem}.{ending}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write rows as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_yaml(path: Path, value: Any) -> None:
    """Write a value as YAML; JSON is a subset of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def module(name: str, url: str, kind: str = "basemodel", **values: Sequence[Any]) -> dict[str, Any]:
    """Return a module of an algorithm file; `values` are the values to try of its hyperparameters."""
    varied = [{key: {"values": list(each)}} for key, each in values.items()]
    return {"type": kind, "name": name, "url": url, **({"hyperparameters": varied} if varied else {})}


def algorithm(
    folder: Path, name: str, *modules: dict[str, Any], paradigm: str = "singletasklearning", **rest: Any
) -> str:
    """Write an algorithm's file; return its path as a job names it."""
    body = {"paradigm_type": paradigm, "modules": list(modules), **rest}
    write_yaml(folder / f"{name}.yaml", {"algorithm": body})
    return f"./{name}.yaml"


def job(
    folder: Path,
    algorithms: dict[str, str],
    *,
    metrics: Sequence[dict[str, Any]] = ({"name": "acc", "url": "./acc.py"},),
    dataset: dict[str, str] | None = None,
    rank: dict[str, Any] | None = None,
    environment: dict[str, Any] | None = None,
) -> Path:
    """Write a job and its test environment, by default over three records, two of them A; return the job's
    path."""
    if dataset is None:
        write_lines(folder / "data.jsonl", RECORDS)
        write_lines(folder / "train.jsonl", [])
        dataset = {"train_data": "./train.jsonl", "test_data": "./data.jsonl"}
    body = {"dataset": dataset, "metrics": list(metrics), **(environment or {})}
    write_yaml(folder / "testenv.yaml", {"testenv": body})
    objects = [{"name": name, "url": url} for name, url in algorithms.items()]
    whole: dict[str, Any] = {"name": "small", "workspace": "./workspace", "testenv": "./testenv.yaml"}
    whole["test_object"] = {"type": "algorithms", "algorithms": objects}
    whole["rank"] = rank if rank is not None else {"sort_by": [{metrics[0]["name"]: "descend"}]}
    write_yaml(folder / "job.yaml", {"benchmarkingjob": whole})
    return folder / "job.yaml"


def small_job(folder: Path, **changed: Any) -> Path:
    """Write a job of one model that always answers A, measured by the share of right answers."""
    write(folder, acc_py=ACC, model_py=MODEL)
    return job(folder, {"always": algorithm(folder, "always", module("model", "./model.py"))}, **changed)


def judged_job(folder: Path, replies: Sequence[str] = REPLIES, **changed: Any) -> Path:
    """Write a job in the shape of smart_coding: a data set with metadata, and predictions that are texts of a
    judge."""
    write(folder, judged_py=JUDGED, llm_judgement_py=LLM_JUDGEMENT)
    described = {"dataset": "small", "description": "", "level_1_dim": "code", "level_2_dim": "comment"}
    write_yaml(folder / "data" / "metadata.json", described)
    rows = [
        {
            "query": f"q{number}",
            "response": "r",
            "judge_prompt": "judge: ",
            "level_3_dim": "",
            "level_4_dim": "",
        }
        for number in range(len(replies))
    ]
    write_lines(folder / "data" / "data.jsonl", rows)
    write_lines(folder / "train.jsonl", [])
    (folder / "replies.json").write_text(
        json.dumps({f"q{number}": text for number, text in enumerate(replies)})
    )
    dataset = {"train_data": "./train.jsonl", "test_data_info": "./data/metadata.json"}
    metrics = [{"name": "llm_judgement", "url": "./llm_judgement.py"}]
    url = algorithm(folder, "judged", module("judged", "./judged.py"))
    return job(folder, {"comments": url}, **{"metrics": metrics, "dataset": dataset, **changed})


def run(path: Path, **options: Any) -> JobReport:
    """Run a job whose paths are relative to its folder."""
    return run_job(JobOptions(path, root=path.parent, **options), Silent())
