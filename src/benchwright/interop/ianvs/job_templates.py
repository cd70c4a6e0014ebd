"""Files of an exported Ianvs example: templates of code, YAML and README, and their contents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import Measure, Track

LICENCE = """\
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""

STORED_MODEL = (
    LICENCE
    + '''"""@TITLE@: stored answers and what was found out about each of them.

The answers were judged by Benchwright @VERSION@ when the example was written: dataset/results.jsonl.
"""

import json
import os

from sedna.common.class_factory import ClassFactory, ClassType

RESULTS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)),
    *("..", "..", "dataset", "results.jsonl"),
)


@ClassFactory.register(ClassType.GENERAL, alias="@ALIAS@")
class BaseModel:
    """Gives the stored results of the items that it is asked about."""

    def __init__(self, model="", judge="", **options):
        self.made_by = {"model": model, "judge": judge, **options}
        self.results = {}

    def preprocess(self, **_):
        """Nothing is done before the training."""

    def train(self, train_data, valid_data=None, **_):
        """Nothing is trained: the answers are there."""
        del train_data, valid_data

    def save(self, model_path=None):
        """Nothing is saved."""
        return model_path

    def load(self, model_url=None):
        """Read the results."""
        del model_url
        with open(RESULTS, encoding="utf-8") as lines:
            found = [json.loads(line) for line in lines]
        self.results = {str(each["task_id"]): each for each in found}

    def predict(self, data, input_shape=None, **_):
        """The results of the items, in their order."""
        del input_shape
        names = [str(json.loads(str(text))["task_id"]) for text in data.explanation]
        absent = [name for name in names if name not in self.results]
        if absent:
            raise ValueError(f"{RESULTS} holds no result of the item {absent[0]}")
        return [self.results[name] for name in names]
'''
)

STORED_METRICS = (
    LICENCE
    + '''"""@TITLE@: each figure with its number of judged items and its interval.

A prediction is {"values": {figure: share}, "answers": how many, "decided": how many of them}.
A figure is the mean over the items that have a value of it; an undecided item is in none.
"""

import math
from statistics import NormalDist

from sedna.common.class_factory import ClassFactory, ClassType

# How the interval of a figure is made: "wilson" of right and wrong items, else of graded ones,
# with as many draws behind each value ("items": as many as there are items).
FIGURES = {
@FIGURES@}
CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


def values_of(name, predictions):
    """The values of a figure, of the items that have one."""
    found = [each["values"].get(name) for each in predictions]
    return [value for value in found if value is not None]


def interval(values, how):
    """The lower and the upper limit of the mean: Wilson's, at an effective number of items."""
    if not values:
        return math.nan, math.nan
    mean = min(1.0, max(0.0, math.fsum(values) / len(values)))
    if how == "wilson":
        size = float(len(values))
        return lower(mean, size), 1.0 - lower(1.0 - mean, size)
    size = effective_size(values, mean, len(values) if how == "items" else how)
    low, high = mended(mean, size), 1.0 - mended(1.0 - mean, size)
    return min(low, mean), max(high, mean)


def effective_size(values, mean, draws):
    """How many independent items, right or wrong, tell as much of the mean as these do."""
    items = len(values)
    spread = math.fsum((value - mean) ** 2 for value in values)
    if items == 1 or mean in (0.0, 1.0):
        return float(items)
    if spread <= 1e-12 * items:
        return float(items * draws)
    ratio = Z / t_quantile(items - 1)
    size = items * (items - 1) * mean * (1 - mean) / spread * ratio**2
    return min(max(size, float(items)), float(items * draws))


def t_quantile(freedom):
    """Student's t, exact for one and two degrees of freedom, else expanded in their inverse."""
    probability = 0.5 + CONFIDENCE / 2
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        return (2 * probability - 1) / math.sqrt(2 * probability * (1 - probability))
    terms = (
        Z,
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


def lower(share, size):
    """Wilson's lower limit."""
    if share == 0:
        return 0.0
    centre = share + Z * Z / (2 * size)
    half = Z * math.sqrt(share * (1 - share) / size + Z * Z / (4 * size * size))
    return max(0.0, (centre - half) / (1 + Z * Z / size))


def mended(share, size):
    """The same, and where only a few are right Poisson's lower limit."""
    low, right = lower(share, size), share * size
    if not 0 < right < 3.5 - 1e-9:
        return low
    root = 1 - 1 / (9 * right) - NormalDist().inv_cdf(CONFIDENCE) / (3 * math.sqrt(right))
    return min(low, right * max(0.0, root) ** 3 / size)


def figure(name):
    """The metric of a figure; not a number where nothing was judged, never zero."""

    def mean(_, y_pred):
        values = values_of(name, y_pred)
        return math.fsum(values) / len(values) if values else math.nan

    return mean


def limit(name, side):
    """The metric of the lower or the upper limit of a figure's interval."""
    return lambda _, y_pred: interval(values_of(name, y_pred), FIGURES[name])[side]


def judged(name):
    """The metric that counts the items which have a value of a figure."""
    return lambda _, y_pred: len(values_of(name, y_pred))


METRICS = {
    "answers": lambda _, y_pred: sum(each["answers"] for each in y_pred),
    "answers_decided": lambda _, y_pred: sum(each["decided"] for each in y_pred),
    "undecided": lambda _, y_pred: sum(not each["decided"] for each in y_pred),
}
for _figure in FIGURES:
    METRICS[_figure] = figure(_figure)
    METRICS[_figure + "_judged"] = judged(_figure)
    METRICS[_figure + "_low"] = limit(_figure, 0)
    METRICS[_figure + "_high"] = limit(_figure, 1)
for _name, _metric in METRICS.items():
    ClassFactory.register(ClassType.GENERAL, alias=_name)(_metric)
'''
)

LIVE_MODEL = (
    LICENCE
    + '''"""@TITLE@: answered and judged by Benchwright.

Benchwright has to be installed beside Ianvs.
"""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import TrackModel

ROWS = Path(os.path.abspath(__file__)).parents[2] / "dataset" / "rows.jsonl"


@ClassFactory.register(ClassType.GENERAL, alias="@ALIAS@")
class BaseModel:
    """Asks the model about all items at once, and judges its answers."""

    def __init__(self, model="gold:", judge="", **options):
        asked = {"model": model, "judge": judge, **options}
        self._model = TrackModel("@TRACK@", ROWS, **asked)

    def preprocess(self, **_):
        """Nothing is done before the training."""

    def train(self, train_data, valid_data=None, **_):
        """Nothing is trained."""
        del train_data, valid_data

    def save(self, model_path=None):
        """Nothing is saved."""
        return model_path

    def load(self, model_url=None):
        """Nothing is loaded."""
        del model_url

    def predict(self, data, input_shape=None, **_):
        """The verdicts on the answers to the items, in their order."""
        del input_shape
        return self._model.predict(data)
'''
)

LIVE_METRICS = (
    LICENCE
    + '''"""@TITLE@: the track's figures by name."""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import metric

ROWS = Path(os.path.abspath(__file__)).parents[1] / "dataset" / "rows.jsonl"

NAMES = (
@NAMES@)

for name in NAMES:
    ClassFactory.register(ClassType.GENERAL, alias=name)(
        metric("@TRACK@", name, ROWS)
    )
'''
)

README = """\
# @TITLE@

@ITEMS@ items, answered by `@MODEL@`@JUDGE@.

Start it from @START@:

```sh
ianvs -f @JOB@
```

| file | what it is |
|---|---|
| `dataset/test/metadata.json`, `data.jsonl` | the items in Ianvs's form: `query`, `response` |
| `dataset/rows.jsonl` | the items with all that Ianvs's form has no field for |
@MADE@

| metric | what it is |
|---|---|
@METRICS@
| `NAME_judged` | how many items the figure NAME is the mean of |
| `NAME_low`, `NAME_high` | its 95 % interval |
| `answers`, `answers_decided` | how many answers there are, and how many of them were decided |
| `undecided` | items without a decided answer: they are in no figure, and are no zeros |

A figure over few judged items says little, whatever it is: read it with its interval, and rank nothing by it
while `undecided` is above 0.
@LEFT_OUT@
## Licence

The code is under the Apache License 2.0. The items keep the licences of their sources, which
`dataset/rows.jsonl` names in `licence`, `license` or `meta`.
"""
STORED_FILES = """\
| `dataset/results.jsonl` | the answers, and what Benchwright @VERSION@ found out about each of them |
| `testalgorithms/gen/` | the model: gives these results |
| `testenv/` | the metrics: figures of these results, with intervals |

It needs Ianvs (v0.3.0 or later) and Python's standard library, 3.8 or later."""
LIVE_FILES = """\
| `testalgorithms/gen/` | the model: asks and judges as `benchwright run` does |
| `testenv/` | the metrics: the figures of the track |

It needs Ianvs (v0.3.0 or later) and `requirements.txt`, thus Python 3.11 or later."""
STORED_REQUIREMENTS = "# Nothing beyond Ianvs itself: the code uses Python's standard library.\n"
LIVE_REQUIREMENTS = "benchwright[ianvs,code]>=@VERSION@\n"


def fill_template(template: str, **values: str) -> str:
    """A file with each `@NAME@` replaced."""
    for name, value in values.items():
        template = template.replace(f"@{name.upper()}@", value)
    return template


ALGORITHM = "gen"  # the name of the proposal's folder and of the model's class in the job
COUNTS = ("answers", "answers_decided", "undecided")
_COMPANIONS = ("judged", "low", "high")


class JobModels(NamedTuple):
    """Model of a job, and its judge if rules are not sufficient."""

    model: str
    judge: str

    def hyperparameters(self) -> str:
        """The lines of an algorithm's file."""
        specs = [(name, spec) for name, spec in zip(self._fields, self, strict=True) if spec]
        lines = (f"        - {name}:\n            values: [ {yaml_text(spec)} ]\n" for name, spec in specs)
        return "".join(lines)


def with_companions(figures: Sequence[Measure]) -> list[str]:
    """Return the names of figures, each followed by those of its count and interval."""
    return [name for each in figures for name in (each.name, *(f"{each.name}_{by}" for by in _COMPANIONS))]


def readme(
    track: Track,
    figures: Sequence[Measure],
    models: JobModels,
    items: int,
    place: str,
    contents: str,
    left_out: Sequence[str],
) -> str:
    """Make the README.md of an example: contents, model, and commands."""
    metric_rows = "\n".join(f"| `{each.name}` | {each.title} |" for each in figures)
    absent = ", ".join(f"`{name}`" for name in left_out)
    return fill_template(
        README,
        title=track.title,
        items=str(items),
        model=public_spec(models.model),
        judge=f", judged by `{public_spec(models.judge)}`" if models.judge else "",
        start="this folder" if place == "." else "the root of the checkout",
        job=f"{place}/benchmarkingjob.yaml".removeprefix("./"),
        made=contents,
        metrics=metric_rows,
        left_out=f"\nNot among them, since they are no means over items: {absent}.\n" if absent else "",
    )


def public_spec(spec: str) -> str:
    """Return a spec without folders of this machine."""
    scheme, sign, rest = spec.partition(":")
    return f"{scheme}:{Path(rest).name}" if sign and scheme == "replay" else spec


def yaml_text(text: str) -> str:
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
  name: {yaml_text(track.name)}
  workspace: "./workspace"
  testenv: "{place}/testenv/testenv.yaml"
  test_object:
    type: "algorithms"
    algorithms:
      - name: {yaml_text(track.name)}
        url: "{place}/testalgorithms/{ALGORITHM}/{ALGORITHM}_algorithm.yaml"
  rank:
    sort_by: [ {{ {yaml_text(first.name)}: "{order}" }} ]
    visualization:
      mode: "selected_only"
      method: "print_table"
    selected_dataitem:
      paradigms: [ "all" ]
      modules: [ "all" ]
      hyperparameters: [ "all" ]
      metrics: [ {", ".join(map(yaml_text, shown))} ]
    save_mode: "selected_and_all"
"""


def algorithm_file(base: str, models: JobModels) -> str:
    """Make algorithm.yaml for a base model."""
    return f"""algorithm:
  paradigm_type: "singletasklearning"
  modules:
    - type: "basemodel"
      name: "{ALGORITHM}"
      url: "{base}"
      hyperparameters:
{models.hyperparameters()}"""


def testenv_file(metrics: Sequence[str], *, place: str, key: str) -> str:
    """Make testenv.yaml with the data set and all metrics."""
    file = f"{place}/testenv/acc_{key}.py"
    metric_entries = "".join(f'    - name: {yaml_text(each)}\n      url: "{file}"\n' for each in metrics)
    return f"""testenv:
  dataset:
    train_data_info: "{place}/dataset/train/metadata.json"
    test_data_info: "{place}/dataset/test/metadata.json"
  metrics:
{metric_entries}"""
