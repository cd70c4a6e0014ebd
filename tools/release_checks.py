"""Checks of built distributions before a tag: metadata, bills of materials, and a trial of the wheels.

    twine check ─▶ SBOM of each distribution ─▶ SHA256SUMS ─▶ the wheels in a new environment

A bill of materials (CycloneDX 1.5, JSON) lists what a distribution requires without extras, in the
versions and with the hashes of `uv.lock`. It contains no time of its own: equal commits give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.commands import ToolError, git, output

SPEC = "1.5"
SUMS = "SHA256SUMS"
MOST_PACKAGES = 16  # of an installation without extras
# What each distribution adds, as a command that must work once its wheel is installed.
ADDED = (("audit", "--help"), ("build", "--help"), ("judge", "serve", "--help"), ("ianvs", "--help"))


def verify(clone: Path, folder: Path, built: Sequence[Path], *, uv: str, version: str) -> list[Path]:
    """Check built files and return those to publish beside them. Raises ToolError for the first fault."""
    check_metadata(built)
    bills = write_bills(clone, folder, uv=uv, version=version, names=distributions(built))
    sums = write_sums(folder / SUMS, [*built, *bills])
    try_wheels(clone, folder, [path for path in built if path.suffix == ".whl"], uv=uv, version=version)
    return [*bills, sums]


def check_metadata(built: Sequence[Path]) -> None:
    """Check names, versions and descriptions of wheels and sdists as the index does. Raises ToolError."""
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, built)]
    output(command, built[0].parent, "twine check")
    print(f"twine check: {len(built)} files passed")


def distributions(built: Iterable[Path]) -> list[str]:
    """Return the names of the distributions that have a wheel."""
    return sorted(path.name.split("-")[0].replace("_", "-") for path in built if path.suffix == ".whl")


def write_bills(clone: Path, folder: Path, *, uv: str, version: str, names: Iterable[str]) -> list[Path]:
    """Write the bill of materials of each distribution, validated against the schema of CycloneDX."""
    day = git(clone, "log", "-1", "--format=%cI").strip()
    paths = []
    for name in names:
        text = output([uv, *_EXPORT, "--format", f"cyclonedx{SPEC}", "--package", name], clone, "uv export")
        bill = settled_bill(json.loads(text), name=name, version=version, day=day)
        check_bill(name, bill)
        path = folder / f"{name.replace('-', '_')}-{version}.cdx.json"
        path.write_text(json.dumps(bill, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{path.name}: {len(bill['components'])} components")
        paths.append(path)
    return paths


_EXPORT = ("export", "--quiet", "--frozen", "--no-dev", "--preview-features", "sbom-export")


def settled_bill(bill: Mapping[str, Any], *, name: str, version: str, day: str) -> dict[str, Any]:
    """Return a bill with its distribution's version, the commit's time and a number of its content."""
    root = {**bill["metadata"]["component"], "version": version, "purl": f"pkg:pypi/{name}@{version}"}
    metadata = {**bill["metadata"], "component": root, "timestamp": day}
    settled = {key: value for key, value in bill.items() if key != "serialNumber"} | {"metadata": metadata}
    digest = hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()
    return {**settled, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}"}


def check_bill(name: str, bill: Mapping[str, Any]) -> None:
    """Raise ToolError for a bill that its schema refuses, or that names another distribution."""
    from cyclonedx.schema import SchemaVersion  # noqa: PLC0415 (the other steps need none of it)
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415

    fault = JsonStrictValidator(SchemaVersion.from_version(SPEC)).validate_str(json.dumps(bill))
    if fault is not None:
        raise ToolError(f"the bill of materials of {name} is invalid: {fault}")
    found = bill["metadata"]["component"]["name"]
    if found != name:
        raise ToolError(f"the bill of materials of {name} describes {found}")


def write_sums(path: Path, files: Iterable[Path]) -> Path:
    """Write the SHA-256 of each file, in the form that `sha256sum --check` reads."""
    lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in files]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def try_wheels(clone: Path, folder: Path, wheels: Sequence[Path], *, uv: str, version: str) -> None:
    """Install the wheels into a new environment with the versions of the lock, and use them as a user would.

    First the core alone: its version, its number of packages and the demo. Then the others: their commands.
    """
    versions, place = folder / "constraints.txt", folder / "trial"
    words = ["--all-packages", "--no-emit-workspace", "--no-hashes", "--format", "requirements.txt"]
    versions.write_text(output([uv, *_EXPORT, *words], clone, "uv export"), encoding="utf-8")
    output([uv, "venv", "--quiet", "--python", sys.executable, str(place)], folder, "uv venv")
    python, program = place / "bin" / "python", str(place / "bin" / "benchwright")
    install = [uv, "pip", "install", "--quiet", "--python", str(python), "--constraint", str(versions)]
    core = [each for each in wheels if each.name.startswith("benchwright-")]
    output([*install, *map(str, core)], folder, "installing the core wheel")
    said = output([program, "--version"], folder, "benchwright --version").strip()
    if version not in said:
        raise ToolError(f"the installed core says {said!r}, not {version}")
    listed = json.loads(
        output([uv, "pip", "list", "--python", str(python), "--format", "json"], folder, "uv pip")
    )
    if len(listed) > MOST_PACKAGES:
        raise ToolError(f"an installation has {len(listed)} packages, more than {MOST_PACKAGES}")
    empty = folder / "empty"
    empty.mkdir()
    output([program, "demo"], empty, "benchwright demo")
    output([*install, *map(str, wheels)], folder, "installing all wheels")
    for added in ADDED:
        output([program, *added], folder, " ".join(("benchwright", *added)))
    print(f"trial: {said}, {len(listed)} packages, the demo and the commands of all wheels work")
