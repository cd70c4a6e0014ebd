"""Bytecode of pytest, compiled once and shown to the jail read-only.

It halves what a warm interpreter costs to start: uv installs packages without bytecode, and the jail can
write none. It is made outside, from the same files that the jail shows, and of no consequence but for time.
"""

from __future__ import annotations

import marshal
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from benchwright.judges.suites.keeping import cache_folder
from benchwright.sandbox.environments import Environment, site_binds
from benchwright.sandbox.inside.suite_places import PLACE, name_of

CROWDED = 100  # modules in a folder, such as pygments' lexers
Binds = Sequence[tuple[str, str]]


def bytecode_binds(environment: Environment) -> tuple[tuple[str, str], ...]:
    """Return the binds of the cache; none if nothing can be cached: then the jail compiles for itself."""
    shown = site_binds(environment)
    folder = cache_folder() / f"python-{_key(shown)}"
    try:
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            _make(shown, folder)
    except OSError:
        return ()  # slower, and otherwise the same
    return ((str(folder), PLACE),)


def _key(shown: Binds) -> str:
    """Return a key that changes with installed packages; a source edited in place is noticed at its
    import."""
    digest = sha256(sys.version.encode() + MAGIC_NUMBER)
    for source, place in sorted(shown):
        digest.update(f"{place} {source} {os.stat(source).st_mtime_ns}\n".encode())
    return digest.hexdigest()[:20]


def _make(shown: Binds, folder: Path) -> None:
    """Build in a temporary folder, which is renamed when complete; the second of two processes finds it
    there."""
    building = Path(tempfile.mkdtemp(prefix=".python-", dir=folder.parent))
    try:
        building.chmod(0o755)
        for path, place in _modules(shown):
            state, text = os.stat(path), path.read_bytes()
            code = compile(text, place, "exec", dont_inherit=True)
            data = marshal.dumps(((state.st_mtime_ns, state.st_size), code))
            (building / name_of(place)).write_bytes(data)
        building.rename(folder)
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _modules(shown: Binds) -> Iterator[tuple[Path, str]]:
    """Yield each module by its path here and in the jail; without crowded folders, few of whose modules
    load."""
    for source, place in shown:
        if source.endswith(".py"):
            yield Path(source), place
        for folder, _, names in os.walk(source):
            if len(names) <= CROWDED:
                for path in (Path(folder, name) for name in names if name.endswith(".py")):
                    yield path, f"{place}/{path.relative_to(source).as_posix()}"
