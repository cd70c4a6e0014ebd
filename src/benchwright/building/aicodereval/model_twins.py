"""Twins of the models that drafts load, and a second twin with other weights.

The ids in programs decide which twins are built. A solution that passes on one twin must fail on the other if
it looks its outputs up in a table instead of calling the model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.building.aicodereval.admission import UNVERIFIED_WEIGHTS, is_executable
from benchwright.building.aicodereval.draft_records import Draft, ExaminedDraft, ParsedCode, code_of
from benchwright.building.aicodereval.drafted_cases import Reply, as_json
from benchwright.building.engine.gates import gate
from benchwright.cases.reading import LITERAL, calls_of, files_of
from benchwright.contracts import CallCase, CaseLevel, Decision, GateOpener, LevelsSpec, RepliesSpec
from benchwright.executing.trials import Trial, TrialResult, Trials, vary
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, StandIn, Weights
from benchwright.tracks.aicodereval.stand_in_models import (
    PROFILE,
    Make,
    TwinName,
    TwinRequest,
    inputs_of,
    kind_of,
    with_twin,
)

GATE = "twins"  # the key of the evidence in an admission
ANY = "any"  # kind of objects loaded with a model, such as tokenizers
_HEADS = {  # suffixes of class names
    "ForSequenceClassification": "text-classification",
    "ForTokenClassification": "token-classification",
    "ForQuestionAnswering": "question-answering",
    "ForCausalLM": "text-generation",
    "LMHeadModel": "text-generation",
    "ForImageClassification": "image-classification",
    "ForAudioClassification": "audio-classification",
    "Model": "feature-extraction",
    **dict.fromkeys(("Tokenizer", "TokenizerFast", "Processor", "FeatureExtractor", "Config"), ANY),
}
_HUB = "torch-hub"


class ModelLoad(NamedTuple):
    """One call that loads a model.

    `kind` is empty if no stand-in can be made; `entry` is torch.hub's.
    """

    id: str
    kind: str
    entry: str = ""


def loads_of(entry: BenchmarkEntry, code: ParsedCode) -> list[ModelLoad]:
    """The models that the program loads, in order, each once."""
    texts = dict(_constants(code))
    found = (_load(name, call, texts) for name, call in code.calls())
    loads = (each._replace(id=each.id or entry.model) for each in found if each is not None)
    return list(dict.fromkeys(loads))


def _constants(code: ParsedCode) -> Iterator[tuple[str, str]]:
    """Names that are assigned a text."""
    for node in code.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    yield target.id, node.value.value


def _load(name: str, call: ast.Call, texts: Mapping[str, str]) -> ModelLoad | None:
    if name == "torch.hub.load":
        return ModelLoad(_text(call, 0, "repo_or_dir", texts), _HUB, _text(call, 1, "model", texts))
    if not name.startswith("transformers."):
        return None
    if name.endswith(".pipeline"):
        return ModelLoad(_text(call, 1, "model", texts), kind_of(_text(call, 0, "task", texts)) or "")
    if name.endswith(".from_pretrained"):
        head = name.split(".")[-2]
        kind = next((kind for end, kind in _HEADS.items() if head.endswith(end)), "")
        return ModelLoad(_text(call, 0, "pretrained_model_name_or_path", texts), kind)
    return None


def _text(call: ast.Call, at: int, name: str, texts: Mapping[str, str]) -> str:
    """An argument that is a text, or a name for one."""
    keyword_value = next((each.value for each in call.keywords if each.arg == name), None)
    node = call.args[at] if at < len(call.args) else keyword_value
    if isinstance(node, ast.Name):
        return texts.get(node.id, "")
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def with_stand_ins(found: Iterable[ExaminedDraft], make: Make) -> list[ExaminedDraft]:
    """The drafts with the state of their weights, after twins of all named models were made.

    All drafts are read before any twin is made, since a twin must vary over the inputs of each. Raises
    whatever `make` raises.
    """
    drafts = list(found)
    loads = {at: _loads(each.draft) for at, each in enumerate(drafts) if _may_load(each)}
    requests = requests_of([(drafts[at].draft, each) for at, each in loads.items()])
    refused = make(requests) if requests else {}
    by_name = {name: request for request in requests if request.id not in refused for name in _names(request)}
    return [_with_weights(each, loads.get(at, []), by_name, refused) for at, each in enumerate(drafts)]


def _may_load(each: ExaminedDraft) -> bool:
    return each.draft.entry.environment == PROFILE and is_executable(each)


def _loads(draft: Draft) -> list[ModelLoad]:
    return loads_of(draft.entry, code_of(draft))


def requests_of(drafts: Iterable[tuple[Draft, Sequence[ModelLoad]]]) -> list[TwinRequest]:
    """One request for each id, of the first kind that a program loads it as, ordered by id."""
    kinds, entries = dict[str, str](), dict[str, set[str]]()
    inputs = dict[str, list[list[str | bytes | list[str]]]]()
    for draft, loads in drafts:
        given = inputs_of(case for case in draft.entry.cases if case.level is not CaseLevel.edge_case)
        for load in loads:
            if load.id and load.kind:
                kinds[load.id] = load.kind if kinds.get(load.id, ANY) == ANY else kinds[load.id]
                entries.setdefault(load.id, set[str]()).add(load.entry)
        for name in {load.id for load in loads if load.id and load.kind and given}:
            inputs.setdefault(name, []).append(given)
    return [
        TwinRequest(
            id=f"{name}#{','.join(sorted(entries[name]))}" if kind == _HUB else name,
            kind="feature-extraction" if kind == ANY else kind,
            inputs=[] if kind == _HUB else inputs.get(name, []),
        )
        for name, kind in sorted(kinds.items())
    ]


def _names(request: TwinRequest) -> list[str]:
    """The names that programs use for it: torch.hub's without its entry points."""
    return [request.id.partition("#")[0]]


def _with_weights(
    each: ExaminedDraft,
    loads: Sequence[ModelLoad],
    by_name: Mapping[str, TwinRequest],
    refused: Mapping[str, str],
) -> ExaminedDraft:
    if not loads:
        return each
    lacking = [load for load in loads if not _fits(load, by_name.get(load.id))]
    if not lacking:
        used = {load.id: by_name[load.id] for load in sorted(loads)}
        models = {name: request.kind for name, request in used.items()}
        decision = Decision(evidence={"stand_ins": models})
        return _stated(each, Weights.stand_in, decision, stand_ins=list(map(_stand_in, used.values())))
    name = lacking[0].id
    why = next((text for key, text in refused.items() if key.partition("#")[0] == name), "")
    detail = why or f"there is no stand-in for {name or 'a model that is not named'}, as it is loaded"
    return _stated(each, Weights.unverified, Decision(reason=UNVERIFIED_WEIGHTS, detail=detail[:300]))


def _fits(load: ModelLoad, request: TwinRequest | None) -> bool:
    return request is not None and load.kind in (ANY, request.kind)


def _stand_in(request: TwinRequest) -> StandIn:
    """The description in an entry of how its stand-ins are made, so that others can make the same."""
    return msgspec.convert(msgspec.to_builtins(request), StandIn)


def _stated(
    each: ExaminedDraft, weights: Weights, decision: Decision, *, stand_ins: Sequence[StandIn] = ()
) -> ExaminedDraft:
    entry = msgspec.structs.replace(each.draft.entry, weights=weights, stand_ins=[*stand_ins])
    draft = msgspec.structs.replace(each.draft, entry=entry)
    return msgspec.structs.replace(each, draft=draft, decisions={**each.decisions, GATE: decision})


EXECUTIONS = 2  # executions of the canonical solution on the second twin
_UNSTEADY = "fails_on_other_twin"
_GOLD, _TABLE = "the canonical solution", "a table of the first stand-in's values"


class TwinResult(NamedTuple):
    """The result of one task: the decision of the gate, and a trial for which the sandbox failed.

    `cases` are the task's own cases with the expected values on the second twin; None without stable values.
    """

    decision: Decision
    missing: TrialResult | None = None
    cases: list[CallCase] | None = None


@gate("weights")
def weights_gate(task: SolvedTask, bounds: object) -> Decision:
    """A right program follows its model; otherwise `ignores_weights` or `fails_on_other_twin`."""
    found: TwinResult | None = bounds.on_other(task)  # type: ignore[attr-defined]
    return Decision() if found is None else found.decision


WEIGHTS_GATES: tuple[GateOpener, ...] = (weights_gate,)


def try_second_weights(tasks: Sequence[SolvedTask], trials: Trials) -> list[TwinResult]:
    """The results of each task's programs on the second twin; its spec is that of the first."""
    specs = [task.spec for task in tasks if isinstance(task.spec, LevelsSpec)]
    questions = [_replies_spec(with_twin(spec, name)) for spec in specs for name in TwinName]
    golds = [task.gold for task in tasks for _ in TwinName]
    ends = iter(trials.run(map(Trial, golds, questions), name="values of both stand-ins"))
    pairs = [(next(ends), next(ends)) for _ in tasks]
    wanted = [_programs(*each) for each in zip(tasks, specs, pairs, strict=True)]
    done = iter(trials.run([trial for each in wanted for trial in each.trials], name="the other stand-ins"))
    found = [_twin_result(each, list(islice(done, len(each.trials)))) for each in wanted]
    return [_with_cases(*each) for each in zip(found, specs, wanted, strict=True)]


class _TwinPrograms(NamedTuple):
    """The programs of one task to try, by name; or the reason why there are none."""

    names: list[str]
    trials: list[Trial]
    cpu_s: float
    fault: str = ""
    missing: TrialResult | None = None
    there: Sequence[CallCase] = ()  # the cases with the values of the second twin


def _replies_spec(spec: LevelsSpec) -> RepliesSpec:
    calls = [calls_of(case)[0] for case in spec.cases]
    return RepliesSpec(
        entry_point=spec.entry_point,
        environment=spec.environment,
        cpu_limit_s=spec.cpu_limit_s,
        calls=encode(calls),
        count=len(calls),
        files=files_of(spec.cases),
        links=spec.links,
    )


def _programs(task: SolvedTask, spec: LevelsSpec, ended: tuple[TrialResult, TrialResult]) -> _TwinPrograms:
    cpu_s = sum(each.cpu_s for each in ended)
    if (missing := next((each for each in ended if each.outcome.is_missing), None)) is not None:
        return _TwinPrograms([], [], cpu_s, missing=missing)
    first, other = (_replies(each) for each in ended)
    try:
        table = table_program(spec, first)
        there = msgspec.structs.replace(with_twin(spec, TwinName.b), cases=cases_of(spec.cases, other))
    except (ValueError, CodecError) as error:
        return _TwinPrograms([], [], cpu_s, fault=str(error))
    golds = vary(task.gold, there, EXECUTIONS)
    more = {_TABLE: table, **{f"alternative {at}": text for at, text in enumerate(task.alternatives, 1)}}
    trials = [*golds, *(Trial(program, there) for program in more.values())]
    return _TwinPrograms([*[_GOLD] * len(golds), *more], trials, cpu_s, there=there.cases)


def _replies(tried: TrialResult) -> list[Reply]:
    return msgspec.msgpack.decode(tried.payload, type=list[Reply]) if tried.payload else []


def cases_of(cases: Sequence[CallCase], replies: Sequence[Reply]) -> list[CallCase]:
    """The cases with the given replies as expected values; exceptions and properties hold on any twin.

    Raises ValueError for a reply that cannot be an expected value.
    """
    if len(replies) != len(cases):
        raise ValueError(f"{len(replies)} of {len(cases)} calls were answered")
    return [_case(case, reply) for case, reply in zip(cases, replies, strict=True)]


def _case(case: CallCase, reply: Reply) -> CallCase:
    if case.expected.raises or case.expected.properties:
        return case
    kind, payload = reply
    if kind != "value":
        raise ValueError(f"case {case.name}: {kind} {payload[:200].decode('utf-8', 'replace')}")
    try:
        value = as_json(decode(payload))
    except TypeError as error:
        raise ValueError(f"case {case.name}: gives {error}") from None
    expected = msgspec.structs.replace(case.expected, value=value, twin_value=None)
    return msgspec.structs.replace(case, expected=expected)


def table_program(spec: LevelsSpec, replies: Sequence[Reply]) -> str:
    """A program that loads no model and returns the given replies. Raises ValueError, CodecError."""
    table = {}
    for case, (kind, payload) in zip(spec.cases, replies, strict=False):
        value = decode(payload) if kind == "value" else payload.decode("utf-8", "replace").partition(":")[0]
        args, kwargs = calls_of(case)[0]
        table[repr((args, kwargs))] = (kind, value)
    return (
        f"import builtins\n\n_TABLE = {table!r}\n\n\n"
        f"def {spec.entry_point}(*args, **kwargs):\n"
        "    kind, value = _TABLE[repr((args, kwargs))]\n"
        "    if kind != 'value':\n"
        "        raise getattr(builtins, value, ValueError)(value)\n"
        "    return value\n"
    )


def _twin_result(wanted: _TwinPrograms, ended: Sequence[TrialResult]) -> TwinResult:
    cpu_s = wanted.cpu_s + sum(each.cpu_s for each in ended)
    missing = wanted.missing or next((each for each in ended if each.outcome.is_missing), None)
    if missing is not None:
        return TwinResult(Decision(), missing)
    if wanted.fault:
        return TwinResult(_refusal(_UNSTEADY, wanted.fault, cpu_s))
    ends = list(zip(wanted.names, ended, strict=True))
    if failed := [each for name, each in ends if name == _GOLD and not each.passed]:
        detail = f"{failed[0].outcome.value} {failed[0].detail}".strip()
        return TwinResult(_refusal(_UNSTEADY, detail, cpu_s))
    ignoring = [name for name, each in ends if each.passed is (name == _TABLE) and name != _GOLD]
    if ignoring:
        outcome = "passes" if ignoring[0] == _TABLE else "fails"
        return TwinResult(
            _refusal("ignores_weights", f"{ignoring[0]} {outcome} on the other stand-in", cpu_s)
        )
    return TwinResult(Decision(evidence={"executions": EXECUTIONS, "tried": len(ends)}, cpu_s=cpu_s))


def _with_cases(found: TwinResult, spec: LevelsSpec, wanted: _TwinPrograms) -> TwinResult:
    """The task with the values of both twins, if the canonical solution gives stable values on each."""
    if found.missing is not None or found.decision.reason == _UNSTEADY:
        return found
    return found._replace(cases=[_both(*each) for each in zip(spec.cases, wanted.there, strict=True)])


def _both(here: CallCase, there: CallCase) -> CallCase:
    if here.expected.value is None:
        return here
    value = {LITERAL: "None"} if there.expected.value is None else there.expected.value
    return msgspec.structs.replace(here, expected=msgspec.structs.replace(here.expected, twin_value=value))


def _refusal(reason: str, detail: str, cpu_s: float) -> Decision:
    return Decision(reason=reason, detail=detail[:300], cpu_s=cpu_s)
