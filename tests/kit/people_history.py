"""A clone with commits by invented people and programs, with secrets and mentions in their texts."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pygit2

from kit.made_repositories import MIT
from kit.needs import need_module
from kit.secret_corpus import Plant, plants

ADA, BEN = ("Ada Byron", "ada@corp.com"), ("Ben Hur", "7+ben-hur@users.noreply.github.com")
BOT = ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com")
ABBOTT = ("Lowell Abbott", "lowell.abbott@corp.com")
BENS_WORDS = "Rework zebras entirely"
PLANTS: list[Plant] = [each for each in plants(seed=7, each=1) if not each.kind.startswith("generic")]

ENCODED = [base64.b64encode(each.text.encode()).decode() for each in PLANTS]


class PeopleHistory:
    """A bare repository to which commits are added."""

    def __init__(self, path: Path) -> None:
        self.git = pygit2.init_repository(str(path), bare=True)
        self.path, self.count = path, 0
        self.files: dict[str, str] = {"LICENSE": MIT}

    def commit(
        self,
        who: tuple[str, str],
        message: str,
        *,
        reference: str = "refs/heads/main",
        parents: list[str] | None = None,
        **changed: str,
    ) -> str:
        """Add a commit that changes files; `NAME_EXT` stands for NAME.EXT. Times are a day apart."""
        self.count += 1
        self.files |= {name.replace("_", "."): text for name, text in changed.items()}
        tree = self.git.TreeBuilder()
        for name, text in self.files.items():
            tree.insert(name, self.git.create_blob(text.encode()), pygit2.enums.FileMode.BLOB)
        when = pygit2.Signature(*who, 1_700_000_000 + 86_400 * self.count, 0)
        if parents is None:
            parents = [str(self.git.references[reference].target)] if reference in self.git.references else []
        made = self.git.create_commit(None, when, when, message, tree.write(), parents)
        self.git.references.create(reference, made, force=True)
        self.git.set_head("refs/heads/main")
        return str(made)


def people_history(path: Path) -> PeopleHistory:
    """Create commits by Ada, Ben, Abbott and a bot; a pull request of Ben; secrets in files and messages."""
    made = PeopleHistory(path)
    made.commit(ADA, "Add a module of sums", sums_py="def total(a, b):\n    return a + b\n")
    secrets = "\n".join([*(each.text for each in PLANTS), *(f"data: {each}" for each in ENCODED)])
    made.commit(ADA, "Configure the deployment\n\nThanks @ben-hur for the idea.", deploy_txt=secrets)
    made.commit(ADA, f"Rotate leaked keys\n\n{secrets}", deploy_txt="# see the vault\n# ask @ben-hur\n")
    made.commit(ABBOTT, "Describe the sums in detail", readme_md="# Sums\n\nAdds two numbers.\n")
    made.commit(BOT, "Bump click from 8.0 to 8.1", requirements_txt="click==8.1\n")
    made.commit(ADA, "wip", sums_py="def total(a, b):\n    return b + a\n")
    head = made.commit(
        BEN,
        f"{BENS_WORDS}\n\nSigned-off-by: Ben Hur <ben@hur.org>",
        reference="refs/pull/1/head",
        parents=[str(made.git.references["refs/heads/main"].target)],
        zebra_py="def stripes():\n    return 'ben-hur counts 4711 stripes'\n",
    )
    made.files.pop("zebra.py")
    main = str(made.git.references["refs/heads/main"].target)
    made.commit(ADA, "Merge pull request #1 from ben-hur/zebra", parents=[main, head], other_py="x = 1\n")
    made.commit(ADA, "Credit ben-hur in the notes", notes_md="Thanks to ben-hur and ben@hur.org.\n")
    return made


def all_bytes(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Return every file below a folder; rows of Parquet files as text."""
    duckdb = need_module("duckdb")
    with duckdb.connect() as database:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield path, path.read_bytes()
                yield path, str(path.relative_to(folder)).encode()
            if path.suffix == ".parquet":
                rows = database.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
                yield path, "\n".join(map(str, rows)).encode()
