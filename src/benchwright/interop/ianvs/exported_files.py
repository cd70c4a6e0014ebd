"""The YAML files of an exported example, and its README.md. `place` is the folder as they name it."""

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
    """What a job tests, and who judges it where rules alone cannot."""

    model: str
    judge: str

    def hyperparameters(self) -> str:
        """The lines of an algorithm's file."""
        named = [(name, spec) for name, spec in zip(self._fields, self, strict=True) if spec]
        lines = (f"        - {name}:\n            values: [ {quoted(spec)} ]\n" for name, spec in named)
        return "".join(lines)


def with_companions(figures: Sequence[Measure]) -> list[str]:
    """The names of the figures, each followed by its count and its interval."""
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
    """README.md of an example: what it holds, who was asked, and how to run it."""
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
    """A spec without the folders of this machine."""
    scheme, sign, rest = spec.partition(":")
    return f"{scheme}:{Path(rest).name}" if sign and scheme == "replay" else spec


def quoted(text: str) -> str:
    """A text as YAML and JSON both read it."""
    return json.dumps(text, ensure_ascii=False)


def job_file(track: Track, figures: Sequence[Measure], *, place: str) -> str:
    """benchmarkingjob.yaml: sorted by the first figure."""
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
    """algorithm.yaml of one base model."""
    return f"""algorithm:
  paradigm_type: "singletasklearning"
  modules:
    - type: "basemodel"
      name: "{ALGORITHM}"
      url: "{base}"
      hyperparameters:
{asked.hyperparameters()}"""


def testenv_file(metrics: Sequence[str], *, place: str, key: str) -> str:
    """testenv.yaml: the data set and every metric by its file."""
    file = f"{place}/testenv/acc_{key}.py"
    listed = "".join(f'    - name: {quoted(each)}\n      url: "{file}"\n' for each in metrics)
    return f"""testenv:
  dataset:
    train_data_info: "{place}/dataset/train/metadata.json"
    test_data_info: "{place}/dataset/test/metadata.json"
  metrics:
{listed}"""
