"""Emulates an MLflow tracking server: the requests of its REST API that an export makes.

https://mlflow.org/docs/latest/rest-api.html; artifacts go to `mlflow-artifacts`. As in MLflow's own database,
an equal point of a metric is one row, and a parameter never changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kit.json_server import JsonAsked, Reply, serving_json

_FILTER = re.compile(r"tags\.`(?P<tag>[^`]+)` = '(?P<value>[^']*)'")


class MadeMlflow:
    """Experiments and runs in memory. With a token, requests without it are refused."""

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.experiments: dict[str, str] = {}
        self.runs: list[dict[str, Any]] = []
        self.artifacts: dict[str, bytes] = {}

    def answer(self, asked: JsonAsked) -> Reply:
        """Return the reply to one request."""
        if self.token and asked.headers.get("authorization") != f"Bearer {self.token}":
            return 401, b"You are not authenticated."
        if "/mlflow-artifacts/artifacts/" in asked.path:
            self.artifacts[asked.path.partition("/artifacts/")[2]] = asked.body
            return 200, {}
        name = asked.path.rpartition("/mlflow/")[2].replace("/", "_").replace("-", "_")
        act = getattr(self, f"_{name}", None)
        if act is None:
            return 404, {"error_code": "ENDPOINT_NOT_FOUND", "message": asked.path}
        given = asked.document if asked.body else {key: each[0] for key, each in asked.query.items()}
        reply: Reply = act(given)
        return reply

    def _experiments_get_by_name(self, given: dict[str, Any]) -> Reply:
        name = given["experiment_name"]
        if name not in self.experiments:
            return 404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": f"no experiment {name}"}
        found = {"experiment_id": self.experiments[name], "name": name, "lifecycle_stage": "active"}
        return 200, {"experiment": found}

    def _experiments_create(self, given: dict[str, Any]) -> Reply:
        self.experiments[given["name"]] = str(len(self.experiments) + 1)
        return 200, {"experiment_id": self.experiments[given["name"]]}

    def _runs_search(self, given: dict[str, Any]) -> Reply:
        found = _FILTER.fullmatch(given["filter"])
        assert found, given
        return 200, {"runs": [run for run in self.runs if _tags(run).get(found["tag"]) == found["value"]]}

    def _runs_create(self, given: dict[str, Any]) -> Reply:
        run_id = f"{len(self.runs):032x}"
        info = {
            "run_id": run_id,
            "run_uuid": run_id,
            "experiment_id": given["experiment_id"],
            "status": "RUNNING",
            "start_time": given["start_time"],
            "lifecycle_stage": "active",
            "artifact_uri": f"mlflow-artifacts:/{given['experiment_id']}/{run_id}/artifacts",
        }
        self.runs.append({"info": info, "data": {"metrics": [], "params": [], "tags": given["tags"]}})
        return 200, {"run": self.runs[-1]}

    def _runs_get(self, given: dict[str, Any]) -> Reply:
        return 200, {"run": self._run(given)}

    def _runs_log_batch(self, given: dict[str, Any]) -> Reply:
        data = self._run(given)["data"]
        data["metrics"] += [each for each in given.get("metrics", []) if each not in data["metrics"]]
        known = {each["key"]: each["value"] for each in data["params"]}
        for each in given.get("params", []):
            if known.get(each["key"], each["value"]) != each["value"]:
                return 400, {"error_code": "INVALID_PARAMETER_VALUE", "message": "params do not change"}
            data["params"].append(each)
        names = {each["key"] for each in given.get("tags", [])}
        data["tags"] = [each for each in data["tags"] if each["key"] not in names] + given.get("tags", [])
        return 200, {}

    def _runs_update(self, given: dict[str, Any]) -> Reply:
        info = self._run(given)["info"]
        info.update({name: given[name] for name in ("status", "end_time") if name in given})
        return 200, {"run_info": info}

    def _run(self, given: dict[str, Any]) -> dict[str, Any]:
        wanted = given.get("run_id") or given["run_uuid"]
        return next(run for run in self.runs if run["info"]["run_id"] == wanted)


def _tags(run: dict[str, Any]) -> dict[str, str]:
    return {each["key"]: each["value"] for each in run["data"]["tags"]}


@contextmanager
def serving_mlflow(made: MadeMlflow) -> Iterator[str]:
    """Serve it for the duration of the block; yield its address."""
    with serving_json(made.answer) as address:
        yield address
