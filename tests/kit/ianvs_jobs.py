"""Jobs whose figures depend on how predict is called, for Ianvs itself and `ianvs run` side by side.

Each function writes a job into a folder and returns its file. Models answer by rule and random numbers have
seeds, so every run of one job must give the same cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kit.made_ianvs import ACC, IMPORTS, MODEL, algorithm, job, module, write, write_lines, write_yaml

WriteJob = Callable[[Path], Path]
JOBS: dict[str, WriteJob] = {}
TEXTS = ["yes", "no", "a longer question than the others", "why", "where is the tallest tower of the town?"]
RECORDS = [
    {"question": text, "answer": "long" if len(text) > 20 else "short"} for text in [*TEXTS, "x" * 60, "?"]
]
ITEMS = [
    {"query": each["question"], "response": each["answer"], "level_3_dim": "", "level_4_dim": str(number)}
    for number, each in enumerate(RECORDS)
]
# A metric over plain predictions that weighs each item, so it distinguishes results that `acc` does not.
WEIGHED = ACC.replace('"acc"', '"weighed"').replace(
    "sum(a == b for a, b in zip(y_true, y_pred)) / len(y_pred)",
    "sum(n * (a == b) for n, (a, b) in enumerate(zip(y_true, y_pred), 1)) / 100",
)


def made(function: WriteJob) -> WriteJob:
    """Register a job under its name."""
    JOBS[function.__name__] = function
    return function


def metric(folder: Path, name: str, body: str, *, top: str = "", file: str = "") -> dict[str, Any]:
    """Write a metric with this body; return its entry in a test environment."""
    stem = file or name.lower().replace(" ", "_")
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"{IMPORTS}{top}\n@ClassFactory.register(ClassType.GENERAL, alias={name!r})\n"
    write(folder, **{f"{stem}_py": f"{text}def metric(y_true, y_pred):\n{lines}"})
    return {"name": name, "url": f"./{stem}.py"}


def rank(*metrics: str, sort: Sequence[dict[str, str]] = (), **chosen: Any) -> dict[str, Any]:
    """Return the ranking settings of a job, with all fields that Ianvs requires."""
    shown = {"paradigms": ["all"], "modules": ["all"], "hyperparameters": ["all"], "metrics": list(metrics)}
    return {
        "sort_by": list(sort) or [{metrics[0]: "descend"}],
        "visualization": {"mode": "selected_only", "method": "print_table"},
        "selected_dataitem": {**shown, **chosen},
        "save_mode": "selected_and_all",
    }


def predicting(body: str, *, top: str = "", start: str = "pass") -> str:
    """Return a model with its own `predict`; `start` is the body of its constructor."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    begin = "    def __init__(self, letter='A', **rest):\n        self.letter = letter\n"
    begin += "".join(f"        {line}\n" for line in start.splitlines())
    text = MODEL[: MODEL.index("    def __init__")] + begin + MODEL[MODEL.index("\n    def preprocess") :]
    return top + text[: text.index("    def predict")] + f"    def predict(self, data, **rest):\n{lines}"


def described(folder: Path) -> dict[str, str]:
    """Write the items as a data set with a metadata.json; the model sees more fields than x."""
    about = {"dataset": "d", "description": "", "level_1_dim": "a", "level_2_dim": "b"}
    write_yaml(folder / "data" / "metadata.json", about)
    write_lines(folder / "data" / "data.jsonl", ITEMS)
    write_lines(folder / "train.jsonl", [])
    return {"train_data": "./train.jsonl", "test_data_info": "./data/metadata.json"}


def plain(folder: Path) -> dict[str, str]:
    """Write the items as JSON Lines."""
    write_lines(folder / "data.jsonl", RECORDS)
    write_lines(folder / "train.jsonl", RECORDS[:3])
    return {"train_data": "./train.jsonl", "test_data": "./data.jsonl"}


def one(folder: Path, text: str, *, info: bool = False, metrics: Sequence[Any] = (), **rest: Any) -> Path:
    """Write a job of one model over the items; by default with both measures of plain predictions."""
    write(folder, model_py=text, acc_py=ACC, weighed_py=WEIGHED)
    found = list(metrics) or [{"name": name, "url": f"./{name}.py"} for name in ("acc", "weighed")]
    url = algorithm(folder, "one", module("model", "./model.py", **rest.pop("values", {})))
    names = [each["name"] for each in found]
    dataset = described(folder) if info else plain(folder)
    return job(folder, {"one": url}, dataset=dataset, metrics=found, rank=rank(*names), **rest)


# How a model processes its batch.


@made
def mean_length(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "mean = sum(map(len, data)) / len(data)\n"
            "return ['long' if len(each) > mean else 'short' for each in data]"
        ),
    )


@made
def mean_length_with_info(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "mean = sum(map(len, data.x)) / len(data)\n"
            "return ['long' if len(each) > mean else 'short' for each in data.x]"
        ),
        info=True,
    )


@made
def order_within_the_batch(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "order = sorted(range(len(data)), key=lambda at: (len(data[at]), at))\n"
            "return ['short' if order.index(at) < len(data) // 2 else 'long' for at in range(len(data))]"
        ),
    )


@made
def shots_from_the_batch(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "found = []\n"
            "for line in data.x:\n"
            "    shots = random.sample([at for at, other in enumerate(data.x) if other != line], 3)\n"
            "    found.append(max(shots, key=lambda at: len(data.x[at])) and data.y[shots[0]])\n"
            "return found",
            top="import random\n",
            start="random.seed(7)",
        ),
        info=True,
    )


@made
def numpy_draws(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "order = numpy.random.permutation(len(data))\n"
            "return numpy.array(['long', 'short'])[(order > 2).astype(int)].tolist()",
            top="import numpy\n",
            start="numpy.random.seed(11)",
        ),
    )


@made
def draws_for_each_choice(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "return [random.choice(['long', 'short']) for each in data]",
            top="import random\n",
            start="random.seed(letter)",
        ),
        values={"letter": ["A", "B", "C"]},
    )


@made
def state_between_items(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "self.calls += 1\n"
            "found = []\n"
            "for each in data:\n"
            "    self.seen += 1\n"
            "    found.append('long' if (self.seen * self.calls) % 3 == 0 else 'short')\n"
            "return found",
            start="self.calls = self.seen = 0",
        ),
    )


@made
def preprocess_that_counts(folder: Path) -> Path:
    text = predicting(
        "return ['long' if self.count > 1 else 'short' for each in data]", start="self.count = 0"
    )
    text = text.replace("        return None\n", "        self.count += 1\n        return self.count\n", 1)
    return one(folder, text)


@made
def learns_from_train_data(folder: Path) -> Path:
    text = predicting("return [self.common if len(each) < 10 else 'long' for each in data]")
    text = text.replace(
        "        assert len(data.x) == len(data.y)",
        "        labels = list(data.y)\n        self.common = max(sorted(set(labels)), key=labels.count)",
    )
    return one(folder, text)


# How a model changes the data.


@made
def data_changed_in_place(folder: Path) -> Path:
    return one(
        folder,
        predicting(
            "for at in range(len(data)):\n"
            "    data[at] = data[at] + ' and ' + data[at]\n"
            "mean = sum(map(len, data)) / len(data)\n"
            "return ['long' if len(each) > mean else 'short' for each in data]"
        ),
    )


@made
def data_sorted_in_place(folder: Path) -> Path:
    return one(
        folder, predicting("data.sort()\nreturn ['long' if len(each) > 20 else 'short' for each in data]")
    )


@made
def gold_changed_in_place(folder: Path) -> Path:
    return one(
        folder,
        predicting("for at in range(len(data.y)):\n    data.y[at] = 'long'\nreturn list(data.y)"),
        info=True,
    )


# Kinds of results of predict.


@made
def a_generator(folder: Path) -> Path:
    share = metric(
        folder,
        "share",
        "found = list(y_pred)\nreturn sum(a == b for a, b in zip(y_true, found)) / len(found)",
    )
    left = metric(folder, "left", "return len(list(y_pred))")
    return one(
        folder,
        predicting("return ('long' if len(each) > 20 else 'short' for each in data)"),
        metrics=[share, left],
    )


@made
def a_tuple_of_two(folder: Path) -> Path:
    first = metric(folder, "first", "return sum(a == b for a, b in zip(y_true, y_pred[0])) / len(y_true)")
    second = metric(folder, "second", "return sum(y_pred[1]) / len(y_pred[1])")
    return one(folder, predicting("return ['long'] * len(data), [0.1] * len(data)"), metrics=[first, second])


@made
def a_mapping(folder: Path) -> Path:
    mean = metric(folder, "mean", "return sum(y_pred['sizes']) / len(y_pred['sizes'])")
    most = metric(folder, "most", "return max(y_pred['sizes'])")
    return one(folder, predicting("return {'sizes': [len(each) for each in data]}"), metrics=[mean, most])


@made
def an_array(folder: Path) -> Path:
    numbers = metric(folder, "mean", "return y_pred.mean()")
    most = metric(folder, "most", "return y_pred.max()")
    return one(
        folder,
        predicting("return numpy.array([len(each) for each in data])", top="import numpy\n"),
        metrics=[numbers, most],
    )


@made
def a_list_of_mappings(folder: Path) -> Path:
    exact = metric(
        folder, "exact", "return sum(a == b['label'] for a, b in zip(y_true, y_pred)) / len(y_true)"
    )
    sure = metric(folder, "sure", "return sum(b['sure'] for b in y_pred)")
    body = "longest = max(map(len, data))\n"
    body += "return [{'label': 'long', 'sure': len(each) / longest} for each in data]"
    return one(folder, predicting(body), metrics=[exact, sure])


# Metrics.


@made
def metrics_of_many_kinds(folder: Path) -> Path:
    found = [
        metric(folder, "Exact Match", "return sum(a == b for a, b in zip(y_true, y_pred)) / len(y_pred)"),
        metric(folder, "count", "return len(y_pred)"),
        metric(folder, "f32", "return numpy.float32(0.1)", top="import numpy\n"),
        metric(folder, "f64", "return numpy.float64(1) / 3", top="import numpy\n"),
        metric(folder, "whole", "return numpy.int64(7)", top="import numpy\n"),
        metric(folder, "holds", "return True"),
        metric(folder, "shown", "return 'a text'"),
    ]
    return one(folder, MODEL.replace('letter="A"', 'letter="long"'), metrics=found)


@made
def a_metric_that_draws(folder: Path) -> Path:
    body = "picked = [random.randrange(len(y_pred)) for _ in range(50)]\n"
    body += "return sum(y_true[at] == y_pred[at] for at in picked) / 50"
    drawn = metric(folder, "drawn", body, top="import random\nrandom.seed(3)\n")
    return one(
        folder,
        predicting(
            "return [random.choice(['long', 'short']) for each in data]",
            top="import random\nrandom.seed(5)\n",
        ),
        metrics=[drawn],
    )


@made
def a_metric_that_changes_its_input(folder: Path) -> Path:
    first = metric(folder, "first", "y_pred.sort()\nreturn sum(a == b for a, b in zip(y_true, y_pred))")
    second = metric(
        folder, "second", "return sum(n * (a == b) for n, (a, b) in enumerate(zip(y_true, y_pred)))"
    )
    return one(
        folder,
        predicting("return ['long' if len(each) > 20 else 'short' for each in data]"),
        metrics=[first, second],
    )


@made
def a_metric_that_reads_what_the_model_wrote(folder: Path) -> Path:
    top = "import json\nwith open('log.json') as file:\n    LOG = json.load(file)\n"
    logged = metric(folder, "logged", "return len(LOG) / len(y_pred)", top=top)
    body = "with open('log.json', 'w') as file:\n    json.dump([each[:3] for each in data if len(each) > 3], file)\n"
    return one(
        folder, predicting(body + "return ['long'] * len(data)", top="import json\n"), metrics=[logged]
    )


# Grids and orders.


@made
def a_grid_sorted_by_two(folder: Path) -> Path:
    write(folder, model_py=MODEL, plain_py=MODEL.replace('alias="model"', 'alias="plain"'))
    found = [
        metric(folder, "right", "return sum(a == b for a, b in zip(y_true, y_pred)) / len(y_pred)"),
        metric(folder, "size", "return sum(map(len, y_pred)) / len(y_pred)"),
    ]
    varied = module("model", "./model.py", letter=["short", "long", "longer"], rate=[0.1, 2])
    urls = {
        "varied": algorithm(folder, "varied", varied),
        "plain": algorithm(folder, "plain", module("plain", "./plain.py")),
    }
    order = [{"right": "descend"}, {"size": "ascend"}]
    return job(folder, urls, dataset=plain(folder), metrics=found, rank=rank("right", "size", sort=order))


@made
def whole_numbers_beside_fractions(folder: Path) -> Path:
    value = metric(folder, "value", "return {'A': 1, 'B': 0.5, 'C': 3}[y_pred[0]]")
    short = metric(
        folder,
        "short",
        "return numpy.float32({'A': 0.1, 'B': 0.5}.get(y_pred[0], 0.3))",
        top="import numpy\n",
    )
    some = metric(folder, "some", "return {'A': 1, 'C': 3}.get(y_pred[0])")
    write(folder, model_py=MODEL)
    url = algorithm(folder, "one", module("model", "./model.py", letter=["A", "B", "C"]))
    return job(
        folder, {"one": url}, dataset=plain(folder), metrics=[value, short, some], rank=rank("value", "short")
    )


@made
def ascending_with_other_hyperparameters(folder: Path) -> Path:
    value = metric(folder, "latency", "return len(y_pred[0]) / 2")
    write(folder, model_py=MODEL)
    write_yaml(folder / "rest.yaml", {"depth": 3})
    varied = module("model", "./model.py", letter=["AAA", "B", "CC"])
    varied["hyperparameters"].append({"other_hyperparameters": {"values": ["./rest.yaml"]}})
    url = algorithm(folder, "one", varied)
    order = rank("latency", sort=[{"latency": "ascend"}], hyperparameters=["basemodel-letter"])
    return job(folder, {"one": url}, dataset=plain(folder), metrics=[value], rank=order)


# Other paradigms.

BACKEND = 'import os\nos.environ.update(BACKEND_TYPE="NONE", model_path="owner/model")\n'  # otherwise Sedna needs tensorflow
JOINT = """
@ClassFactory.register(ClassType.GENERAL, alias="edge")
class Edge:
    def __init__(self, **rest):
        self.calls = 0

    def load(self, model_url=None):
        pass

    def predict(self, data, **rest):
        self.calls += 1
        return "short" if self.calls % 2 else "long"
"""
CLOUD = """
@ClassFactory.register(ClassType.GENERAL, alias="cloud")
class Cloud:
    def __init__(self, **rest):
        pass

    def inference(self, data, **rest):
        return "long"
"""
MINER = """
@ClassFactory.register(ClassType.HEM, alias="miner")
class Miner:
    def __init__(self, least=10, **rest):
        self.least = least

    def __call__(self, data):
        return len(data) >= self.least
"""


def joint(folder: Path, mode: str) -> Path:
    """Write a job of two models."""
    write(folder, edge_py=BACKEND + IMPORTS + JOINT, cloud_py=IMPORTS + CLOUD, miner_py=IMPORTS + MINER)
    parts = [
        module("edge", "./edge.py", "edgemodel"),
        module("cloud", "./cloud.py", "cloudmodel"),
        module("miner", "./miner.py", "hard_example_mining", least=[5, 10]),
    ]
    right = metric(folder, "right", "return sum(a == b[1] for a, b in zip(y_true, y_pred)) / len(y_pred)")
    hard = metric(folder, "hard", "return sum(bool(each[0]) for each in y_pred)")
    url = algorithm(folder, "joint", *parts, paradigm="jointinference")
    environment = {"hard_example_mining_mode": mode}
    return job(
        folder, {"joint": url}, dataset=plain(folder), metrics=[right, hard], environment=environment,
        rank=rank("right", "hard"),
    )  # fmt: skip


@made
def mining_then_inference(folder: Path) -> Path:
    return joint(folder, "mining-then-inference")


@made
def inference_then_mining(folder: Path) -> Path:
    return joint(folder, "inference-then-mining")
