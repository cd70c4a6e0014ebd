"""Git histories made object by object: merges, several roots, and unusual dates and bytes that git allows."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pygit2

START = 1_700_000_000  # time of the first commit, in seconds since 1970; each further one is a day later
DAY = 86_400
FILE, SUBMODULE = b"100644", b"160000"  # modes of entries
WHO = b"Ada Example <ada@example.org>"
LICENCE = Path(__file__).resolve().parents[2] / "LICENSE"
Tree = Mapping[str | bytes, str | bytes]


class HistoryMaker:
    """A bare repository to which a test adds commits and references."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repository = pygit2.init_repository(str(path), bare=True)
        self._next = START

    def tree(self, files: Tree, *, named: Mapping[str, tuple[bytes, str]] | None = None) -> str:
        """Add a tree with these files; a slash in a path makes a folder. `named` has modes and ids by name."""
        entries: dict[bytes, tuple[bytes, str]] = {}
        below: dict[bytes, dict[str | bytes, str | bytes]] = {}
        for name, content in files.items():
            first, slash, rest = _bytes(name).partition(b"/")
            if slash:
                below.setdefault(first, {})[rest] = content
            else:
                entries[first] = (b"100644", str(self.repository.create_blob(_bytes(content))))
        entries |= {name.encode(): entry for name, entry in (named or {}).items()}
        for name, inner in below.items():
            entries[name] = (b"40000", self.tree(inner))
        ordered = sorted(entries, key=lambda name: name + b"/" * (entries[name][0] == b"40000"))
        body = b"".join(
            entries[name][0] + b" " + name + b"\0" + bytes.fromhex(entries[name][1]) for name in ordered
        )
        return str(self.repository.odb.write(pygit2.enums.ObjectType.TREE, body))

    def commit(
        self,
        files: Tree | str,
        *parents: str,
        message: str | bytes = "A commit",
        time: int | None = None,
        who: bytes = WHO,
        encoding: str = "",
    ) -> str:
        """Add a commit with the files, or with a tree by its id; no reference is moved."""
        self._next += DAY
        at = self._next if time is None else time
        tree = files if isinstance(files, str) else self.tree(files)
        head = [b"tree " + tree.encode(), *(b"parent " + each.encode() for each in parents)]
        stamp = f"{at} +0000".encode()
        head += [b"author " + who + b" " + stamp, b"committer " + who + b" " + stamp]
        head += [b"encoding " + encoding.encode()] if encoding else []
        body = b"\n".join(head) + b"\n\n" + _bytes(message)
        return str(self.repository.odb.write(pygit2.enums.ObjectType.COMMIT, body))

    def line(self, count: int, *parents: str, name: str = "a.py") -> list[str]:
        """Add commits in a row, each of which adds a line to a file."""
        made = list(parents)
        for number in range(count):
            text = "".join(f"x{each} = {each}\n" for each in range(number + 1))
            given = made[-1:] if number or parents else []
            made.append(self.commit({name: text, **licence()}, *given, message=f"Add line {number}"))
        return made[len(parents) :]

    def point(self, name: str, commit: str) -> None:
        """Create or move a reference, such as "refs/heads/main"; HEAD follows the first branch."""
        self.repository.references.create(name, commit, force=True)
        if name.startswith("refs/heads/") and self.repository.head_is_unborn:
            self.repository.set_head(name)

    def forget(self, name: str) -> None:
        """Remove an object, as a shallow or partial clone lacks it."""
        (self.path / "objects" / name[:2] / name[2:]).unlink()

    def large_blob(self, size: int) -> str:
        """Add a blob of this number of bytes of text, without holding it in memory."""
        block = b"line of text\n" * 5042
        digest, packed = hashlib.sha1(usedforsecurity=False), zlib.compressobj(1)
        parts = []
        for part in (f"blob {size}".encode() + b"\0", *_blocks(block, size)):
            digest.update(part)
            parts.append(packed.compress(part))
        name = digest.hexdigest()
        place = self.path / "objects" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(b"".join([*parts, packed.flush()]))
        return name


def licence() -> dict[str, str]:
    """Return the file of a known licence."""
    return {"LICENSE": LICENCE.read_text("utf-8")}


def _blocks(block: bytes, size: int) -> Sequence[bytes]:
    whole, rest = divmod(size, len(block))
    return [*[block] * whole, block[:rest]]


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
