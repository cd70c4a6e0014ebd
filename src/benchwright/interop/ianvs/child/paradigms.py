"""The paradigms of Ianvs: single-task learning, joint inference and federated learning."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from benchwright.errors import DataError, PrerequisiteError, install_command
from benchwright.interop.ianvs.child.case_spec import load_registered
from benchwright.interop.ianvs.child.datasets import DataItem, DataPlace, read_items, source_maker
from benchwright.interop.ianvs.child.predictions import (
    CasePredictions,
    PredictionState,
    predict,
    predict_iterated,
)
from benchwright.interop.ianvs.child.sedna_shim import AggClient, ClassType, known_arguments

_MODEL = "model_path"  # where examples tell Sedna of their model
_KINDS = {"hard_example_mining": ClassType.HEM, "aggregation": ClassType.FL_AGG}


def run_paradigm(work: PredictionState) -> CasePredictions:
    """The predictions of a case. What the example's code raises goes through."""
    os.environ["LOCAL_TEST"] = "TRUE"
    if work.spec.environment["use_gpu"]:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    return _paradigm(work.spec.paradigm)(work, _instances(work))


def _paradigm(name: str) -> Callable[[PredictionState, dict[str, Any]], CasePredictions]:
    if name == "federatedlearning":
        return federated_learning
    return single_task_learning if name == "singletasklearning" else joint_inference


def _instances(work: PredictionState) -> dict[str, Any]:
    """An object of each module by its type; a miner of hard examples is made later, with its models."""
    instances = {}
    for kind, module in work.spec.modules.items():
        with work.setup(f"loading {module['name']} ({kind})"):
            thing = load_registered(Path(module["url"]), _KINDS.get(kind, ClassType.GENERAL), module["name"])
            instances[kind] = thing if kind == "hard_example_mining" else thing(**module["hyperparameters"])
    return instances


def single_task_learning(work: PredictionState, instances: dict[str, Any]) -> CasePredictions:
    """preprocess, train, save, load, predict of one model."""
    spec, model = work.spec, instances["basemodel"]
    with work.setup("preprocess"):
        preprocess = getattr(model, "preprocess", None)
        if preprocess is not None and preprocess() is not None:
            preprocess()  # Ianvs calls it once more where it returns something
    work.progress.at("reading the train data")
    train_data = _train_data(work)
    os.environ["BASE_MODEL_URL"] = spec.initial_model
    with work.setup("train"):
        _call(model, "train", train_data)
        trained = _call(model, "save", spec.own_output)
    os.environ["RESULT_SAVED_URL"] = f"{spec.folder}/output/inference/"
    with work.setup("load"):
        _call(model, "load", spec.initial_model if trained is None else trained)
    if not hasattr(model, "predict"):
        raise DataError(
            f"{type(model).__name__} has no method `predict`", hint="def predict(self, data, **kwargs)"
        )
    return predict(work, lambda data: model.predict(data if hasattr(data, "need_other_info") else data.x))


def _train_data(work: PredictionState) -> Any:
    if (place := work.spec.train) is None:
        return source_maker(work.spec.test._replace(kind="jsonl"), "train")([])
    return source_maker(place, "train")(read_items(place))


def _call(model: Any, method: str, argument: Any) -> Any:
    """Return the result of a method, or None if the model does not have it."""
    function = getattr(model, method, None)
    return None if function is None else function(argument)


def joint_inference(work: PredictionState, instances: dict[str, Any]) -> CasePredictions:
    """A model on the edge, one in the cloud, and a miner of hard examples that decides between them."""
    edge, cloud = instances["edgemodel"], instances["cloudmodel"]
    os.environ["RESULT_SAVED_URL"] = str(work.spec.folder.parent)
    items = _processed_items(work, instances.get("dataset_processor"))
    with work.setup("load"):
        edge.load(**known_arguments(edge.load, model_url=os.environ.get(_MODEL)))
        miner = _miner(work, instances)
    mode = work.spec.environment["mining_mode"]
    found = predict_iterated(work, items, lambda data: infer(data, edge, cloud, miner, mode))
    with work.setup("cleanup"):
        for each in (*instances.values(), miner):
            if hasattr(each, "cleanup") and not isinstance(each, type):
                each.cleanup()
    return found


def _miner(work: PredictionState, instances: dict[str, Any]) -> Any:
    module = work.spec.modules["hard_example_mining"]
    chosen = dict(module["hyperparameters"])
    if module["name"] == "OracleRouter":
        chosen |= {kind: instances[kind] for kind in ("edgemodel", "cloudmodel")}
    return instances["hard_example_mining"](**chosen)


def _processed_items(work: PredictionState, processor: Any) -> Iterator[DataItem]:
    """The records as they are read, or all of them through the example's processor."""
    if not callable(processor):
        return read_items(work.spec.test)
    items = list(read_items(work.spec.test))
    with work.setup("dataset_processor"):
        data = processor(source_maker(work.spec.test, "inference")(items))
    if len(data.x) != len(items):
        raise DataError(
            f"the dataset_processor returned {len(data.x)} records for {len(items)}",
            hint="return every record",
        )
    return (item._replace(x=x) for item, x in zip(items, data.x, strict=True))


def infer(data: Any, edge: Any, cloud: Any, miner: Any, mode: str) -> Any:
    """[whether it is hard, result, the edge's result, the cloud's], as Sedna's JointInference gives it.

    In the mode self-design the edge's model decides by itself, and what it gives is the result.
    """
    from copy import deepcopy  # noqa: PLC0415 (one paradigm alone copies)

    if mode == "self-design":
        return edge.predict(data, **known_arguments(edge.predict, mining_mode=mode))
    at_edge = at_cloud = result = None
    if mode == "inference-then-mining":
        at_edge = edge.predict(data, **known_arguments(edge.predict, mining_mode=mode))
        result = deepcopy(at_edge)
        hard = miner(result)
    else:
        hard = miner(data)
        if not hard:
            at_edge = edge.predict(data, **known_arguments(edge.predict, mining_mode=mode))
            result = deepcopy(at_edge)
    if hard:
        at_cloud = cloud.inference(data, post_process=None, mining_mode=mode)
        result = deepcopy(at_cloud)
    return [hard, result, at_edge, at_cloud]


_SEED = 0


def federated_learning(work: PredictionState, instances: dict[str, Any]) -> CasePredictions:
    """Rounds of training, aggregation and handing out the weights; then the first client predicts.

    Clients train one after the other, so that one round is like the next; Ianvs gives each a thread.
    """
    spec, aggregator = work.spec, instances["aggregation"]
    clients = [deepcopy(instances["basemodel"]) for _ in range(spec.environment["clients"])]
    parts = _parts(work, len(clients))
    for number in range(spec.environment["rounds"]):
        handed_in: list[AggClient] = []
        for client, part in zip(clients, parts, strict=True):
            stage = f"round {number + 1}: train of client {len(handed_in) + 1} of {len(clients)}"
            with work.setup(stage):
                handed_in.append(_train_client(client, part, number))
        with work.setup(f"round {number + 1}: aggregation"):
            weights = aggregator.aggregate(handed_in)
            for client in clients:
                client.set_weights(weights)
    model = clients[0]
    return predict(work, lambda data: model.predict(data.x, **known_arguments(model.predict, kwargs={})))


def _train_client(client: Any, part: Any, number: int) -> AggClient:
    result = client.train(part, None, **known_arguments(client.train, round=number))
    if not isinstance(result, dict) or "num_samples" not in result:
        raise DataError(
            "train of a client must return a dict with 'num_samples'", hint="return {'num_samples': len(x)}"
        )
    handed_in = AggClient()
    handed_in.num_samples = result["num_samples"]
    handed_in.weights = client.get_weights()
    return handed_in


def _parts(work: PredictionState, clients: int) -> list[Any]:
    """The train data in parts, as pairs of arrays; drawn with a fixed seed, in `strict` with numpy's own."""
    numpy, spec = _numpy(), work.spec
    if spec.train is None or spec.train.kind != "txt":
        hint = "use an index of .npy files: `train_index: ./train.txt` with a path and a label per line"
        raise DataError("federated learning requires a text file of arrays as train data", hint=hint)
    work.progress.at("reading the train data")
    x, y = _arrays(numpy, _split(spec.train, spec.folder, float(spec.federated["train_ratio"])))
    draw = numpy.random if spec.strict else numpy.random.default_rng(_SEED)
    partition = spec.federated["data_partition"]
    if partition == "iid":
        order = numpy.arange(len(x))
        draw.shuffle(order)
        bounds = [number * len(x) // clients for number in range(clients + 1)]
        return [[x[order[a:b]], y[order[a:b]]] for a, b in pairwise(bounds)]
    if partition != "non-iid":
        raise DataError(f"unknown data partition: {partition!r}", field="data_partition", hint="iid, non-iid")
    return list(_by_class(numpy, draw, x, y, clients, float(spec.federated["non_iid_ratio"])))


def _by_class(numpy: Any, draw: Any, x: Any, y: Any, clients: int, ratio: float) -> Iterator[Any]:
    """Give each client all records of some classes, drawn separately for each client."""
    classes = numpy.unique(y)
    for _ in range(clients):
        chosen = numpy.isin(y, draw.choice(classes, int(len(classes) * ratio), replace=False))
        yield [x[chosen], y[chosen]]


def _arrays(numpy: Any, place: DataPlace) -> tuple[Any, Any]:
    """The rows of all files one after the other, each with the label of its file."""
    rows, labels = [], []
    for item in read_items(place):
        try:
            rows.append(numpy.load(item.x, allow_pickle=False))
            labels.append(numpy.full((len(rows[-1]),), int(item.y), dtype=numpy.int32))
        except (OSError, ValueError, TypeError) as error:
            hint = "each line must contain the path of a .npy file and an integer"
            raise DataError(
                f"invalid array or label: {error}", path=str(place.path), line=item.line, hint=hint
            ) from None
    if not rows:
        raise DataError("contains no records", path=str(place.path), hint="list at least one .npy file")
    return numpy.concatenate(rows), numpy.concatenate(labels)


def _split(place: DataPlace, folder: Path, ratio: float) -> DataPlace:
    """The first part of an index as a file in the folder of the case, where Ianvs puts it too."""
    items = list(read_items(place))
    target = folder / "dataset" / "model_train-1.txt"
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{item.x} {item.y}\n" for item in islice(items, int(len(items) * ratio)))
    target.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
    return place._replace(path=target, strict=False)


def _numpy() -> Any:
    try:
        import numpy  # noqa: PLC0415 (the example's own need)
    except ImportError:
        raise PrerequisiteError("federated learning requires numpy", hint=install_command("numpy")) from None
    return numpy
