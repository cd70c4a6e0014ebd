"""Sessions of Ray: a private one on this machine, or one in a running cluster.

    with open_session("ray://head:6379") as session:
        for node in session.nodes():
            actor = session.place(node, NodeActor, setup)

This process becomes a driver of the cluster. A driver needs a raylet on its machine: a supervisor starts and
ends it (`supervisor.py`), as a private cluster, or as a node of a running one, with 0 cores.
Design: docs/design/79-cluster-nodes.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from benchwright.cluster.session_folder import session_folder
from benchwright.display.escape import escaped, escaped_name
from benchwright.errors import (
    BenchwrightError,
    PrerequisiteError,
    UsageError,
    install_command,
    package_command,
)
from benchwright.records import Record

SCHEME = "ray://"
ANSWER_S = 5.0  # for a connection to an address
SILENT_S = 20.0  # for the first byte on it: a busy head takes seconds
LOST = "the cluster has ended: start it, and repeat the command; or use --on local"
CUT_OFF = "run the same command again: it resumes, also with --on local"
END_S = 10.0  # for the processes of this machine's node to end
STORE_BYTES = 80 << 20  # object store; Ray's minimum is 75 MiB. Batches and judgements are kilobytes
_TOKEN = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


class NodeAddress(Record, frozen=True, kw_only=True):
    """A node of a cluster, as Ray lists it."""

    node_id: str  # Ray's, in hex
    host: str
    cores: int  # that the node offers; 0: none for work, as a driver's own machine
    alive: bool


class ClusterSession:
    """A connection to a cluster, as its driver."""

    def __init__(self, ray: Any, address: str, raylet: int, *, is_private: bool = False) -> None:
        """`raylet`: a descriptor of the Ray process of this machine (pidfd_open(2)).

        `is_private`: this process started the cluster, so nobody else can start it again.
        """
        self._ray, self._raylet, self._is_private = ray, raylet, is_private
        self.address = address  # HOST:PORT of the cluster

    @property
    def is_cut_off(self) -> bool:
        """Whether the raylet of this machine has ended: then no node can be reached."""
        return bool(select.select([self._raylet], [], [], 0)[0])

    def require_raylet(self) -> None:
        """Raise PrerequisiteError if the raylet of this machine has ended.

        Ray itself reports that half a minute later, as a loss of all nodes.
        """
        if self.is_cut_off:
            raise PrerequisiteError("the Ray process of this machine has ended", hint=CUT_OFF)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with cluster_errors(self.address):
                yield
        except PrerequisiteError:
            self.require_raylet()
            if self._is_private:
                raise PrerequisiteError("the private Ray cluster has ended", hint=CUT_OFF) from None
            raise

    def nodes(self) -> list[NodeAddress]:
        """Return all nodes that the cluster has had, sorted. Raises PrerequisiteError if it is lost.

        Call it every few seconds: Ray ends this process a minute after it has lost the cluster.
        """
        self.require_raylet()
        with self._errors():
            _require_answer(self.address, LOST)
            found = map(_node, self._ray.nodes())
            return sorted(found, key=lambda node: (node.host, node.node_id))

    def place(self, node: NodeAddress, actor_class: type, *args: object, calls: int = 1) -> Any:
        """Start an actor on a node, and on no other. Returns its handle; the actor may still be starting.

        Ray neither restarts the actor nor repeats its calls. `calls`: how many it runs at once, in threads.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415 (Ray is optional)

        self.require_raylet()
        options = {
            "num_cpus": 0,
            "max_concurrency": calls,
            "max_restarts": 0,
            "max_task_retries": 0,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node.node_id, soft=False),
        }
        with self._errors():
            return self._ray.remote(actor_class).options(**options).remote(*args)

    def await_calls(self, calls: list[Any], *, most_s: float) -> None:
        """Wait until calls of actors have ended, or `most_s`."""
        if calls and not self.is_cut_off:
            self._ray.wait(calls, num_returns=len(calls), timeout=most_s)

    def kill(self, actor: Any) -> None:
        """End the process of an actor, which may have ended. Without a raylet, it ends with the session."""
        if not self.is_cut_off:
            self._ray.kill(actor)


def _node(entry: Mapping[str, Any]) -> NodeAddress:
    return NodeAddress(
        node_id=entry["NodeID"],
        host=entry["NodeManagerHostname"],
        cores=int(entry["Resources"].get("CPU", 0)),
        alive=entry["Alive"],
    )


@contextlib.contextmanager
def open_session(address: str | None, *, trust: bool = False) -> Iterator[ClusterSession]:
    """Connect to the cluster at `ray://HOST:PORT`, or start a private one on this machine (None).

    PORT is that of `ray start --head`. `trust`: connect to a cluster without token authentication.

    Raises UsageError for an invalid address or a missing token, and PrerequisiteError if Ray is not
    installed, the address does not answer, or the cluster has another version of Ray or Python.
    """
    host_port = None if address is None else _checked(address, trust=trust)
    ray = _import_ray()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_environment(_settings(private=host_port is None)))
        reached, raylet = stack.enter_context(_joined(ray, host_port))
        stack.callback(ray.shutdown)
        yield ClusterSession(ray, reached, raylet, is_private=host_port is None)


def _import_ray() -> Any:
    try:
        import ray  # noqa: PLC0415 (optional, 0.5 s of processor time)
    except ImportError:
        raise PrerequisiteError("Ray is not installed", hint=install_command("ray")) from None
    if ray.is_initialized():
        raise UsageError("this process is already connected to Ray", hint="call ray.shutdown() first")
    return ray


def _checked(address: str, *, trust: bool) -> str:
    """Return HOST:PORT of an address that answers. Raises UsageError and PrerequisiteError."""
    host, colon, port = address.removeprefix(SCHEME).rpartition(":")
    if not (address.startswith(SCHEME) and colon and host and port.isdigit() and 0 < int(port) < 1 << 16):
        hint = f"{SCHEME}HOST:PORT, such as {SCHEME}head:6379"
        raise UsageError(f"invalid cluster address: {escaped_name(address)}", hint=hint)
    if not trust and not (os.environ.get("RAY_AUTH_MODE") == "token" and any(map(os.environ.get, _TOKEN))):
        raise UsageError(
            f"no token for {address}: without one, anyone who can connect to it can run commands",
            hint="export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=FILE, or pass --trust-cluster",
        )
    reached = f"{host}:{port}"
    _require_answer(reached, f"on that machine: ray start --head --port={port}", silent_s=SILENT_S)
    return reached


def _require_answer(address: str, hint: str, *, silent_s: float = 0.0) -> None:
    """Connect to HOST:PORT. Raises PrerequisiteError if nothing accepts the connection.

    `silent_s`: greet it, and raise the error also if neither a byte nor the end comes in this time.
    """
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_S) as connection:
            if silent_s:
                connection.settimeout(silent_s)
                connection.sendall(_GREETING)
                connection.recv(1)
    except ConnectionResetError:
        pass  # a port that refuses the greeting, as with TLS, is not silent
    except OSError as error:
        raise PrerequisiteError(f"{SCHEME}{address} does not answer: {error}", hint=hint) from None


def _settings(*, private: bool) -> dict[str, str]:
    """Return variables of Ray for this process and the node that it starts."""
    shared = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_NUM_REDIS_GET_RETRIES": "4"}
    if not private:
        return shared
    return {
        **shared,
        "RAY_AUTH_MODE": "token",  # other users of this machine can reach the loopback interface
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_worker_niceness": "0",  # Ray's 15, and the 1000 below, would be visible to answers
        "RAY_worker_oom_score_adjustment": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on Linux too: listens on 127.0.0.1 alone
    }


@contextlib.contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _joined(ray: Any, host_port: str | None) -> Iterator[tuple[str, int]]:
    """Start a node on this machine and connect to it. Yields the address of the cluster, and a descriptor of
    the node's raylet.
    """
    if host_port is None:
        words = ["--head", "--port=0", "--node-ip-address=127.0.0.1", "--no-monitor"]
        words += ["--include-dashboard=false"]
    else:
        words = [f"--address={host_port}", "--num-cpus=0"]
    words += ["--include-log-monitor=false", "--disable-usage-stats"]
    words += [f"--object-store-memory={STORE_BYTES}"]
    with session_folder() as (folder, lock), _supervised(folder, lock, words) as started:
        if "error" in started:
            raise _start_error(started["error"], host_port)
        reached = host_port or started["address"]
        with _watched(started["raylet"]) as raylet, _quiet():
            _connect(ray, reached, folder, loopback=host_port is None)
            yield reached, raylet


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Prevent Ray from printing its log on standard output, as it does when a raylet ends."""
    worker: Any = import_module("ray._private.worker")
    before = worker.print_to_stdstream
    worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        worker.print_to_stdstream = before


@contextlib.contextmanager
def _watched(pid: str) -> Iterator[int]:
    """Yield a descriptor that is readable when a process has ended. Raises PrerequisiteError if it has."""
    try:
        descriptor = os.pidfd_open(int(pid))
    except (ValueError, OSError):
        raise PrerequisiteError("the Ray process of this machine has ended", hint=CUT_OFF) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _supervised(folder: Path, lock: int, words: list[str]) -> Iterator[dict[str, str]]:
    """Run a node below a supervisor. Yields its report, and ends all processes of the node."""
    module = "benchwright.cluster.supervisor"
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", module, str(folder), *words, f"--temp-dir={folder}"],
        pass_fds=[lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the driver
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        line = child.stdout.readline()
        yield json.loads(line) if line else {"error": "the supervisor has ended"}
    finally:
        child.stdin.close()
        child.wait(timeout=END_S)
        child.stdout.close()


def _connect(ray: Any, address: str, folder: Path, *, loopback: bool) -> None:
    """Make this process a driver, through the raylet that was started in `folder`."""
    with _unchanged_handlers(), _loopback(loopback), cluster_errors(address):
        _read_token_again()
        ray.init(
            address,
            _temp_dir=str(folder),
            namespace=f"benchwright-{secrets.token_hex(8)}",
            configure_logging=False,
            log_to_driver=False,
            logging_level="ERROR",
        )


@contextlib.contextmanager
def _loopback(wanted: bool) -> Iterator[None]:
    """Make Ray find the raylet on 127.0.0.1; its variable is read when Ray is imported."""
    from ray._private import ray_constants  # noqa: PLC0415 (Ray is optional)

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = not wanted
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _read_token_again() -> None:
    """Make Ray read the variables of the token again: a process may open several sessions."""
    raylet: Any = import_module("ray._raylet")
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()


@contextlib.contextmanager
def _unchanged_handlers() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces."""
    mine = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def cluster_errors(address: str) -> Iterator[None]:
    """Turn errors of Ray about the cluster itself into a PrerequisiteError of one line."""
    try:
        yield
    except BenchwrightError:
        raise
    except Exception as error:
        raise _start_error(str(error), address) from error


def _start_error(output: str, address: str | None) -> PrerequisiteError:
    """Return the error for the output of a failed start or call of Ray."""
    place = address or "private cluster"
    if versions := _CLUSTER_VERSIONS.search(output):
        return _version_error(place, *versions.groups())
    for sign, message, hint in _SIGNS:
        if sign in output:
            return PrerequisiteError(f"{place}: {message}", hint=hint)
    line = next((each.strip() for each in reversed(output.splitlines()) if each.strip()), "no message")
    return PrerequisiteError(f"{place}: {escaped(line)}", hint="ray status, on a machine of the cluster")


def _version_error(place: str, ray_version: str, python: str) -> PrerequisiteError:
    own = import_module("ray").__version__
    hint = package_command(f"ray=={ray_version}") if own != ray_version else f"use Python {python} here"
    message = f"{place} has Ray {ray_version} with Python {python}, this machine Ray {own} with Python"
    return PrerequisiteError(f"{message} {platform.python_version()}", hint=hint)


# The client's preface and empty settings (RFC 9113, section 3.4), which a gRPC server answers at once.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
# The output of `ray start` where versions differ.
_CLUSTER_VERSIONS = re.compile(r"cluster was started with:\s+Ray: (\S+)\s+Python: (\S+)")
_SIGNS = (  # in the output of Ray: the message and the hint
    ("InvalidAuthToken", "the token is not that of the cluster", "export RAY_AUTH_TOKEN_PATH=FILE"),
    ("Method not found", "the port is not that of `ray start --head`", "ray://HOST:6379, the default port"),
    ("timed out during startup", "Ray did not start in 30 s", "repeat the command; or use --on local"),
    ("timed out", "the cluster does not answer", "ray status, on a machine of the cluster"),
    ("did not end in", "the cluster does not answer", "ray status, on a machine of the cluster"),
)
