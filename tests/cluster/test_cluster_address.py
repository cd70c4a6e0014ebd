"""Addresses of clusters, and what is wrong with one, without a cluster."""

from __future__ import annotations

import os
import socket
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.cluster import session
from benchwright.cluster.session import CUT_OFF, LOST, ClusterSession, cluster_errors, open_session
from benchwright.errors import PrerequisiteError, UsageError
from kit.ports import refusing_port

VERSIONS = """
RuntimeError: Version mismatch: The cluster was started with:
    Ray: {ray}
    Python: 3.12.1
This process on node 10.77.0.3 was started with:
    Ray: 2.60.0
    Python: 3.11.7
"""


def _enter(address: str | None, *, trust: bool = False) -> None:
    with open_session(address, trust=trust):
        pytest.fail("a session was opened")


@given(st.text() | st.text("ray:/[]0123456789").map(lambda text: f"ray://{text}"))
def test_any_address_without_a_token_is_a_usage_error(address: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_AUTH_MODE", raising=False)
        with pytest.raises(UsageError):
            _enter(address)


@pytest.mark.parametrize(
    "address", ["head:6379", "http://head:6379", "ray://head", "ray://:6379", "ray://h:0"]
)
def test_an_address_names_host_and_port(address: str) -> None:
    with pytest.raises(UsageError, match="invalid cluster address"):
        _enter(address, trust=True)


def test_a_mode_without_a_token_is_no_authentication(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    with pytest.raises(UsageError, match="no token for ray://head:6379") as caught:
        _enter("ray://head:6379")
    assert "--trust-cluster" in (caught.value.hint or "")


def test_an_address_that_refuses_is_named() -> None:
    with (
        refusing_port() as port,
        pytest.raises(PrerequisiteError, match=f"ray://127.0.0.1:{port} does not answer") as caught,
    ):
        _enter(f"ray://127.0.0.1:{port}", trust=True)
    assert "ray start" in (caught.value.hint or "")


def test_without_ray_the_hint_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PrerequisiteError, match="Ray is not installed") as caught:
        _enter(None)
    assert "ray" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        (VERSIONS.format(ray="2.60.0"), "has Ray 2.60.0 with Python 3.12.1, this machine", "Python 3.12.1"),
        (VERSIONS.format(ray="2.59.0"), "has Ray 2.59.0", "ray==2.59.0"),
        ("AuthenticationError: RPC error: InvalidAuthToken: Auth", "the token is not", "RAY_AUTH_TOKEN_PATH"),
        ("ray.exceptions.RpcError: RPC error: Method not found!", "the port is not", "6379"),
        ("The current node timed out during startup. This", "did not start in 30 s", "--on local"),
        ("first\nlast line\n\n", "last line", "ray status"),
        ("", "no message", "ray status"),
    ],
)
def test_errors_of_ray_become_one_line(
    said: str, message: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        __version__ = "2.60.0"

    monkeypatch.setitem(sys.modules, "ray", Installed)
    with pytest.raises(PrerequisiteError) as caught, cluster_errors("ray://head:6379"):
        raise RuntimeError(said)
    assert message in caught.value.message
    assert caught.value.message.startswith("ray://head:6379")
    assert "\n" not in caught.value.message
    assert hint in (caught.value.hint or "")


def test_a_silent_port_is_named_in_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts connections and never answers: no command waits for `ray start`."""
    assert session.ANSWER_S + session.SILENT_S <= 30
    monkeypatch.setattr(session, "SILENT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PrerequisiteError, match=f"ray://127.0.0.1:{port} does not answer: timed out"):
            _enter(f"ray://127.0.0.1:{port}", trust=True)


@pytest.mark.parametrize(
    ("private", "message", "hint"),
    [(True, "the private Ray cluster has ended", CUT_OFF), (False, "does not answer", LOST)],
)
def test_a_head_that_ends_before_the_raylet(private: bool, message: str, hint: str) -> None:
    """Nobody can start a private cluster again; the command does when it is repeated."""
    raylet, running = os.pipe()  # readable when the raylet has ended
    try:
        with refusing_port() as port:
            session = ClusterSession(None, f"127.0.0.1:{port}", raylet, is_private=private)
            with pytest.raises(PrerequisiteError, match=message) as caught:
                session.nodes()
    finally:
        os.close(raylet)
        os.close(running)

    assert caught.value.hint == hint
