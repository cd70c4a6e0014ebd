"""Third-party packages as an installer leaves them: modules, and metadata with entry points."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def install(folder: Path, module: str, text: str, points: Mapping[str, Mapping[str, str]]) -> Path:
    """Create a folder for PYTHONPATH with one module; `points` are its entry points by group."""
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{module}.py").write_text(text, "utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", "utf-8")
    groups = (
        "\n".join([f"[{group}]", *(f"{name} = {what}" for name, what in found.items()), ""])
        for group, found in points.items()
    )
    (metadata / "entry_points.txt").write_text("\n".join(groups), "utf-8")
    return folder


def install_package(package: Path, site: Path) -> Path:
    """Install a package written by `benchwright new`, by its pyproject.toml; an installer would need the
    index for this."""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))
    (file,) = project["tool"]["hatch"]["build"]["targets"]["wheel"]["include"]
    points = project["project"]["entry-points"]
    return install(site, file.removesuffix(".py"), (package / file).read_text("utf-8"), points)


def install_editable(package: Path, site: Path) -> None:
    """Install a package so that later changes to its files take effect: `pip install -e` without an index."""
    install_package(package, site)
    for module in package.glob("*.py"):
        if (site / module.name).exists():
            (site / module.name).unlink()
            (site / module.name).symlink_to(module.resolve())


def install_example(folder: Path, module: str) -> Path:
    """Install one of `examples/`, with the entry points from its docstring."""
    text = (EXAMPLES / f"{module}.py").read_text("utf-8")
    return install(folder, module, text, entry_points(text))


def entry_points(text: str) -> dict[str, dict[str, str]]:
    """Return the entry points in a module's docstring, which are lines of a pyproject.toml."""
    docstring = ast.get_docstring(ast.parse(text)) or ""
    document = tomllib.loads(docstring[docstring.index("[project.entry-points") :])
    points: dict[str, dict[str, str]] = document["project"]["entry-points"]
    return points


if __name__ == "__main__":  # takes the place of pip: plug_ins.py SITE install -e PACKAGE
    _site, *_words, _package = sys.argv[1:]
    if _words != ["install", "-e"]:
        sys.exit(f"not installed here: {_package}")
    install_editable(Path(_package), Path(_site))
