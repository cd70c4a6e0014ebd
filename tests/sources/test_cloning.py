"""Cloning from untrusted servers: little is fetched, and no server exceeds its limits."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pygit2
import pytest

from benchwright.sources import cloning, cloning_child
from benchwright.sources.clones import Clone, CloneError, without_password
from benchwright.sources.cloning import CloneLimits, CloneRequest, clone
from benchwright.sources.cloning_child import FetchWatch
from kit.made_git_server import git_server
from kit.made_repositories import commit, repository
from kit.needs import need
from kit.processes import HANG_S, said_under

LIMITS = CloneLimits(seconds=60)
IMPORTS = "from pathlib import Path; from benchwright.sources.cloning import *"


class _Served(NamedTuple):
    address: str  # of a server that serves single commits
    strict: str  # of one that does not
    old: str
    new: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Served]:
    """Return a repository with three commits and another branch, and an empty one."""
    need("git", "serves repositories over HTTP")
    root = tmp_path_factory.mktemp("served")
    made = pygit2.Repository(str(repository(root / "sums", {"a.py": "1"}, bare=True)))
    old = commit(made, {"a.py": "2"})
    made.create_branch("beside", made[commit(made, {"a.py": "3", "large": bytes(range(256)) * 2000})])
    pygit2.init_repository(str(root / "void"), bare=True)
    with git_server(root) as address, git_server(root, exact=False) as strict:
        yield _Served(address, strict, old, str(made.head.target))


def _fails(address: str, folder: Path, limits: CloneLimits = LIMITS) -> CloneError:
    with pytest.raises(CloneError) as caught:
        clone(address, folder / "clone", commit=None, limits=limits)
    assert list(folder.iterdir()) == []
    return caught.value


def test_only_the_newest_commit_comes(served: _Served, tmp_path: Path) -> None:
    """No history and no other branch."""
    clone(f"{served.address}/sums", tmp_path / "clone", commit=None, limits=LIMITS)
    made = pygit2.Repository(str(tmp_path / "clone"))

    assert (made.is_shallow, made.is_bare, list(made.references)) == (True, True, ["refs/heads/fetched"])
    assert (Clone(tmp_path / "clone").commit, served.old in made) == (served.new, False)


@pytest.mark.parametrize("server", ["address", "strict"])
def test_a_commit_that_was_asked_for(served: _Served, tmp_path: Path, server: str) -> None:
    """It is fetched, alone if the server serves single commits."""
    clone(f"{getattr(served, server)}/sums", tmp_path / "clone", commit=served.old, limits=LIMITS)
    read = Clone(tmp_path / "clone", commit=served.old)
    shallow = pygit2.Repository(str(tmp_path / "clone")).is_shallow

    assert (read.commit, shallow) == (served.old, server == "address")


def test_a_name_that_was_asked_for(served: _Served, tmp_path: Path) -> None:
    """Branches and tags are found by their names."""
    clone(f"{served.address}/sums", tmp_path / "clone", commit="beside", limits=LIMITS)

    assert Clone(tmp_path / "clone", commit="beside").commit == served.new


def test_an_empty_repository(served: _Served, tmp_path: Path) -> None:
    """It is cloned, and reading it reports that it is empty."""
    clone(f"{served.address}/void", tmp_path / "clone", commit=None, limits=LIMITS)
    with pytest.raises(CloneError) as caught:
        Clone(tmp_path / "clone")

    assert caught.value.reason == "empty"


def test_what_is_not_there(served: _Served, tmp_path: Path) -> None:
    """The server's answer is the reason."""
    error = _fails(f"{served.address}/nothing", tmp_path)

    assert (error.reason, "404" in error.message) == ("not_cloned", True)


@pytest.mark.parametrize("room", [cloning_child.ROOM, 1])
def test_too_large(served: _Served, tmp_path: Path, room: int) -> None:
    """The limit applies to received and to written bytes."""
    program = (
        f"from benchwright.sources import cloning_child as child; child.ROOM = {room}; exit(child.main())"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cloning, "_CHILD", (sys.executable, "-c", program))
        error = _fails(f"{served.address}/sums", tmp_path, CloneLimits(bytes=1000, seconds=60))

    assert (error.reason, "more than 1,000 bytes" in error.message) == ("clone_too_large", True)


def test_a_server_that_says_nothing(tmp_path: Path) -> None:
    """It accepts the connection and sends nothing: the clone ends in time."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = _fails(f"http://127.0.0.1:{silent.getsockname()[1]}/sums", tmp_path, CloneLimits(seconds=1.5))

    assert (error.reason, "within 1.5 s" in error.message) == ("clone_too_slow", True)


def test_a_password_stays_in_the_address(served: _Served, tmp_path: Path) -> None:
    """Neither the clone's configuration nor a message has it."""
    address = served.address.replace("http://", "http://me:word@")
    clone(f"{address}/sums", tmp_path / "clone", commit=None, limits=LIMITS)
    config = (tmp_path / "clone/config").read_text()

    assert ("word" in config, f"{served.address}/sums" in config) == (False, True)
    (tmp_path / "other").mkdir()
    assert "word" not in str(_fails(f"{address}/nothing", tmp_path / "other"))


def test_the_child_has_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that unpacks an untrusted pack must not have secrets."""
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_a-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-secret")
    program = "import os, sys; sys.exit(str('PATH' in os.environ) + str([k for k in os.environ if 'K' in k]))"
    monkeypatch.setattr(cloning, "_CHILD", (sys.executable, "-c", program))

    assert "cannot be cloned: True[]" in _fails("https://example.org/a", tmp_path).message


def test_a_child_without_a_parent(tmp_path: Path) -> None:
    """If the build is killed, its clone ends too, and does not write while the next one does."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(HANG_S)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/sums"
        call = f"clone({address!r}, Path({str(tmp_path / 'clone')!r}), commit=None, limits=CloneLimits())"
        program = f"{IMPORTS}; {call}"
        with subprocess.Popen([sys.executable, "-c", program]) as parent:
            connection, _ = silent.accept()
            parent.kill()
        with connection:
            connection.settimeout(HANG_S)
            while said := connection.recv(1000):  # ends when the other side is closed
                assert said.startswith(b"GET /sums")


def test_a_child_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash of the library is a repository that was not cloned."""
    program = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    monkeypatch.setattr(cloning, "_CHILD", (sys.executable, "-c", program))
    error = _fails("https://example.org/a", tmp_path)

    assert (error.reason, "stopped by signal 11" in error.message) == ("not_cloned", True)


@pytest.mark.parametrize(
    ("valid", "host", "goes_on"),
    [
        (True, b"git.example.org", True),
        (True, b"intern.example.org", False),
        (False, b"git.example.org", False),
    ],
)
def test_other_hosts_are_refused(valid: bool, host: bytes, goes_on: bool, tmp_path: Path) -> None:
    """A redirect must not lead to a host that only this machine can reach, nor past an invalid certificate.

    The check looks at all open descriptors, and leaves no copy of one.
    """
    watch = FetchWatch(
        CloneRequest(address="https://Git.example.org:443/a", folder="x", max_bytes=1, seconds=1)
    )
    with (tmp_path / "open").open("w") as file:
        assert watch.certificate_check(None, valid, host) is goes_on
        opened = [
            each for each in Path("/proc/self/fd").iterdir() if each.exists() and each.samefile(file.name)
        ]

    assert len(opened) == 1


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:word@example.org/a@b", "https://example.org/a@b"),
        ("https://example.org/a", "https://example.org/a"),
        ("git@example.org:a/b", "git@example.org:a/b"),
    ],
)
def test_addresses_in_messages(address: str, shown: str) -> None:
    """Name and password are removed."""
    assert without_password(address) == shown


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a self-signed certificate of 127.0.0.1, with its key in the same file."""
    need("openssl", "makes certificates")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=here"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run(made, check=True, capture_output=True)
    with path.open("a") as both:
        both.write(Path(f"{path}.crt").read_text())
    return path


def test_a_redirect_within_the_host(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renamed repository is found; a redirect to another port of its host is not followed."""
    need("git", "serves repositories over HTTP")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    repository(tmp_path / "served/new", {"a.py": "1"}, bare=True)
    (tmp_path / "out").mkdir()
    with git_server(tmp_path / "served", context=context) as other:
        moved = {"/renamed": "/new", "/away": f"{other}/new"}
        with git_server(tmp_path / "served", context=context, moved=moved) as address:
            clone(f"{address}/renamed", tmp_path / "clone", commit=None, limits=LIMITS)
            error = _fails(f"{address}/away", tmp_path / "out")

    assert [file.path for file in Clone(tmp_path / "clone").files()] == ["a.py"]
    assert (error.reason, "certificate" in error.message) == ("not_cloned", True)


def test_under_a_lower_limit(served: _Served, tmp_path: Path) -> None:
    """If the user allows less memory than a clone's limit, the user's limit applies, and nothing is refused."""
    call = f"clone({served.address + '/sums'!r}, Path({str(tmp_path / 'clone')!r}), commit=None, limits=CloneLimits())"
    said = said_under("ulimit -v 3145728", f"{IMPORTS}; {call}")

    assert (said, Clone(tmp_path / "clone").commit) == ("", served.new)
