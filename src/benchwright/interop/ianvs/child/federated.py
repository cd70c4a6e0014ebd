"""Federated learning: clients that each train on a part of the data, and an aggregator of their weights."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from benchwright.errors import DataError, PrerequisiteError, install_command
from benchwright.interop.ianvs.child.datasets import DataPlace, read_items
from benchwright.interop.ianvs.child.predicting import CasePredictions, Predicting, predict
from benchwright.interop.ianvs.child.standins import AggClient, known_arguments

_SEED = 0


def federated_learning(work: Predicting, instances: dict[str, Any]) -> CasePredictions:
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
                handed_in.append(_trained(client, part, number))
        with work.setup(f"round {number + 1}: aggregation"):
            weights = aggregator.aggregate(handed_in)
            for client in clients:
                client.set_weights(weights)
    model = clients[0]
    return predict(work, lambda data: model.predict(data.x, **known_arguments(model.predict, kwargs={})))


def _trained(client: Any, part: Any, number: int) -> AggClient:
    said = client.train(part, None, **known_arguments(client.train, round=number))
    if not isinstance(said, dict) or "num_samples" not in said:
        raise DataError(
            "train of a client must return a dict with 'num_samples'", hint="return {'num_samples': len(x)}"
        )
    handed_in = AggClient()
    handed_in.num_samples = said["num_samples"]
    handed_in.weights = client.get_weights()
    return handed_in


def _parts(work: Predicting, clients: int) -> list[Any]:
    """The train data in parts, as pairs of arrays; drawn with a fixed seed, in `strict` with numpy's own."""
    numpy, spec = _numpy(), work.spec
    if spec.train is None or spec.train.kind != "txt":
        hint = "use an index of .npy files: `train_index: ./train.txt` with a path and a label per line"
        raise DataError("federated learning requires a text file of arrays as train data", hint=hint)
    work.teller.at("reading the train data")
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
    """To each client all records of some classes, chosen anew for each."""
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
