"""YAML files and README.md of an exported example. `place` is the path of the folder in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import Measure, Track
from benchwright.interop.ianvs.exported import README, filled

ALGORITHM = "gen"  # the name of the proposal's folder and of the model's class in the job
COUNTS = ("answers", "answers_decided", "undecided")
_COMPANIONS = ("judged", "low", "high")


class JobModels(NamedTuple):
    """Model of a job, and its judge if rules are not sufficient."""

    model: str
    judge: str

    def hyperparameters(self) -> str:
        """The lines of an algorithm's file."""
        named = [(name, spec) for name, spec in zip(self._fields, self, strict=True) if spec]
        lines = (f"        - {name}:\n            values: [ {quoted(spec)} ]\n" for name, spec in named)
        return "".join(lines)


def with_companions(figures: Sequence[Measure]) -> list[str]:
    """Return the names of figures, each followed by those of its count and interval."""
    return [name for each in figures for name in (each.name, *(f"{each.name}_{by}" for by in _COMPANIONS))]


def readme(
    track: Track,
    figures: Sequence[Measure],
    asked: JobModels,
    items: int,
    place: str,
    made: str,
    left_out: Sequence[str],
) -> str:
    """Make the README.md of an example: contents, model, and commands."""
    listed = "\n".join(f"| `{each.name}` | {each.title} |" for each in figures)
    absent = ", ".join(f"`{name}`" for name in left_out)
    return filled(
        README,
        title=track.title,
        items=str(items),
        model=public(asked.model),
        judge=f", judged by `{public(asked.judge)}`" if asked.judge else "",
        start="this folder" if place == "." else "the root of the checkout",
        job=f"{place}/benchmarkingjob.yaml".removeprefix("./"),
        made=made,
        metrics=listed,
        left_out=f"\nNot among them, since they are no means over items: {absent}.\n" if absent else "",
    )


def public(spec: str) -> str:
    """Return a spec without folders of this machine."""
    scheme, sign, rest = spec.partition(":")
    return f"{scheme}:{Path(rest).name}" if sign and scheme == "replay" else spec


def quoted(text: str) -> str:
    """Quote a text for YAML and JSON."""
    return json.dumps(text, ensure_ascii=False)


def job_file(track: Track, figures: Sequence[Measure], *, place: str) -> str:
    """Make benchmarkingjob.yaml, sorted by the first figure."""
    first = figures[0]
    order = "descend" if first.higher_is_better else "ascend"
    shown = [first.name, *(f"{first.name}_{by}" for by in _COMPANIONS), "undecided"]
    shown += [each.name for each in figures[1:]]
    file = f"{place}/benchmarkingjob.yaml".removeprefix("./")
    start = "this folder" if place == "." else "the root of the checkout"
    return f"""# Start it from {start}: ianvs -f {file}
benchmarkingjob:
  name: {quoted(track.name)}
  workspace: "./workspace"
  testenv: "{place}/testenv/testenv.yaml"
  test_object:
    type: "algorithms"
    algorithms:
      - name: {quoted(track.name)}
        url: "{place}/testalgorithms/{ALGORITHM}/{ALGORITHM}_algorithm.yaml"
  rank:
    sort_by: [ {{ {quoted(first.name)}: "{order}" }} ]
    visualization:
      mode: "selected_only"
      method: "print_table"
    selected_dataitem:
      paradigms: [ "all" ]
      modules: [ "all" ]
      hyperparameters: [ "all" ]
      metrics: [ {", ".join(map(quoted, shown))} ]
    save_mode: "selected_and_all"
"""


def algorithm_file(base: str, asked: JobModels) -> str:
    """Make algorithm.yaml for a base model."""
    return f"""algorithm:
  paradigm_type: "singletasklearning"
  modules:
    - type: "basemodel"
      name: "{ALGORITHM}"
      url: "{base}"
      hyperparameters:
{asked.hyperparameters()}"""


def testenv_file(metrics: Sequence[str], *, place: str, key: str) -> str:
    """Make testenv.yaml with the data set and all metrics."""
    file = f"{place}/testenv/acc_{key}.py"
    listed = "".join(f'    - name: {quoted(each)}\n      url: "{file}"\n' for each in metrics)
    return f"""testenv:
  dataset:
    train_data_info: "{place}/dataset/train/metadata.json"
    test_data_info: "{place}/dataset/test/metadata.json"
  metrics:
{listed}"""
