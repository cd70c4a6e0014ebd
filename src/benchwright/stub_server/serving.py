"""The listening socket and its connections, on asyncio: 64 clients at once are 64 small tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from benchwright.errors import UsageError
from benchwright.stub_server.http import MAX_HEAD, Malformed, read_request, write_reply
from benchwright.stub_server.replies import refusal
from benchwright.stub_server.service import ServerSetup, Service

BACKLOG = 1024
LINGER_S = 1.0


async def serve(
    setup: ServerSetup, ready: Callable[[str], None], until: Callable[[], Awaitable[object]]
) -> Service:
    """Serve until `until()` returns; `ready` is called with the base URL when clients may come.

    The sockets are closed when it ends, with requests still in the making.
    """
    service = Service(setup)
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Tasks of our own: asyncio keeps none of those it makes, so it could not end them.
        task = asyncio.create_task(_converse(service, reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await _listen(setup, connected)
    try:
        host, port = server.sockets[0].getsockname()[:2]
        ready(f"http://{f'[{host}]' if ':' in host else host}:{port}/v1")
        await until()
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
    return service


async def _listen(
    setup: ServerSetup, connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
) -> asyncio.Server:
    try:
        return await asyncio.start_server(
            connected, setup.host, setup.port, limit=MAX_HEAD, backlog=BACKLOG, reuse_address=True
        )
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot listen on {setup.host} port {setup.port}: {reason}"
        raise UsageError(message, hint="leave the port out, or give 0, to get a free one") from None


async def _converse(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """All requests of one connection, one after another."""
    try:
        while await _exchange(service, reader, writer):
            pass
    except ConnectionError:
        return  # the client has gone away: its right, and nobody is left to tell
    finally:
        writer.close()


async def _exchange(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """One request and its reply; False when the connection ends with it."""
    try:
        request = await read_request(reader, writer)
    except Malformed as error:
        await write_reply(writer, refusal(error.status, str(error)), keeps_alive=False)
        await _hear_out(reader, writer)
        return False
    if request is None:
        return False
    reply = await service.reply(request)
    return await write_reply(writer, reply, keeps_alive=request.keeps_alive)


async def _hear_out(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read what a refused client is still sending: closed before, its system would throw our reply away."""
    writer.write_eof()
    try:
        async with asyncio.timeout(LINGER_S):
            while await reader.read(MAX_HEAD):
                pass
    except TimeoutError:
        return  # it had its time; what it loses is the reason for the refusal
