"""The other sources of a Java class under test, from the clone of its repository."""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.contracts import WrittenTestsSpec
from benchwright.judges.repositories.checkouts import checkout_of
from benchwright.judges.repositories.suite_tests import module_sources
from benchwright.judges.suites.java_classes import package_of


def with_module(spec: WrittenTestsSpec) -> WrittenTestsSpec:
    """Return the spec with the sources of the class's module in `others`, without those of other tests.

    An unusable clone, and a commit without the class, are in `missing`. Raises PrerequisiteError.
    """
    if not spec.clone:
        return spec
    checkout = checkout_of(spec)
    if checkout.missing:
        return replace(spec, missing=checkout.missing)
    sources = module_sources(checkout.texts(), spec.module)
    name = "/".join([*filter(None, package_of(spec.focal).split(".")), spec.focal_path.rpartition("/")[2]])
    focal = next((path for path in sources if f"/{path}".endswith(f"/{name}")), "")
    if not focal:
        where = f"{spec.module or 'the repository'} at commit {spec.commit[:12]}"
        return replace(spec, missing=f"{where} has no file {name}")
    others = {path.removeprefix(spec.module): text for path, text in sources.items() if path != focal}
    return replace(spec, others=others)
