"""Downloads: complete, bounded, and with a reason if they fail."""

from __future__ import annotations

import socket

import pytest

from benchwright.store import named_data
from benchwright.store.named_data import DownloadError, download
from kit.named import served
from kit.ports import refusing_port


def test_a_file_comes_as_it_is() -> None:
    """The content is unchanged, and redirects are followed."""
    with served({"/a": b"\x1f\x8b bytes \x00\xff"}, moved={"/b": "/a"}) as (address, asked):
        assert download(f"{address}/a", 100) == download(f"{address}/b", 100) == b"\x1f\x8b bytes \x00\xff"

    assert asked == ["/a", "/b", "/a"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/none", "the server answered 404 Not Found"),
        ("/large", "the file has more than 10 bytes"),
        ("/cut", "peer closed connection"),
        ("/round", "Exceeded maximum allowed redirects"),
    ],
)
def test_what_is_not_whole(path: str, why: str) -> None:
    """Each has its reason."""
    files = {"/large": b"x" * 11, "/cut": b"x" * 10}
    with (
        served(files, moved={"/round": "/round"}, short=("/cut",)) as (address, _),
        pytest.raises(DownloadError, match=why),
    ):
        download(f"{address}{path}", 10)


def test_no_server() -> None:
    """No process listens on the port."""
    with refusing_port() as port, pytest.raises(DownloadError, match="refused"):
        download(f"http://127.0.0.1:{port}/x", 10)


@pytest.mark.parametrize("url", ["http://", "http://[::1/x"])
def test_no_address(url: str) -> None:
    """httpx cannot parse it."""
    with pytest.raises(DownloadError):
        download(url, 10)


def test_a_server_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for the whole download; a silent server is abandoned."""
    monkeypatch.setattr(named_data, "WHOLE_S", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(DownloadError, match=r"no whole file within 0\.2 s"):
            download(f"http://127.0.0.1:{silent.getsockname()[1]}/x", 10)
