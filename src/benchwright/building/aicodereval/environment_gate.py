"""Gate: the dependency profile provides all imports of an entry.

A missing library is not a fault of the entry.
"""

from __future__ import annotations

from functools import cache

from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener
from benchwright.lang.python.importing import STANDARD
from benchwright.lang.source import imports as imports_of
from benchwright.sandbox.environments import find_environment, site_modules
from benchwright.tracks.aicodereval.program import program_of

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
