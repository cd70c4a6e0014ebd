# Reaches a server on this machine by an abstract name, with a socket it never had to create.
import socket

NAME = "\0@TAG@"


def tried(action):
    try:
        action()
    except OSError:
        return False
    return True


def add(x, y):
    first, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    wins = [tried(lambda: first.sendto(b"hello", NAME)), tried(lambda: first.connect(NAME))]
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        first, _ = socket.socketpair(socket.AF_UNIX, kind)
        wins.append(tried(lambda: first.connect(NAME)))
    return x + y if any(wins) else None
