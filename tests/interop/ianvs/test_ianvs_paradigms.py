"""Joint inference and federated learning, with small models in the shapes of Ianvs's examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.interop.ianvs.child.paradigms import infer
from kit.made_ianvs import IMPORTS, algorithm, job, module, run, write, write_lines, write_yaml
from kit.needs import need_module

EDGE = (
    IMPORTS
    + """
from core.common.log import LOGGER

@ClassFactory.register(ClassType.GENERAL, alias="Edge")
class Edge:
    def __init__(self, **kwargs):
        LOGGER.info("edge with %s", kwargs)

    def load(self, **kwargs):
        self.loaded = True

    def predict(self, data, **kwargs):
        return {"completion": "A", "mode": kwargs["mining_mode"]}

    def cleanup(self):
        open("cleaned.txt", "a").write("edge ")
"""
)
CLOUD = (
    IMPORTS
    + """
@ClassFactory.register(ClassType.GENERAL, alias="Cloud")
class Cloud:
    def __init__(self, **kwargs):
        pass

    def inference(self, data, **kwargs):
        return {"completion": "B"}
"""
)
MINER = (
    IMPORTS
    + """
@ClassFactory.register(ClassType.HEM, alias="Length")
class Length:
    def __init__(self, limit=10, **kwargs):
        self.limit = limit

    def __call__(self, data=None):
        text = data if isinstance(data, str) else data.get("query", data.get("completion"))
        return len(text) > self.limit

    def cleanup(self):
        open("cleaned.txt", "a").write("miner ")

@ClassFactory.register(ClassType.HEM, alias="OracleRouter")
class Oracle:
    def __init__(self, edgemodel, cloudmodel, **kwargs):
        self.models = edgemodel, cloudmodel

    def __call__(self, data=None):
        return self.models[1].inference(data)["completion"] == data["gold"]
"""
)
PROCESSOR = (
    IMPORTS
    + """
@ClassFactory.register(ClassType.GENERAL, alias="WithGold")
class WithGold:
    def __init__(self, **kwargs):
        pass

    def __call__(self, dataset):
        dataset.x = [{"query": x, "gold": y} for x, y in zip(dataset.x, dataset.y)]
        return dataset
"""
)
RATIO = (
    IMPORTS
    + """
@ClassFactory.register(ClassType.GENERAL, alias="Accuracy")
def accuracy(y_true, y_pred):
    return 100 * sum(y == result["completion"] for y, (hard, result, edge, cloud) in zip(y_true, y_pred)) / len(y_pred)

@ClassFactory.register(ClassType.GENERAL, alias="Edge Ratio")
def edge_ratio(_, y_pred):
    return 100 * (1 - sum(row[0] for row in y_pred) / len(y_pred))
"""
)


def joint_job(folder: Path, miner: str = "Length", *, processor: bool = False, **environment: Any) -> Path:
    """Two short questions with the answer A and two long ones with B."""
    write(folder, edge_py=EDGE, cloud_py=CLOUD, miner_py=MINER, processor_py=PROCESSOR, ratio_py=RATIO)
    modules = [
        *([module("WithGold", "./processor.py", "dataset_processor")] if processor else []),
        module("Edge", "./edge.py", "edgemodel", backend=["api"]),
        module("Cloud", "./cloud.py", "cloudmodel"),
        module(miner, "./miner.py", "hard_example_mining"),
    ]
    url = algorithm(folder, "routing", *modules, paradigm="jointinference")
    rows = [
        {"query": text, "response": y}
        for text, y in (("a?", "A"), ("b?", "A"), ("c" * 20, "B"), ("d" * 20, "B"))
    ]
    write_yaml(folder / "data" / "metadata.json", {"dataset": "routing"})
    write_lines(folder / "data" / "data.jsonl", rows)
    metrics = [{"name": name, "url": "./ratio.py"} for name in ("Accuracy", "Edge Ratio")]
    dataset = {"test_data_info": "./data/metadata.json"}
    return job(folder, {"routing": url}, metrics=metrics, dataset=dataset, environment=environment)


@pytest.mark.parametrize(
    ("mode", "accuracy", "ratio"),
    [("mining-then-inference", 100.0, 50.0), ("inference-then-mining", 50.0, 100.0)],
)
def test_joint_inference(tmp_path: Path, mode: str, accuracy: float, ratio: float) -> None:
    """Mined on the question, long ones go to the cloud; mined on the edge's answer, none does."""
    report = run(joint_job(tmp_path, hard_example_mining_mode=mode))
    (result,) = report.results
    first = json.loads(Path(result.url, "predictions.jsonl").read_text().splitlines()[0])["prediction"]

    assert {name: each.value for name, each in result.metrics.items()} == {
        "Accuracy": accuracy,
        "Edge Ratio": ratio,
    }
    assert first == [False, {"completion": "A", "mode": mode}, {"completion": "A", "mode": mode}, None]
    assert (tmp_path / "cleaned.txt").read_text() == "edge miner "
    assert result.modules == {"edgemodel": "Edge", "cloudmodel": "Cloud", "hard_example_mining": "Length"}


def test_joint_inference_with_a_processor_and_an_oracle(tmp_path: Path) -> None:
    """The oracle gets both models; its row has no address of an object in it."""
    report = run(joint_job(tmp_path, "OracleRouter", processor=True))

    assert [each.value for each in report.results[0].metrics.values()] == [100.0, 50.0]
    assert report.results[0].hyperparameters == {"edgemodel-backend": "api"}


def test_self_design_is_the_edge_models_own() -> None:
    """The model's return value is the result, in any form."""

    class Own:
        def predict(self, data: Any) -> str:
            return f"mine: {data}"

    assert infer("q", Own(), None, None, "self-design") == "mine: q"


CLIENT = (
    IMPORTS
    + '''
import os
import numpy as np
os.environ["BACKEND_TYPE"] = "TENSORFLOW"

@ClassFactory.register(ClassType.GENERAL, alias="mean")
class Mean:
    """Learns the mean of each class; weights are those means."""
    def __init__(self, **kwargs):
        self.means = np.zeros((2, 3))

    def train(self, train_data, valid_data, **kwargs):
        x, y = train_data
        assert kwargs["round"] in (0, 1)
        open("sizes.txt", "a").write(f"{len(x)} ")
        self.means = np.stack([x[y == label].mean(axis=0) for label in (0, 1)])
        return {"num_samples": len(x)}

    def get_weights(self):
        return [row.tolist() for row in self.means]

    def set_weights(self, weights):
        self.means = np.array(weights)

    def predict(self, data, **kwargs):
        found = {}
        for path in data:
            x = np.load(path)
            found[path] = np.argmin([((x - mean) ** 2).sum(axis=1) for mean in self.means], axis=0)
        return found
'''
)
AGGREGATION = (
    IMPORTS
    + """
import numpy as np
from sedna.algorithms.aggregation.aggregation import BaseAggregation

@ClassFactory.register(ClassType.FL_AGG, "FedAvg")
class FedAvg(BaseAggregation):
    def aggregate(self, clients):
        self.total_size = sum(client.num_samples for client in clients)
        weighted = [np.array(client.weights) * client.num_samples / self.total_size for client in clients]
        return sum(weighted).tolist()
"""
)
ROWS_ACC = (
    IMPORTS
    + """
import numpy as np

@ClassFactory.register(ClassType.GENERAL, alias="accuracy")
def accuracy(y_true, y_pred, **kwargs):
    right = [(found == int(label)).mean() for label, found in zip(y_true, y_pred.values())]
    return float(np.mean(right))
"""
)


def federated_job(folder: Path, **changed: Any) -> Path:
    """Two clients, two rounds, 80 rows in two classes that lie apart."""
    numpy = need_module("numpy")
    write(folder, client_py=CLIENT, aggregation_py=AGGREGATION, acc_py=ROWS_ACC)
    draw = numpy.random.default_rng(7)
    for use in ("train", "test"):
        for label in (0, 1):
            path = folder / "data" / use / f"{label}.npy"
            path.parent.mkdir(parents=True, exist_ok=True)
            numpy.save(path, draw.normal(5.0 * label, 1.0, (40, 3)))
        (folder / "data" / f"{use}.txt").write_text(f"{use}/0.npy 0\n\n{use}/1.npy 1\n")
    modules = [module("mean", "./client.py"), module("FedAvg", "./aggregation.py", "aggregation")]
    url = algorithm(folder, "fedavg", *modules, paradigm="federatedlearning", **changed)
    dataset = {"train_index": "./data/train.txt", "test_index": "./data/test.txt"}
    metrics = [{"name": "accuracy", "url": "./acc.py"}]
    environment = {"round": 2, "client_number": 2}
    return job(folder, {"fedavg": url}, metrics=metrics, dataset=dataset, environment=environment)


def test_federated_learning(tmp_path: Path) -> None:
    """Each client trains on half of the rows in both rounds; the named backend is not needed."""
    report = run(federated_job(tmp_path))

    assert [each.metrics["accuracy"].value for each in report.results] == [1.0]
    assert (tmp_path / "sizes.txt").read_text() == "40 40 40 40 "
    assert Path(report.results[0].url, "dataset", "model_train-1.txt").read_text().count("\n") == 2


def test_federated_learning_on_other_parts(tmp_path: Path) -> None:
    """Classes for each client, and an unknown method of partition."""
    whole = {"fl_data_setting": {"data_partition": "non-iid", "non_iid_ratio": 1.0}}
    odd = {"fl_data_setting": {"data_partition": "by weather"}}

    assert run(federated_job(tmp_path, **whole)).complete
    assert run(federated_job(tmp_path, **odd)).failures[0].message == (
        "field `data_partition`: unknown data partition: 'by weather'"
    )
    with pytest.raises(UsageError, match="unsupported splitting method"):
        run(federated_job(tmp_path, fl_data_setting={"splitting_method": "city_splitting"}))


def test_an_index_with_labels_as_ianvs_reads_it(tmp_path: Path) -> None:
    """There each label is taken for a path beside the index; here it is a label."""
    shown = (
        IMPORTS
        + """
@ClassFactory.register(ClassType.GENERAL, alias="labels")
def labels(y_true, y_pred):
    return "|".join(y_true)
"""
    )
    path = federated_job(tmp_path)
    write(tmp_path, acc_py=shown)
    text = (tmp_path / "testenv.yaml").read_text().replace('"accuracy"', '"labels"')
    (tmp_path / "testenv.yaml").write_text(text)

    assert run(path).results[0].metrics["labels"].cell == "0|1"
