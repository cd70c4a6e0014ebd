"""Serve an application in this process until a signal."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import ipaddress
import re
import signal
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.web.core.site import LOOPBACK_HOSTS

LOOPBACK = ("127.0.0.1", "::1", "localhost")
ANY_ADDRESS = ("0.0.0.0", "::")
BACKLOG = 256
_HOST = re.compile(r"([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_HAS_PORT = re.compile(r":[0-9]+$")
GC_THRESHOLD = 20_000  # new objects between two collections: a request makes some thousands
PATIENCE_S = 10  # for running requests at shutdown


class ListenOptions(NamedTuple):
    """Where to listen, and the proxy or certificate in front of it."""

    host: str = "127.0.0.1"
    port: int = 0  # 0 takes a free one
    certificate: Path | None = None
    key: Path | None = None
    proxy: str | None = None  # its X-Forwarded headers are trusted
    hosts: Sequence[str] = ()  # more host names of the site

    @property
    def secure(self) -> bool:
        """Whether clients use TLS, to this process or to the proxy."""
        return self.certificate is not None or self.proxy is not None


def check_listen_options(listening: ListenOptions, *, is_public: bool) -> None:
    """Raise UsageError if passwords would be sent unencrypted over a network."""
    if (listening.certificate is None) != (listening.key is None):
        raise UsageError(
            "TLS needs a certificate and its key", hint="--tls-certificate CERT.pem --tls-key KEY.pem"
        )
    if not is_public and listening.host not in LOOPBACK:
        raise UsageError(
            f"{listening.host} is reachable from other machines; this needs --public",
            hint=f"--host {listening.host} --public",
        )
    if is_public and not listening.secure:
        raise UsageError(
            "without TLS, passwords and votes would be sent unencrypted",
            hint="--tls-certificate CERT.pem --tls-key KEY.pem, or --behind-proxy ADDRESS of a TLS proxy",
        )
    if listening.certificate is not None and listening.key is not None:
        _check_certificate(listening.certificate, listening.key)
    if listening.proxy is not None:
        _check_proxy(listening.proxy)
    _check_hosts(listening)


def _check_certificate(certificate: Path, key: Path) -> None:
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        reason = getattr(error, "strerror", None) or str(error)
        place = f"{escaped_path(certificate)} with {escaped_path(key)}"
        raise UsageError(
            f"{place} is not a certificate with its key: {reason}",
            hint=f"openssl x509 -noout -subject -in {quoted(certificate)}",
        ) from None


def _check_proxy(proxy: str) -> None:
    """The trusted proxy must be one address, not everyone."""
    try:
        ipaddress.ip_network(proxy, strict=False)
    except ValueError:
        raise UsageError(
            f"{escaped_name(proxy)} is not a proxy address", hint="--behind-proxy 127.0.0.1"
        ) from None


def _check_hosts(listening: ListenOptions) -> None:
    """A public site needs known host names, so that its links point to itself."""
    for host in listening.hosts:
        if not _HOST.fullmatch(host):
            raise UsageError(
                f"{escaped_name(host)} is not a host name", hint="--allowed-host judging.example.org"
            )
    if not listening.hosts and (listening.proxy is not None or listening.host in ANY_ADDRESS):
        raise UsageError(
            "the host name of the station is unknown",
            hint="--allowed-host judging.example.org",
        )


def served_hosts(listening: ListenOptions, opened: socket.socket) -> list[str]:
    """The accepted values of the Host header: the bound address and the given hosts, with and without the
    port.
    """
    port = opened.getsockname()[1]
    names = [*_bound_hosts(listening.host), *listening.hosts]
    return [form for name in names for form in (name, f"{name}:{port}")]


def _bound_hosts(host: str) -> Sequence[str]:
    if host in ANY_ADDRESS:
        return ()
    return LOOPBACK_HOSTS if host in LOOPBACK else (_bracket_ipv6(host).lower(),)


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def open_socket(listening: ListenOptions) -> socket.socket:
    """The listening socket. Raises UsageError if it cannot be opened."""
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    try:
        found = socket.getaddrinfo(listening.host, listening.port, family, socket.SOCK_STREAM)
        return socket.create_server(found[0][4][:2], family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen on {listening.host} port {listening.port}: {reason}",
            hint="use --port 0 for a free port",
        ) from None


def address_of_socket(listening: ListenOptions, opened: socket.socket) -> str:
    """The address for browsers: the first given host, else the bound address."""
    host, port = opened.getsockname()[:2]
    if listening.proxy is not None and listening.hosts:
        return f"https://{listening.hosts[0]}"
    scheme = "https" if listening.certificate is not None else "http"
    name = listening.hosts[0] if listening.hosts else _bracket_ipv6(host)
    return f"{scheme}://{name}" if _HAS_PORT.search(name) else f"{scheme}://{name}:{port}"


def serve(
    application: Litestar,
    listening: ListenOptions,
    opened: socket.socket,
    ready: Callable[[], None],
    *,
    ending: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM, then finish running requests. `ready` is called when clients can
    connect, `ending` in the event loop at the signal: it ends responses that would last for ever.
    """
    server = _Server(
        uvicorn.Config(
            head_as_get(application),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=PATIENCE_S,
            proxy_headers=listening.proxy is not None,
            forwarded_allow_ips=listening.proxy or "",
            ssl_certfile=listening.certificate,
            ssl_keyfile=listening.key,
        ),
        ready,
    )
    gc.collect()
    gc.freeze()  # modules and routes live until the end: collections need not look at them again
    gc.set_threshold(GC_THRESHOLD)
    with opened:
        asyncio.run(_serve_until_signal(server, opened, ending))


def head_as_get(application: Litestar) -> ASGIApp:
    """Answer HEAD like GET without the body. A stream ends at once, as if its reader had left."""

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        asked_for = cast("dict[str, Any]", scope)
        if asked_for.get("method") != "HEAD":
            await application(scope, receive, send)
            return
        begun = False

        async def received() -> Any:
            return {"type": "http.disconnect"} if begun else await receive()

        async def sent(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                await send(message)

        await application(cast(Scope, {**asked_for, "method": "GET"}), received, sent)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return asked


class _Server(uvicorn.Server):
    """A uvicorn server that calls back when it listens and leaves signals to the caller."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals: uvicorn would send them on at the end."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then call back."""
        await super().startup(sockets)
        self._ready()


async def _serve_until_signal(server: _Server, opened: socket.socket, ending: Callable[[], None]) -> None:
    def end() -> None:
        server.should_exit = True
        ending()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    await server.serve([opened])
