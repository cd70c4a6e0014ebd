"""Gates on the form of a draft: what they refuse is not an entry of any tier. None executes anything.

They run in the order of FORM_GATES, cheap ones first. All are asked, so a drop has all its reasons.
"""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import LONG_INTEGER, Draft, parsed
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import gate
from benchwright.contracts import KEEP, Decision, Gate, GateOpener
from benchwright.errors import PrerequisiteError, UsageError, install_command
from benchwright.sandbox.environments import find_environment
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, writes_long_integer
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, faults_in, program_of

_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)  # it names a file


@gate("aicodereval.schema")
def schema(draft: Draft, bounds: EntryBounds) -> Decision:
    """Every field is valid for later stages."""
    found = dict(_form_faults(draft.entry, bounds))
    if not found:
        return KEEP
    first = next(iter(found))
    return Decision(reason=first, detail=found[first], evidence={"faults": found})


def _form_faults(entry: BenchmarkEntry, bounds: EntryBounds) -> Iterator[tuple[str, str]]:
    if not _TASK_ID.fullmatch(entry.task_id):
        yield "bad_task_id", "task_id: letters, digits, dots, dashes and underscores, at most 80"
    if len(entry.description) > bounds.description_chars:
        yield "description_too_long", f"description: {len(entry.description)} characters are no one sentence"
    if len(entry.cases) > bounds.cases:
        yield "too_many_cases", f"cases: {len(entry.cases)}"
    if not _has_environment(entry.environment):
        yield "environment_unknown", f"environment: no dependency profile is named {entry.environment!r}"
    if writes_long_integer(program_of(entry)):
        yield "bad_implementation", f"implementation: {LONG_INTEGER}"
    for fault in faults_in(entry):
        code = _REASONS.get(fault.code, fault.code)
        yield code, f"{fault.field}: {fault.message}; {fault.hint}"


# Fault names of the reader that are too vague as drop reasons, and their replacements.
_REASONS = {
    "empty": "field_empty",
    "signature": "bad_signature",
    "imports": "bad_imports",
    "implementation": "bad_implementation",
    "suite": "suite_not_judged",
}


def _has_environment(name: str) -> bool:
    try:
        find_environment(name)
    except UsageError:
        return False
    return True


@gate("aicodereval.programs")
def programs(draft: Draft, _: EntryBounds) -> Decision:
    """Each additional solution, right or wrong, is a program."""
    texts = [(f"alternatives[{number}]", code) for number, code in enumerate(draft.alternatives)]
    texts += [(f"wrong.{why}", code) for why, code in draft.wrong.items()]
    for field, code in texts:
        if isinstance(tree := parsed(code), ParseFault):
            return Decision(reason="further_syntax", detail=f"{field}: {tree}"[:300])
    return KEEP


@gate("aicodereval.licence")
def licence(draft: Draft, bounds: EntryBounds) -> Decision:
    """The licence allows publication."""
    if not draft.licence:
        return Decision(
            reason="licence_unknown", detail="licence: nothing says under which it may be published"
        )
    if draft.licence not in bounds.licences:
        return Decision(reason="licence_not_allowed", detail=f"licence: {draft.licence[:80]}")
    return KEEP


# Full names, or prefixes that end before a dot, which no benchmark entry needs.
_FORBIDDEN_NAMES = """
os.system os.popen os.fork os.kill os.execv os.execve os.execvp os.spawnv os._exit subprocess
multiprocessing pty ctypes cffi eval exec compile __import__ globals sys.settrace sys.setprofile
sys._getframe sys.exit exit quit inspect gc.get_objects gc.get_referrers gc.get_referents shutil.rmtree
importlib.reload builtins.eval builtins.exec
"""
FORBIDDEN = frozenset(_FORBIDDEN_NAMES.split())


@gate("aicodereval.calls")
def calls(draft: Draft, _: EntryBounds) -> Decision:
    """The program starts no process, executes no text, and does not access the machine around it.

    This reads the syntax tree, so `model.eval()` is no match. The sandbox protects in any case; this gate is
    about what a benchmark should teach.
    """
    tree = parsed(program_of(draft.entry))
    if isinstance(tree, ParseFault):
        return KEEP  # refused already
    found = {
        f"line {node.lineno}": name for name, node in tree.calls() if not FORBIDDEN.isdisjoint(_parts(name))
    }
    if not found:
        return KEEP
    where, name = next(iter(found.items()))
    return Decision(reason="forbidden_call", detail=f"{name} ({where})", evidence={"calls": found})


def _parts(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[: at + 1]) for at in range(len(words))]


class SecretsGate:
    """The draft contains nothing like a key, a token or a password, according to detect-secrets.

    No server is asked. Only filters that look at the line alone are enabled: a comment in the draft cannot
    switch the search off, and no service is asked whether a key is real.
    """

    name = "aicodereval.secrets"
    version = 1

    def __init__(self) -> None:
        try:
            from detect_secrets.core.plugins.util import (  # noqa: PLC0415 (an optional dependency)
                get_mapping_from_secret_type_to_class as plugins,
            )
            from detect_secrets.core.secrets_collection import SecretsCollection  # noqa: PLC0415
            from detect_secrets.settings import transient_settings  # noqa: PLC0415
        except ImportError:
            message = "the search for secrets needs detect-secrets"
            raise PrerequisiteError(message, hint=install_command("build")) from None
        self._collection, self._settings = SecretsCollection, transient_settings
        found: dict[str, type] = plugins()
        names = sorted(each.__name__ for each in found.values() if each.__name__ not in _NO_SECRETS)
        self._used = {
            "plugins_used": [{"name": name} for name in names],
            "filters_used": [{"path": f"detect_secrets.filters.heuristic.{name}"} for name in _FILTERS],
        }

    def decide(self, draft: Draft) -> Decision:
        """The kinds and lines of matches; never the secret itself."""
        found = self._scan(_texts(draft))
        return (
            Decision(reason="secret", detail=found[0]["kind"], evidence={"found": found}) if found else KEEP
        )

    def _scan(self, text: str) -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="benchwright-") as folder:
            path = Path(folder, "draft.py")
            path.write_text(text, "utf-8", "replace")
            with self._settings(self._used):
                collection = self._collection()
                collection.scan_file(str(path))
        every: list[Any] = [each for _, each in collection]
        found = {(each.line_number, each.type) for each in every}
        return [{"kind": kind, "line": line} for line, kind in sorted(found)]


_NO_SECRETS = {"IPPublicDetector"}  # an address is not a secret
_FILTERS = ("is_sequential_string", "is_templated_secret", "is_indirect_reference")


def _texts(draft: Draft) -> str:
    return "\n".join([program_of(draft.entry), *draft.alternatives, *draft.wrong.values()])


def secrets(_: EntryBounds) -> SecretsGate:
    """Open the gate. Raises PrerequisiteError if detect-secrets is not installed."""
    return SecretsGate()


class RepeatedDraftsGate:
    """No draft repeats the id of another, or its content but for layout and comments."""

    name = "aicodereval.repeated"
    version = 1

    def __init__(self) -> None:
        self._units: dict[str, str] = {}
        self._contents: dict[str, str] = {}

    def decide(self, draft: Draft) -> Decision:
        """Refuse a draft with the id or the content of an earlier one."""
        if draft.unit in self._units:
            return Decision(reason="task_id_taken", detail=draft.unit)
        if (first := self._contents.get(_content(draft))) is not None:
            return Decision(reason="duplicate", detail=f"as {first}")
        return KEEP

    def remember(self, draft: Draft) -> None:
        """Store the id and content of a kept draft."""
        self._units[draft.unit] = self._contents[_content(draft)] = draft.unit


def _content(draft: Draft) -> str:
    """The request and the solution of a draft, with the program as its syntax tree."""
    entry = draft.entry
    tree = parsed(program_of(entry))
    code = program_of(entry) if isinstance(tree, ParseFault) else ast.dump(tree.nodes[0])
    return content_key(entry.description, code, [msgspec.to_builtins(case) for case in entry.cases])


def repeated(_: EntryBounds) -> Gate[Draft]:
    """No duplicates."""
    return RepeatedDraftsGate()


FORM_GATES: tuple[GateOpener, ...] = (schema, programs, licence, calls, secrets, repeated)
