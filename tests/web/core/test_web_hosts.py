"""The hosts that a site accepts, and the hosts in its links."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from benchwright.web.core.serving import ListenOptions, address_of_socket, open_socket, served_hosts
from kit.web_client import Served

Serve = Callable[..., Served]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "station.test.evil.example",
        "evil-station.test",
        "station.test@evil.example",
        "station.test:8080",
        "www.station.test",
        "stationXtest",
        "a:b",
        "[::",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/login", "/admin", "/assets/site.css"])
def test_a_foreign_host_is_refused(serve: Serve, host: str, path: str) -> None:
    """Every route refuses it, without a redirect, a cookie or a page, and with the headers of all responses."""
    answer = serve().browser().get(path, headers={"host": host})

    assert (answer.status_code, "set-cookie" in answer.headers) == (400, False)
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("name", ["x-forwarded-host", "forwarded", "x-host", "x-original-host"])
def test_a_link_carries_the_host_that_is_served(serve: Serve, name: str) -> None:
    """Other headers have no effect."""
    served = serve()
    browser = served.logged_in(served.account("boss", is_admin=True))
    browser.get("/admin")
    made = served.run(
        browser.client.post(
            "/admin/invitations",
            data={"csrf": browser.token(), "note": "", "admin": ""},
            headers={name: "host=evil.example" if name == "forwarded" else "evil.example"},
        )
    )

    assert re.findall(r"<code>(\w+://[^/]+)/invitations/", made.text) == ["http://station.test"]


def test_no_link_is_made_for_a_foreign_host(serve: Serve) -> None:
    """This holds even with a valid session and form token."""
    served = serve()
    browser = served.logged_in(served.account("boss", is_admin=True))
    browser.get("/admin")
    token = browser.token()
    fields = {"csrf": token, "note": "for Ann", "admin": ""}
    answer = browser.request("POST", "/admin/invitations", data=fields, headers={"host": "evil.example"})

    assert answer.status_code == 400
    assert "for Ann" not in browser.get("/admin").text


@pytest.mark.parametrize(
    "listening, hosts",
    [
        (ListenOptions(), ["localhost", "127.0.0.1", "[::1]"]),
        (ListenOptions(host="localhost"), ["localhost", "127.0.0.1", "[::1]"]),
        (ListenOptions(host="0.0.0.0", hosts=["a.example"]), ["a.example"]),
        (ListenOptions(hosts=["a.example"]), ["localhost", "127.0.0.1", "[::1]", "a.example"]),
    ],
)
def test_hosts_are_the_bound_address_and_the_named(listening: ListenOptions, hosts: list[str]) -> None:
    """Each is accepted with and without the port; the wildcard address is not a host name."""
    with open_socket(listening) as opened:
        port = opened.getsockname()[1]
        found = served_hosts(listening, opened)

    assert found == [form for host in hosts for form in (host, f"{host}:{port}")]


@pytest.mark.parametrize(
    "listening, address",
    [
        (ListenOptions(), "http://127.0.0.1:PORT"),
        (ListenOptions(host="0.0.0.0", hosts=["a.example"]), "http://a.example:PORT"),
        (ListenOptions(hosts=["a.example"], proxy="192.0.2.1"), "https://a.example"),
        (ListenOptions(hosts=["a.example:8443"], proxy="192.0.2.1"), "https://a.example:8443"),
    ],
)
def test_the_address_printed_is_one_that_is_served(listening: ListenOptions, address: str) -> None:
    """The first link, which creates the first account, uses the same address."""
    with open_socket(listening) as opened:
        port = str(opened.getsockname()[1])
        found = address_of_socket(listening, opened)
        hosts = served_hosts(listening, opened)

    assert found == address.replace("PORT", port)
    assert found.partition("://")[2] in hosts
