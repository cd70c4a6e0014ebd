"""Unusable databases: the error message, no loss of data, and recovery."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from litestar import Response, post
from sqlalchemy import select, text, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from benchwright.errors import RunError, UsageError
from benchwright.web.core.database import TRIES, Database, DatabaseUnavailable, open_database
from benchwright.web.core.guard import route
from benchwright.web.core.policy import public
from benchwright.web.core.site import SiteRequest, site_of
from benchwright.web.core.tables import SiteFact
from kit.mounted import mounted
from kit.postgres import Postgres
from kit.processes import HANG_S, python
from kit.web_client import Served

pytestmark = pytest.mark.postgresql

WRITING = """
import sys
from pathlib import Path
from benchwright.web.core.database import DatabaseUnavailable, open_database
from benchwright.web.core.tables import SiteFact
from sqlalchemy import func, select
"""
FULL = f"""{WRITING}
folder = Path(sys.argv[1])
filler = folder / "filler"
filler.write_bytes(b"x" * 400_000)
database, kept = open_database(folder / "site.db"), []

def add(session):
    session.add(SiteFact(name=str(len(kept)), value="v" * 5000))

def count(session):
    return session.scalar(select(func.count()).select_from(SiteFact))

def fill():
    for _ in range(1000):
        database.write_now(add)
        kept.append(1)

try:
    fill()
except DatabaseUnavailable as error:
    print(error.message.rpartition(": ")[2], error.hint == f"df -h {{folder}}", len(kept) > 5, database.read_now(count) == len(kept), sep="|")
filler.unlink()
database.write_now(add)
print(database.read_now(count) == len(kept) + 1)
"""
READ_ONLY = f"""{WRITING}
try:
    database = open_database(Path(sys.argv[1]) / "site.db")
    database.write_now(lambda session: session.add(SiteFact(name="a", value="b")))
except DatabaseUnavailable as error:
    print(error.message, error.hint, sep="\\n")
"""


def _fact(name: str) -> Callable[[Session], None]:
    return lambda session: session.add(SiteFact(name=name, value=""))


def _merged(name: str) -> Callable[[Session], object]:
    return lambda session: session.merge(SiteFact(name=name, value=""))


def _names(database: Database) -> list[str]:
    return database.read_now(lambda session: list(session.scalars(select(SiteFact.name))))


def test_a_second_process_is_refused_and_told_who_has_the_file(tmp_path: Path) -> None:
    """The lock ends with its process, however it ends."""
    database = open_database(tmp_path / "site.db")
    code = f"{WRITING}\ntry:\n    open_database(sys.argv[1])\nexcept Exception as error:\n    print(error)"
    said = python(code, str(tmp_path / "site.db")).stdout
    with pytest.raises(RunError, match=rf"is in use by process {os.getpid()} on "):
        open_database(tmp_path / "site.db")
    database.close()
    killed = python(
        f"{WRITING}\nimport os\nopen_database(sys.argv[1])\nos._exit(9)", str(tmp_path / "site.db")
    )

    assert f"in use by process {os.getpid()} on " in said
    assert killed.returncode == 9
    open_database(tmp_path / "site.db").close()


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    """It contains the site's secret and the votes; SQLite's other open files have the same mode."""
    database = open_database(tmp_path / "site.db")
    database.write_now(_fact("one"))
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    database.close()

    assert modes == dict.fromkeys(("site.db", "site.db-wal", "site.db-shm", "site.db.lock"), 0o600)


@pytest.mark.parametrize("name, said", [("", "Is a directory"), ("none/site.db", "No such file")])
def test_a_place_where_no_file_can_be_is_told(tmp_path: Path, name: str, said: str) -> None:
    """A folder, or a path in a missing folder; another path can be tried afterwards."""
    with pytest.raises(RunError, match=said):
        open_database(tmp_path / name)
    open_database(tmp_path / "site.db").close()


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """On a file system of 1 MB, acknowledged rows are stored, and writing continues when there is space."""
    said = mounted(f"mount -t tmpfs -o size=1m none {tmp_path}", FULL, tmp_path)

    assert said.splitlines() == ["its disk is full|True|True|True", "True"]


def test_a_file_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    """A read-only mount is used, because root may write everything else."""
    file = tmp_path / "site.db"
    open_database(file).close()
    said = mounted(f"mount --bind {file} {file} && mount -o remount,bind,ro {file}", READ_ONLY, tmp_path)

    assert said.splitlines() == [
        f"the database {file} is unavailable: its file is not writable",
        f"ls -l {file}; id",
    ]


@pytest.mark.parametrize("content", [b"this is a text and no database at all" * 50, b"SQLite format 3\0" + b"\xff" * 5000])  # fmt: skip
def test_a_file_that_is_no_database_is_told(tmp_path: Path, content: bytes) -> None:
    """The file stays unchanged."""
    (tmp_path / "site.db").write_bytes(content)
    with pytest.raises(
        DatabaseUnavailable, match=r"site\.db is unavailable.*(not a SQLite database|damaged)"
    ) as told:
        open_database(tmp_path / "site.db")

    assert (tmp_path / "site.db").read_bytes() == content
    assert str(tmp_path / "site.db") in str(told.value.hint)


@pytest.mark.parametrize(
    "place", ["mysql://somewhere/x", "://", "postgresql", "http://x/y", "postgresql://u:p@host:abc/x"]
)
def test_a_place_that_is_no_database_is_told(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything except a plain word, which is a file name."""
    monkeypatch.chdir(tmp_path)
    if "://" not in place:
        open_database(place).close()
        assert (tmp_path / place).is_file()
        return
    with pytest.raises(UsageError, match="a file path or a PostgreSQL address"):
        open_database(place)


def test_a_password_with_an_at_sign_is_never_told() -> None:
    """It must be written as %40: otherwise the rest would be a host, and be reported as an unknown one."""
    with pytest.raises(UsageError, match="password") as raised:
        open_database("postgresql://u:se@cret@host.invalid/x")

    assert "cret" not in f"{raised.value} {raised.value.hint}"


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The error has one line, without the password of the address."""
    with pytest.raises(
        DatabaseUnavailable, match=r"the database postgresql://me@/x\?host=\S+ is unavailable: "
    ) as told:
        open_database(f"postgresql://me:hidden@/x?host={tmp_path}&password=hidden")

    assert "hidden" not in f"{told.value} {told.value.hint}"
    assert str(told.value.hint).startswith("pg_isready -d 'postgresql://me@/x?host=")


def test_a_statement_that_is_wrong_is_our_fault(database: Database) -> None:
    """It must not be reported as an unusable database, which would hide it."""
    with pytest.raises(Exception, match="no_such_table") as raised:
        database.read_now(lambda session: session.execute(text("select * from no_such_table")))

    assert not isinstance(raised.value, DatabaseUnavailable) or database.kind == "sqlite"
    assert isinstance(raised.value, ProgrammingError) or database.kind == "sqlite"


@post("/keep", status_code=201, opt=route(public(), "name"))
async def keep(request: SiteRequest) -> Response[Any]:
    name = request.query_params["name"]
    await site_of(request).database.write(_fact(name))
    return Response(name)


def test_a_page_says_it_and_the_site_goes_on(tmp_path: Path) -> None:
    """The status is 503 with an explanation; when the database is back, the same form works."""
    database = open_database(tmp_path / "site.db")
    served = Served(database, [keep], {})
    browser = served.browser()
    browser.get("/login")
    login = browser.page
    database.write_now(lambda session: session.execute(text("PRAGMA query_only=ON")))
    refused = browser.send("/keep?name=one")
    database.engine.dispose()  # the next connection may write again
    browser.page = login
    taken = browser.send("/keep?name=one")
    served.close()

    assert (refused.status_code, refused.headers["retry-after"], taken.status_code) == (503, "5", 201)
    assert "was not stored" in refused.text
    assert "one" in _names(database)
    database.close()


def test_a_server_that_restarts_under_load_loses_nothing() -> None:
    """Eight clients write continuously and repeat refused requests. Each acknowledged row is stored exactly
    once."""
    server = Postgres()
    try:
        database = open_database(server.new_database())
        stored, refused = list[str](), list[bool]()

        async def one(number: int, end: asyncio.Event) -> None:
            turn = 0
            while not end.is_set():
                name = f"{number}-{turn}"
                try:
                    await database.write(_merged(name))
                except DatabaseUnavailable as error:
                    refused.append(error.committing)
                    await asyncio.sleep(0.05)
                    continue
                stored.append(name)
                turn += 1

        async def load() -> None:
            end = asyncio.Event()
            writers = [asyncio.create_task(one(number, end)) for number in range(8)]
            for _ in range(2):
                seen = len(stored)
                while len(stored) < seen + 40:
                    await asyncio.sleep(0.01)
                await asyncio.to_thread(server.stop)
                await asyncio.to_thread(server.start)
            seen = len(stored)
            while len(stored) < seen + 40:
                await asyncio.sleep(0.01)
            end.set()
            await asyncio.gather(*writers)

        asyncio.run(asyncio.wait_for(load(), HANG_S))
        names = _names(database)
        database.close()
    finally:
        server.remove()

    assert len(stored) == len(set(stored)) > 120
    assert set(stored) <= set(names)
    assert len(names) == len(set(names))


def test_a_connection_that_was_cut_before_the_commit_is_tried_again(postgres_server: Postgres) -> None:
    """The work is repeated, stored once, and no error is raised; if every attempt fails, it is reported."""
    place = postgres_server.new_database()
    database = open_database(place)
    runs = list[int]()

    def cut(times: int) -> Callable[[Session], None]:
        def work(session: Session) -> None:
            session.add(SiteFact(name=f"cut {times}", value=""))
            session.flush()
            runs.append(times)
            if runs.count(times) <= times:
                pid = session.scalar(text("select pg_backend_pid()"))
                postgres_server.execute(f"select pg_terminate_backend({pid}, 10000)")
            session.execute(text("select 1"))

        return work

    database.write_now(cut(1))
    with pytest.raises(DatabaseUnavailable) as told:
        database.write_now(cut(TRIES))

    wanted = [1, 1, *[TRIES] * TRIES]
    assert (runs, _names(database), told.value.committing) == (wanted, ["cut 1"], False)
    database.close()
    postgres_server.drop(place)


def test_two_that_wait_for_each_other_are_both_done(postgres_server: Postgres) -> None:
    """The server aborts one of them; it is repeated, and neither caller gets an error.

    The repeated one may lock its row again before the other wakes up. Then the server aborts one a second time.
    """
    place = postgres_server.new_database()
    database = open_database(place)
    database.write_now(
        lambda session: session.add_all([SiteFact(name="a", value=""), SiteFact(name="b", value="")])
    )
    both_hold_one, runs = threading.Barrier(2), list[str]()

    def change(*names: str) -> Callable[[Session], None]:
        def work(session: Session) -> None:
            runs.append(names[0])
            for name in names:
                change_one = update(SiteFact).where(SiteFact.name == name)
                session.execute(change_one.values(value=SiteFact.value + names[0]))
                if name == names[0] and runs.count(name) == 1:
                    both_hold_one.wait(HANG_S)

        return work

    async def together() -> None:
        await asyncio.gather(database.write(change("a", "b")), database.write(change("b", "a")))

    asyncio.run(together())
    values = database.read_now(
        lambda session: [sorted(each) for each in session.scalars(select(SiteFact.value))]
    )

    assert len(runs) >= 3
    assert values == [["a", "b"]] * 2
    database.close()
    postgres_server.drop(place)
