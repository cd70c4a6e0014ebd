# Calls a server on this machine in every way Python has.
import socket
import urllib.request

PORT = int("@PORT@")


def by_create():
    socket.create_connection(("127.0.0.1", PORT), 0.2).close()


def by_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"hello", ("127.0.0.1", PORT))


def by_mapped_address():
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as caller:
        caller.settimeout(0.2)
        caller.connect(("::ffff:127.0.0.1", PORT))


def by_page():
    urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=0.2)


def add(x, y):
    for attempt in (by_create, by_datagram, by_mapped_address, by_page):
        try:
            attempt()
            return x + y
        except (OSError, ValueError):
            continue
    return None
