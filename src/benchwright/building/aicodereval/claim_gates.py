"""Gates on the claims of a draft: its model, libraries, environment, blind solve, and a computed result.

An entry may import only what its dependency profile has. A solution that contains the inputs and results of
the tests as constants is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from benchwright.building.aicodereval.draft_records import Draft, ParsedCode, code_of, prompt_of
from benchwright.building.aicodereval.lint_gates import Flaw, decision_of
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import gate
from benchwright.cases.reading import calls_of, resolve
from benchwright.contracts import KEEP, CallCase, Decision, GateOpener
from benchwright.errors import PrerequisiteError
from benchwright.executing.trials import environment_lock
from benchwright.lang.python.importing import STANDARD
from benchwright.lang.source import imports as imports_of
from benchwright.records import Outcome
from benchwright.sandbox.environments import find_environment, site_modules
from benchwright.tracks.aicodereval.entry import Weights, libraries_of, program_of

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


ENV_MISSING = "env_missing"


@gate("aicodereval.imports")
def imports(draft: Draft, _: EntryBounds) -> Decision:
    """Each imported module belongs to the standard library or to the profile."""
    entry = draft.entry
    there = modules(entry.environment)
    tops = {
        each.module.partition(".")[0] for each in imports_of(program_of(entry), "Python") if not each.fallback
    }
    missing = sorted(top for top in tops if top and top not in STANDARD and top not in there)
    if not missing:
        return KEEP
    detail = f"{', '.join(missing)} not in profile {entry.environment}"
    evidence = {"missing": missing, "environment": entry.environment}
    return Decision(reason=ENV_MISSING, detail=detail[:300], evidence=evidence)


@cache
def modules(environment: str) -> frozenset[str]:
    """The top-level modules of a profile. Raises PrerequisiteError if it is not installed."""
    return frozenset(name.partition(".")[0] for name in site_modules(find_environment(environment)))


ENVIRONMENT_GATES: tuple[GateOpener, ...] = (imports,)


_SHARE, _FEWEST = 0.5, 2  # share of the cases with a value from which a solution is a table
_SHARE_NUMBERS, _FEWEST_NUMBERS = 0.75, 3  # the same for distinct expected numbers


@gate("aicodereval.written_answers", version=2)
def written_answers(draft: Draft, _: EntryBounds) -> Decision:
    """The solution contains few calls of the tests with their results, except those in the prompt.

    It also contains few of the expected numbers, since it may look them up by a key made of the arguments.
    """
    constants, prompt = {*_constants(code_of(draft))}, prompt_of(draft.entry)
    valued = [case for case in draft.entry.cases if case.expected.value is not None]
    if numbers := _written_numbers(valued, constants, prompt):
        detail = f"the results {', '.join(numbers)} stand in the solution, and not in the prompt"
        return Decision(reason="gold_table", detail=detail[:300], evidence={"results": numbers})
    found = [case.name for case in valued if _is_written(case, constants, prompt)]
    if len(found) < max(_FEWEST, _SHARE * len(valued)):
        return KEEP
    detail = f"{len(found)} of {len(valued)} cases stand in the solution: {', '.join(found)}"
    return Decision(reason="gold_table", detail=detail[:300], evidence={"cases": found})


def _is_written(case: CallCase, constants: set[str], prompt: str) -> bool:
    args, kwargs = calls_of(case, lambda name: name)[0]
    given = [each for each in (*args, *kwargs.values()) if not _is_small(each)]
    value = resolve(case.expected.value, lambda name: name)
    written = bool(given) and all(repr(each) in constants for each in given) and repr(value) in constants
    return written and not all(str(each) in prompt for each in given)


def _written_numbers(cases: Sequence[CallCase], constants: set[str], prompt: str) -> list[str]:
    """The different numbers that cases expect, if the solution contains nearly all of them."""
    values = [resolve(each.expected.value, lambda name: name) for each in cases]
    numbers = {repr(each) for each in values if isinstance(each, int | float) and not _is_small(each)}
    written = sorted(
        each
        for each in numbers & constants
        if not re.search(rf"(?<![\d.]){re.escape(each)}(?![\d.]*\d)", prompt)
    )
    return written if len(written) >= max(_FEWEST_NUMBERS, _SHARE_NUMBERS * len(numbers)) else []


def _is_small(value: Any) -> bool:
    """Whether a value is so common that many programs contain it."""
    return value is None or isinstance(value, bool) or value in (0, 1, 2, -1, "", [], {}, ())


def _constants(code: ParsedCode) -> Iterator[str]:
    """The literals of a program, without documentation."""
    documentation = {id(node.value) for node in code.nodes if isinstance(node, ast.Expr)}
    for node in code.nodes:
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            if id(node) in documentation:
                continue
            try:
                yield repr(ast.literal_eval(node))
            except (ValueError, TypeError):
                continue


TABLE_GATES: tuple[GateOpener, ...] = (written_answers,)
