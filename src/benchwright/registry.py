"""Names to objects: what is built in of each kind, and what other packages' entry points offer.

A built-in is named by "module:object" and imported when it is first asked for, so a listing costs
no import. Entry points are looked up only when a name is not built in.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from benchwright.errors import UsageError, nearest_hint

TRACKS: Mapping[str, str] = {
    "humaneval": "benchwright.tracks.humaneval:TRACK",
    "ruhumaneval": "benchwright.tracks.ruhumaneval:TRACK",
    "mbpp": "benchwright.tracks.mbpp:TRACK",
    "evalplus": "benchwright.tracks.evalplus.track:TRACK",
    "multipl": "benchwright.tracks.multipl.track:TRACK",
    "codecorrectness": "benchwright.tracks.codecorrectness:TRACK",
    "codecorrectness-errors": "benchwright.tracks.codecorrectness_errors:TRACK",
    "aicodereval": "benchwright.tracks.aicodereval.track:TRACK",
    "smartcoding-comments": "benchwright.tracks.comments.track:TRACK",
    "smartcoding-issues": "benchwright.tracks.issues.track:TRACK",
    "own": "benchwright.tracks.own.track:TRACK",
}
MODELS: Mapping[str, str] = {
    "openai": "benchwright.models.openai.model:open_model",
    "ollama": "benchwright.models.openai.model:open_ollama",
    "vllm": "benchwright.models.openai.model:open_vllm",
    "openrouter": "benchwright.models.openai.model:open_openrouter",
    "anthropic": "benchwright.models.openai.model:open_anthropic",
    "gemini": "benchwright.models.openai.model:open_gemini",
    "transformers": "benchwright.models.transformers:open_model",
    "replay": "benchwright.models.replay:open_model",
    "gold": "benchwright.models.fixed:open_gold",
    "stub": "benchwright.models.fixed:open_stub",
}
SOURCES: Mapping[str, str] = {
    "clones": "benchwright.sources.repositories:open_clones",
    "github": "benchwright.sources.repositories:open_github",
    "cards": "benchwright.sources.cards:open_cards",
    "torchhub": "benchwright.sources.torchhub:open_torchhub",
    "gorilla": "benchwright.sources.gorilla:open_api_table",
    "hub": "benchwright.sources.hub.collecting:open_hub",
}
GATES: Mapping[str, str] = {
    "codecorrectness.size": "benchwright.building.codecorrectness.gates:size",
    "codecorrectness.syntax": "benchwright.building.codecorrectness.gates:syntax",
    "codecorrectness.deterministic": "benchwright.building.codecorrectness.gates:deterministic",
    "codecorrectness.self_contained": "benchwright.building.codecorrectness.gates:self_contained",
    "codecorrectness.libraries": "benchwright.building.codecorrectness.gates:libraries_gate",
    "codecorrectness.duplicate": "benchwright.building.codecorrectness.gates:duplicate",
    "aicodereval.schema": "benchwright.building.aicodereval.form_gates:schema",
    "aicodereval.programs": "benchwright.building.aicodereval.form_gates:programs",
    "aicodereval.licence": "benchwright.building.aicodereval.form_gates:licence",
    "aicodereval.calls": "benchwright.building.aicodereval.form_gates:calls",
    "aicodereval.secrets": "benchwright.building.aicodereval.form_gates:secrets",
    "aicodereval.repeated": "benchwright.building.aicodereval.form_gates:repeated",
    "aicodereval.levels": "benchwright.building.aicodereval.lint_gates:levels",
    "aicodereval.exceptions": "benchwright.building.aicodereval.lint_gates:exceptions",
    "aicodereval.cases": "benchwright.building.aicodereval.lint_gates:cases",
    "aicodereval.prompt": "benchwright.building.aicodereval.wording_gates:prompt",
    "aicodereval.exceptions_asked": "benchwright.building.aicodereval.wording_gates:exceptions_asked",
    "aicodereval.literals": "benchwright.building.aicodereval.wording_gates:literals",
    "aicodereval.result_type": "benchwright.building.aicodereval.wording_gates:result_type",
    "aicodereval.blind_solve": "benchwright.building.aicodereval.claim_gates:blind_solve",
    "aicodereval.claims": "benchwright.building.aicodereval.claim_gates:claims",
    "aicodereval.written_answers": "benchwright.building.aicodereval.written_answers:written_answers",
    "aicodereval.known_task": "benchwright.building.aicodereval.known_tasks:known_task",
    "aicodereval.mocks": "benchwright.building.aicodereval.lint_gates:mocks",
    "aicodereval.network": "benchwright.building.aicodereval.lint_gates:network",
    "aicodereval.determinism": "benchwright.building.aicodereval.lint_gates:determinism",
    "aicodereval.imports": "benchwright.building.aicodereval.environment_gate:imports",
}
JUDGES: Mapping[str, str] = {
    "calls": "benchwright.judges.python:CallsJudge",
    "batch": "benchwright.judges.python:BatchJudge",
    "mera": "benchwright.judges.python:MeraJudge",
    "values": "benchwright.judges.python:ValuesJudge",
    "replies": "benchwright.judges.python:RepliesJudge",
    "evalplus": "benchwright.judges.evalplus:PlusJudge",
    "label": "benchwright.judges.label:LabelJudge",
    "levels": "benchwright.judges.levels:LevelsJudge",
    "issue": "benchwright.judges.issues:IssueJudge",
    "comment": "benchwright.judges.comments.judging:CommentJudge",
    "suite": "benchwright.judges.suites.judging:SuiteJudge",
    "suite-answer": "benchwright.judges.suites.answers:SuiteAnswerJudge",
    "served": "benchwright.judges.suites.served:ServedJudge",
}
RUNNERS: Mapping[str, str] = {
    "Python": "benchwright.judges.suites.python:PythonSuites",
    "Java": "benchwright.judges.suites.java:JavaSuites",
    "Go": "benchwright.judges.suites.go:GoSuites",
}
EXECUTORS: Mapping[str, str] = {"local": "benchwright.executing.pool:open_local"}
PROCESS_MAPS: Mapping[str, str] = {"local": "benchwright.building.spreading:spread_locally"}
AGENTS: Mapping[str, str] = {"repair": "benchwright.running.agents:REPAIR"}
LOGS: Mapping[str, str] = {
    "inspect": "benchwright.interop.inspect_ai_log.scores:READER",
    "lm-eval": "benchwright.interop.lm_eval_scores:READER",
}
GROUPS: Mapping[str, Mapping[str, str]] = {
    "track": TRACKS,
    "model": MODELS,
    "judge": JUDGES,
    "runner": RUNNERS,
    "source": SOURCES,
    "gate": GATES,
    "log": LOGS,
    "executor": EXECUTORS,
    "process_map": PROCESS_MAPS,
    "agent": AGENTS,
}


def names(kind: str) -> list[str]:
    """All names of a kind, one of GROUPS, built in or installed."""
    return sorted({*GROUPS[kind], *_installed(kind)})


def find(kind: str, name: str) -> Any:
    """The object behind a name. Raises UsageError, with the nearest name, when there is none."""
    if name in GROUPS[kind]:
        module, _, attribute = GROUPS[kind][name].partition(":")
        return getattr(import_module(module), attribute)
    installed = _installed(kind)
    if name in installed:
        return installed[name].load()
    known = sorted({*GROUPS[kind], *installed})
    raise UsageError(f"no {kind.replace('_', ' ')} is named {name!r}", hint=nearest_hint(name, known))


def _installed(kind: str) -> dict[str, Any]:
    from importlib.metadata import entry_points  # noqa: PLC0415 (42 ms of CPU, only when needed)

    return {point.name: point for point in entry_points(group=f"benchwright.{kind}s")}
