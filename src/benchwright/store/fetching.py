"""Taking a file from an address: bounded in size and time, without a key, by who knows its digest."""

from __future__ import annotations

READ_S, WHOLE_S = 30.0, 300.0
REDIRECTS = 5


class Unreached(Exception):
    """There is no whole file at an address; the text says why."""


def fetched(url: str, most: int) -> bytes:
    """The file at an address, of at most `most` bytes. Raises Unreached.

    One time limit is for all of it: a limit on each read lets a server go on for ever that sends a byte at a
    time. Redirects are followed, since no key goes with the request and whoever asks checks what came.
    """
    import asyncio  # noqa: PLC0415 (most commands fetch nothing)

    import httpx  # noqa: PLC0415

    from benchwright.http_client import reason  # noqa: PLC0415

    try:
        return asyncio.run(_fetched(url, most))
    except TimeoutError:
        raise Unreached(f"no whole file within {WHOLE_S:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError, OverflowError, UnicodeError) as error:
        raise Unreached(reason(error)) from None


async def _fetched(url: str, most: int) -> bytes:
    import asyncio  # noqa: PLC0415

    import httpx  # noqa: PLC0415

    from benchwright.http_client import client_options  # noqa: PLC0415

    options = {**client_options(url), "follow_redirects": True, "max_redirects": REDIRECTS, "timeout": READ_S}
    body = bytearray()
    # As it is stored, and not packed for the way: `most` bounds what is held.
    headers = {"accept-encoding": "identity"}
    async with (
        asyncio.timeout(WHOLE_S),
        httpx.AsyncClient(**options) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        if response.status_code != httpx.codes.OK:
            raise Unreached(f"the server answered {response.status_code} {response.reason_phrase}".strip())
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > most:
                raise Unreached(f"the file has more than {most:,} bytes")
    return bytes(body)
