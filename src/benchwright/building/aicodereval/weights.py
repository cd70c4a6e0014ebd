"""The models that drafts load: their ids, a twin for each, and the state of the weights.

An id is read from the call that loads it, and the loading call decides the kind of stand-in. If the call does
not show it, it is the entry's own model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from benchwright.building.aicodereval.drafted_code import ParsedCode, code_of
from benchwright.building.aicodereval.nouns import Draft, ExaminedDraft
from benchwright.building.aicodereval.tiers import UNVERIFIED_WEIGHTS, is_executable
from benchwright.contracts import CaseLevel, Decision
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, StandIn, Weights
from benchwright.tracks.aicodereval.twins import PROFILE, Make, TwinRequest, inputs_of, kind_of

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
    named = (each._replace(id=each.id or entry.model) for each in found if each is not None)
    return list(dict.fromkeys(named))


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
    named = next((each.value for each in call.keywords if each.arg == name), None)
    node = call.args[at] if at < len(call.args) else named
    if isinstance(node, ast.Name):
        return texts.get(node.id, "")
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def equipped(found: Iterable[ExaminedDraft], make: Make) -> list[ExaminedDraft]:
    """The drafts with the state of their weights, after twins of all named models were made.

    All drafts are read before any twin is made, since a twin must vary over the inputs of each. Raises
    whatever `make` raises.
    """
    drafts = list(found)
    loads = {at: _loads(each.draft) for at, each in enumerate(drafts) if _may_load(each)}
    requests = requests_of([(drafts[at].draft, each) for at, each in loads.items()])
    refused = make(requests) if requests else {}
    made = {name: request for request in requests if request.id not in refused for name in _names(request)}
    return [_with_weights(each, loads.get(at, []), made, refused) for at, each in enumerate(drafts)]


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
    made: Mapping[str, TwinRequest],
    refused: Mapping[str, str],
) -> ExaminedDraft:
    if not loads:
        return each
    lacking = [load for load in loads if not _fits(load, made.get(load.id))]
    if not lacking:
        used = {load.id: made[load.id] for load in sorted(loads)}
        models = {name: request.kind for name, request in used.items()}
        decision = Decision(evidence={"stand_ins": models})
        return _stated(each, Weights.stand_in, decision, stand_ins=list(map(_stand_in, used.values())))
    name = lacking[0].id
    why = next((text for key, text in refused.items() if key.partition("#")[0] == name), "")
    detail = why or f"there is no stand-in for {name or 'a model that is not named'}, as it is loaded"
    return _stated(each, Weights.unverified, Decision(reason=UNVERIFIED_WEIGHTS, detail=detail[:300]))


def _fits(load: ModelLoad, made: TwinRequest | None) -> bool:
    return made is not None and load.kind in (ANY, made.kind)


def _stand_in(request: TwinRequest) -> StandIn:
    """The description in an entry of how its stand-ins are made, so that others can make the same."""
    return msgspec.convert(msgspec.to_builtins(request), StandIn)


def _stated(
    each: ExaminedDraft, weights: Weights, decision: Decision, *, stand_ins: Sequence[StandIn] = ()
) -> ExaminedDraft:
    entry = msgspec.structs.replace(each.draft.entry, weights=weights, stand_ins=[*stand_ins])
    draft = msgspec.structs.replace(each.draft, entry=entry)
    return msgspec.structs.replace(each, draft=draft, decisions={**each.decisions, GATE: decision})
