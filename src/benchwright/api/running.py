"""`bw.run`: each option of the command `run` as a typed argument."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from benchwright.api.arguments import check_call, check_values, each_of, errors_in_python, in_python
from benchwright.api.runs import StoredRun, open_run
from benchwright.contracts import RequestOptions
from benchwright.errors import ArgumentError
from benchwright.executing.executors import LOCAL
from benchwright.running.options import JudgeOptions, RunOptions, default_profiles
from benchwright.running.pipeline import ask_plan, run_plan
from benchwright.running.plan import Plan, make_plan
from benchwright.running.prompt_files import PromptFile, read_prompt
from benchwright.sandbox.limits import Limits
from benchwright.store.field_map import SEPARATOR
from benchwright.store.runfolder import Mode

COMMAND = "benchwright.cli.run:command"
_SAME = (
    "model",
    "n",
    "form",
    "limit",
    "prompts",
    "language",
    "agent",
    "rounds",
    "weights",
    "jail",
    "each_answer",
    "keep_tasks",
)
_ASKING = (
    *("model_id", "api", "temperature", "top_p", "max_tokens", "seed", "base_url", "concurrency"),
    *("per_minute", "retries", "budget", "price_in", "price_out", "batch", "wait", "price_batch"),
)
_JUDGE = (
    *("base_url", "model_id", "temperature", "max_tokens", "seed", "concurrency", "per_minute"),
    *("retries", "budget", "price_in", "price_out"),
)
_NO = ("", "0", "false", "no", "off")


@in_python(COMMAND)
def run(  # noqa: PLR0913 (one argument for each option of the command)
    track: str,
    *,
    data: str | Path,
    model: str,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
    fields: Mapping[str, str] | None = None,
    n: int | None = None,
    k: int | Sequence[int] | None = None,
    profile: str | Sequence[str] | None = None,
    form: str | None = None,
    exclude: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    agent: str | None = None,
    rounds: int | None = None,
    weights: Mapping[str, float] | None = None,
    repositories: str | Path | None = None,
    ask_only: bool = False,
    keep_tasks: bool = True,
    fresh: bool = False,
    cpu_limit: float = 3.0,
    memory_limit: int = 1024,
    jail: Literal["auto", "bubblewrap", "native"] = "auto",
    workers: int | None = None,
    self_check: Literal["kept", "full"] | None = None,
    each_answer: bool = False,
    prompts: Literal["spread", "all", "row"] | None = None,
    language: Literal["ru", "en"] | None = None,
    prompt: str | Path | Sequence[str | Path] | None = None,
    base_url: str | None = None,
    model_id: str | None = None,
    api: Literal["chat", "completions"] = "chat",
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int = 2048,
    stop: str | Sequence[str] | None = None,
    seed: int = 1234,
    body: Mapping[str, Any] | None = None,
    concurrency: int = 8,
    per_minute: float | None = None,
    timeout: float = 600.0,
    retries: int = 6,
    budget: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    batch: bool = False,
    wait: bool = True,
    price_batch: float = 0.5,
    cache: bool | None = None,
    judge: str | Sequence[str] | None = None,
    judge_schema: bool = True,
    votes: int | None = None,
    judge_base_url: str | None = None,
    judge_model_id: str | None = None,
    judge_temperature: float | None = None,
    judge_max_tokens: int = 2048,
    judge_seed: int = 1234,
    judge_concurrency: int = 8,
    judge_per_minute: float | None = None,
    judge_timeout: float = 600.0,
    judge_retries: int = 6,
    judge_budget: float | None = None,
    judge_price_in: float | None = None,
    judge_price_out: float | None = None,
    judge_body: Mapping[str, Any] | None = None,
    on: str = LOCAL,
) -> StoredRun:
    """Score a model on a data set. The same call again resumes a run that was interrupted.

    Each argument is an option of `benchwright run`: `temperature` is `--temperature`. None is "not given".
    Where the command takes an option several times, give a list. `columns`, `values`, `fields`, `weights` and
    `body` are mappings.
    `self_check` and `cache` are those of the environment by default, else "kept" and True. `on` names the
    executor. With `batch` and not `wait`, raises BatchesPending until the provider has answered all requests;
    the same call collects the answers. Raises a BenchwrightError; a failed answer is a verdict, not an error.
    """
    given = dict(locals())
    check_values(given, COMMAND)
    return carry_out(make_plan(run_options(given)), given)


def checked_arguments(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the arguments of a call of `run` with their defaults, without reading anything.

    Raises ArgumentError for an unknown or missing argument, and for a value of a wrong type.
    """
    check_call(run, args, kwargs)
    call = signature(run).bind(*args, **kwargs)
    call.apply_defaults()
    with errors_in_python(COMMAND):
        check_values(call.arguments, COMMAND)
    return call.arguments


def plan_of(*args: Any, **kwargs: Any) -> Plan:
    """Return the plan of a call of `run`: reads and checks all inputs, writes nothing."""
    given = checked_arguments(*args, **kwargs)
    with errors_in_python(COMMAND):
        return make_plan(run_options(given))


def carry_out(plan: Plan, given: Mapping[str, Any]) -> StoredRun:
    """Execute a plan with the other arguments of `run`: folder, workers, executor."""
    out, mode = given["out"], _mode(given["fresh"])
    if given["ask_only"]:
        return open_run(ask_plan(plan, out=out, mode=mode))
    score = run_plan(plan, out=out, workers=given["workers"], on=given["on"], mode=mode)
    return open_run(score.run, data=None if given["keep_tasks"] else given["data"])


def _mode(fresh: bool) -> Mode:
    return "new" if fresh else "either"


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """Return the options of a run from the arguments of `run`."""
    return RunOptions(
        track=given["track"],
        data=str(given["data"]),
        columns=_pairs(given["columns"]),
        values=_pairs(given["values"]),
        fields=_pairs(given["fields"]),
        ks=each_of(given["k"]) or None,
        profiles=each_of(given["profile"]) or default_profiles(given["track"], given["form"]),
        exclude=tuple(map(str, each_of(given["exclude"]))),
        tasks=tuple(map(str, each_of(given["tasks"]))),
        prompt=_prompt(given["prompt"]),
        asking=_asking(given),
        judges=_judges(given),
        repositories=None if given["repositories"] is None else str(given["repositories"]),
        limits=Limits(cpu_s=given["cpu_limit"], memory_mb=given["memory_limit"]),
        self_check=given["self_check"] or os.environ.get("BENCHWRIGHT_SELF_CHECK") or "kept",
        **{name: given[name] for name in _SAME},
    )


def _prompt(given: str | Path | Sequence[str | Path] | None) -> PromptFile | None:
    """Return the prompt file. Raises ArgumentError for several, which are several runs."""
    paths = list(map(str, each_of(given)))
    if len(paths) > 1:
        raise ArgumentError(
            "prompt: one run has one prompt", hint="[bw.run(…, prompt=each) for each in prompts]"
        )
    return read_prompt(paths[0]) if paths else None


def _pairs(given: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return a mapping as NAME=TEXT. A list of texts is separated by `|`, any other value is JSON."""
    return tuple(f"{name}={_text(value)}" for name, value in (given or {}).items())


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and all(isinstance(each, str) for each in value):
        return SEPARATOR.join(value)
    return json.dumps(value)


def uses_cache(given: bool | None) -> bool:
    """Whether answers are cached: as given, else unless the environment forbids it."""
    if given is not None:
        return given
    return os.environ.get("BENCHWRIGHT_NO_CACHE", "").lower() in _NO


def _asking(given: Mapping[str, Any]) -> RequestOptions:
    return RequestOptions(
        stop=each_of(given["stop"]),
        body=dict(given["body"] or {}),
        timeout_s=given["timeout"],
        cache=uses_cache(given["cache"]),
        **{name: given[name] for name in _ASKING},
    )


def _judges(given: Mapping[str, Any]) -> JudgeOptions:
    asking = RequestOptions(
        body=dict(given["judge_body"] or {}),
        timeout_s=given["judge_timeout"],
        options="--judge-",
        cache=uses_cache(given["cache"]),
        **{name: given[f"judge_{name}"] for name in _JUDGE},
    )
    specs = each_of(given["judge"])
    return JudgeOptions(specs=specs, votes=given["votes"], schema=given["judge_schema"], asking=asking)
