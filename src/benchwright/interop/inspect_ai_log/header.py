"""The header of an Inspect log, and access to the package inspect-ai."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import PurePath
from typing import Any, NamedTuple

import msgspec

from benchwright.errors import PrerequisiteError, install_command
from benchwright.records import Metric, Score, TaskId
from benchwright.running.run_data import measures_of
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.version import VERSION

SCORER = "benchwright"
# Fields of a model's identity that Inspect's GenerateConfig has too, by its names.
_SETTINGS = {
    "temperature": ("temperature", int | float),
    "top_p": ("top_p", int | float),
    "max_tokens": ("max_tokens", int),
    "seed": ("seed", int),
    "stop": ("stop_seqs", list),
}


class Header(NamedTuple):
    """Parts of an EvalLog without its samples."""

    spec: Any
    plan: Any
    results: Any
    stats: Any


class RunFacts(NamedTuple):
    """Facts from reading all answers of a run."""

    tasks: list[TaskId]
    n: int  # answers a task
    model: str
    usage: Mapping[str, tuple[int, int]]  # tokens in and out, by model


def make_header(
    package: InspectPackage, folder: RunFolder, score: Score, *, facts: RunFacts, title: str
) -> Header:
    """Make everything that is independent of samples. Ids are derived from the run's identity."""
    config = _settings(package, folder)
    return Header(
        spec=_spec(package, folder, config, facts=facts, score=score, title=title),
        plan=package.log.EvalPlan(name=SCORER, config=config),
        results=_results(package, score, tasks=len(facts.tasks)),
        stats=package.log.EvalStats(
            started_at=_time(folder, "started"),
            completed_at=_time(folder, "finished"),
            model_usage={
                name: package.model.ModelUsage(input_tokens=a, output_tokens=b, total_tokens=a + b)
                for name, (a, b) in facts.usage.items()
            },
        ),
    )


def _spec(
    package: InspectPackage, folder: RunFolder, config: Any, *, facts: RunFacts, score: Score, title: str
) -> Any:
    identity = folder.manifest["identity"]
    data = str(folder.manifest.get("data"))
    key = content_key(identity)
    return package.log.EvalSpec(
        eval_id=content_key(key, "eval")[:22],
        run_id=content_key(key, "run")[:22],
        task_id=content_key(key, "task")[:22],
        created=_time(folder, "started") or "1970-01-01T00:00:00+00:00",
        task=score.track,
        task_display_name=title,
        dataset=package.log.EvalDataset(
            name=PurePath(data).name,
            location=data,
            samples=len(facts.tasks),
            sample_ids=facts.tasks,
            shuffled=False,
        ),
        model=facts.model,
        model_generate_config=config,
        config=package.log.EvalConfig(epochs=facts.n, epochs_reducer=["mean"], fail_on_error=False),
        packages={"benchwright": str(folder.manifest.get("version") or VERSION)},
        metadata={
            "exported_by": f"{SCORER} {VERSION}",
            "model": score.model,
            "data_sha256": identity.get("data"),
            "identity": identity,
            "host": folder.manifest.get("host"),
            "jail": folder.manifest.get("jail"),
        },
    )


def _results(package: InspectPackage, score: Score, *, tasks: int) -> Any:
    judged = {score.profile: score.metrics, **score.other_profiles}
    facts = msgspec.to_builtins(score)
    for name in ("metrics", "other_profiles"):
        facts.pop(name, None)
    return package.log.EvalResults(
        total_samples=score.answers,
        completed_samples=score.answers - score.missing,
        scores=[
            _eval_score(package, profile, _ordered_metrics(score, metrics), tasks=tasks)
            for profile, metrics in judged.items()
        ],
        metadata=facts,
    )


def _ordered_metrics(score: Score, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Sort metrics as in tables: the headline is first."""
    return {name: metrics[name] for name in measures_of(score.track).in_order(metrics)}


def _eval_score(package: InspectPackage, profile: str, metrics: Mapping[str, Metric], *, tasks: int) -> Any:
    """Return the metrics of a profile; its name is also the key of the samples' scores."""
    scored = max((metric.n for metric in metrics.values()), default=0)
    all_metrics = [part for name, metric in metrics.items() for part in _metrics(package, name, metric)]
    return package.log.EvalScore(
        name=profile,
        scorer=SCORER,
        reducer="mean",
        scored_samples=scored,
        unscored_samples=max(tasks - scored, 0),
        metrics={metric.name: metric for metric in all_metrics},
    )


def _metrics(package: InspectPackage, name: str, metric: Metric) -> list[Any]:
    """Return a value and the limits of its interval as three metrics.

    Inspect has no field for an interval, and its viewer and data frames show metrics without metadata.
    """
    facts = msgspec.to_builtins(metric)
    value = package.log.EvalMetric(name=name, value=metric.value, metadata={**facts, "interval": 0.95})
    ends = (("low", metric.low), ("high", metric.high))
    return [value, *(package.log.EvalMetric(name=f"{name}_{end}", value=at) for end, at in ends)]


def _settings(package: InspectPackage, folder: RunFolder) -> Any:
    """Return the generation settings that Inspect has fields for, from the model's identity."""
    identity = folder.manifest["identity"].get("model")
    known = {}
    for name, (inspect_name, kind) in _SETTINGS.items():
        value = identity.get(name) if isinstance(identity, dict) else None
        if isinstance(value, kind) and not isinstance(value, bool) and value != []:
            known[inspect_name] = value
    return package.model.GenerateConfig(**known)


def _time(folder: RunFolder, name: str) -> str:
    value = folder.manifest.get(name)
    return value if isinstance(value, str) else ""


class InspectPackage(NamedTuple):
    """Modules of the package. They are untyped, because its types change with each version."""

    log: Any
    model: Any
    scorer: Any


def load_package() -> InspectPackage:
    """Import the package. Raises PrerequisiteError if it is not installed."""
    try:
        return InspectPackage(*(import_module(f"inspect_ai.{name}") for name in InspectPackage._fields))
    except ImportError as error:
        message = f"writing Inspect logs requires the package inspect-ai: {error}"
        raise PrerequisiteError(message, hint=install_command("inspect")) from None


def load_recorder(log_folder: str, location: str) -> Any | None:
    """Return the package's writer of single samples; None if this version has none.

    It is not public; the public `write_eval_log` requires all samples at once.
    """
    try:
        create = import_module("inspect_ai.log._recorders").create_recorder_for_location
    except (ImportError, AttributeError):
        return None
    return create(location, log_folder)


def enable_zstandard() -> None:
    """Enable the compression of newer logs in Python's `zipfile`, if a library is installed.

    Python has it since 3.14. For earlier versions the package installs `zipfile_zstd`, which patches the
    module; importing it takes a hundredth of the time of the package.
    """
    try:
        import_module("zipfile_zstd")
    except ImportError:
        return
