"""Single-task learning and joint inference, with Ianvs's order of calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.interop.ianvs.child.datasets import DataItem, read_items, source_maker
from benchwright.interop.ianvs.child.loading import registered
from benchwright.interop.ianvs.child.predicting import CasePredictions, Predicting, predict, predict_iterated
from benchwright.interop.ianvs.child.standins import ClassType, known_arguments

_MODEL = "model_path"  # where examples tell Sedna of their model
_KINDS = {"hard_example_mining": ClassType.HEM, "aggregation": ClassType.FL_AGG}


def run_paradigm(work: Predicting) -> CasePredictions:
    """The predictions of a case. What the example's code raises goes through."""
    os.environ["LOCAL_TEST"] = "TRUE"
    if work.spec.environment["use_gpu"]:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    return _paradigm(work.spec.paradigm)(work, _instances(work))


def _paradigm(name: str) -> Callable[[Predicting, dict[str, Any]], CasePredictions]:
    if name == "federatedlearning":
        from benchwright.interop.ianvs.child.federated import federated_learning  # noqa: PLC0415 (rare)

        return federated_learning
    return single_task_learning if name == "singletasklearning" else joint_inference


def _instances(work: Predicting) -> dict[str, Any]:
    """An object of each module by its type; a miner of hard examples is made later, with its models."""
    made = {}
    for kind, module in work.spec.modules.items():
        with work.setup(f"loading {module['name']} ({kind})"):
            thing = registered(Path(module["url"]), _KINDS.get(kind, ClassType.GENERAL), module["name"])
            made[kind] = thing if kind == "hard_example_mining" else thing(**module["hyperparameters"])
    return made


def single_task_learning(work: Predicting, instances: dict[str, Any]) -> CasePredictions:
    """preprocess, train, save, load, predict of one model."""
    spec, model = work.spec, instances["basemodel"]
    with work.setup("preprocess"):
        preprocess = getattr(model, "preprocess", None)
        if preprocess is not None and preprocess() is not None:
            preprocess()  # Ianvs calls it once more where it returns something
    work.teller.at("reading the train data")
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


def _train_data(work: Predicting) -> Any:
    if (place := work.spec.train) is None:
        return source_maker(work.spec.test._replace(kind="jsonl"), "train")([])
    return source_maker(place, "train")(read_items(place))


def _call(model: Any, method: str, argument: Any) -> Any:
    """What a method returns; None where the model has none."""
    function = getattr(model, method, None)
    return None if function is None else function(argument)


def joint_inference(work: Predicting, instances: dict[str, Any]) -> CasePredictions:
    """A model on the edge, one in the cloud, and a miner of hard examples that decides between them."""
    edge, cloud = instances["edgemodel"], instances["cloudmodel"]
    os.environ["RESULT_SAVED_URL"] = str(work.spec.folder.parent)
    items = _processed(work, instances.get("dataset_processor"))
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


def _miner(work: Predicting, instances: dict[str, Any]) -> Any:
    module = work.spec.modules["hard_example_mining"]
    chosen = dict(module["hyperparameters"])
    if module["name"] == "OracleRouter":
        chosen |= {kind: instances[kind] for kind in ("edgemodel", "cloudmodel")}
    return instances["hard_example_mining"](**chosen)


def _processed(work: Predicting, processor: Any) -> Iterator[DataItem]:
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
