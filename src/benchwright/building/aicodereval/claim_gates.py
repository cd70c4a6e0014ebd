"""Gates on the claims of a draft: its model, its libraries, and the result of its blind solve."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchwright.building.aicodereval.drafted_code import ParsedCode, code_of
from benchwright.building.aicodereval.lint_gates import Flaw, decision_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener
from benchwright.errors import PrerequisiteError
from benchwright.executing.trials import environment_lock
from benchwright.records import Outcome
from benchwright.tracks.aicodereval.entry import Weights
from benchwright.tracks.aicodereval.program import libraries_of

# Outcomes of a blind solve that say nothing about the prompt: it passed, or there is no program to judge.
_NO_FAILURE = {
    "",
    "passed",
    "reply_unusable",
    "model_error",
    *(str(each) for each in Outcome if each.is_missing),
}
# Modules whose distribution has another name.
_MODULES = {
    "scikit-learn": "sklearn", "pillow": "PIL", "opencv-python": "cv2", "opencv-python-headless": "cv2",
    "pyyaml": "yaml", "python-dateutil": "dateutil", "beautifulsoup4": "bs4", "scikit-image": "skimage",
    "sentence-transformers": "sentence_transformers", "protobuf": "google", "msgspec": "msgspec",
}  # fmt: skip
# Libraries that others use without an import in the program.
_BEHIND = {
    "torch": {"transformers", "torchvision", "torchaudio", "timm", "diffusers", "sentence_transformers"},
    "tokenizers": {"transformers"},
    "sentencepiece": {"transformers"},
    "safetensors": {"transformers"},
    "numpy": {"pandas", "sklearn", "scipy", "torch", "cv2", "PIL", "transformers", "skimage"},
    "scipy": {"sklearn"},
}


@gate("aicodereval.blind_solve")
def blind_solve(draft: Draft, _: EntryBounds) -> Decision:
    """A model that saw only the prompt has solved it; otherwise the prompt does not specify what is
    tested.
    """
    solve = draft.lineage.get("blind_solve")
    outcome = str(solve.get("outcome", "")) if isinstance(solve, dict) else ""
    if outcome in _NO_FAILURE:
        return KEEP
    detail = f"{outcome} {solve.get('detail', '')}".strip()[:300] if isinstance(solve, dict) else outcome
    return Decision(reason="blind_solve_fails", detail=detail)


@gate("aicodereval.claims")
def claims(draft: Draft, _: EntryBounds) -> Decision:
    """The solution uses the model and the libraries that the entry names, in the installed versions."""
    code = code_of(draft)
    flaws = [Flaw("library_unused", name) for name in _unused(draft, code)]
    flaws += [Flaw("library_version", each) for each in _other_versions(draft)]
    if draft.entry.model and not _uses_model(draft, code):
        flaws.append(Flaw("model_unused", draft.entry.model))
    return decision_of(flaws)


def _unused(draft: Draft, code: ParsedCode) -> Iterator[str]:
    imported = _imported(code)
    for name in libraries_of(draft.entry):
        plain = re.split(r"[\[<>=~! ]", name.strip(), maxsplit=1)[0].lower()
        module = _MODULES.get(plain, plain.replace("-", "_"))
        if module not in imported and imported.isdisjoint(_BEHIND.get(plain, ())):
            yield name


def _imported(code: ParsedCode) -> set[str]:
    """The imported modules whose names are used."""
    used = {node.id for node in code.nodes if isinstance(node, ast.Name)}
    return {full.partition(".")[0] for name, full in code.names.items() if name.partition(".")[0] in used}


def _other_versions(draft: Draft) -> Iterator[str]:
    try:
        lock = environment_lock(draft.entry.environment)
    except PrerequisiteError:
        return  # reported by the imports gate
    installed = {name.lower().replace("_", "-"): version for name, version in lock.items()}
    for library in draft.entry.libraries:
        name, pinned, version = library.partition("==")
        there = installed.get(name.strip().lower().replace("_", "-"))
        if pinned and there is not None and version.strip().partition("+")[0] != there.partition("+")[0]:
            yield f"{library}: the profile has {there}"


def _uses_model(draft: Draft, code: ParsedCode) -> bool:
    """Whether the program loads a model, or names or receives the model of the entry."""
    if draft.entry.weights is not Weights.none:
        return True
    if any(name.rpartition(".")[2] in ("from_pretrained", "pipeline", "load") for name, _ in code.calls()):
        return True
    name = draft.entry.model.rpartition("/")[2].lower()
    docs = {id(node.value) for node in code.nodes if isinstance(node, ast.Expr)}
    texts = [
        str(node.value).lower()
        for node in code.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
    texts += [f"{case.input.args} {case.input.kwargs}".lower() for case in draft.entry.cases]
    return any(name in text for text in texts)


CLAIM_GATES: tuple[GateOpener, ...] = (blind_solve, claims)
