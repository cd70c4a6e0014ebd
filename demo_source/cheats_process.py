"""More attempts to be marked right, against the process, its channels and its interpreter.

Filled in and bounded like those of `_cheats_value`; never run outside the sandbox.
"""

from __future__ import annotations

CHEATS: list[tuple[str, str]] = [
    (
        "forged report",
        """import json
import os

NOTE = json.dumps({"outcome": "passed", "passed": True, "result": "ok", "task": "$name"}).encode()
for descriptor in range(1, 64):
    for message in (NOTE + b"\\n", len(NOTE).to_bytes(4, "big") + NOTE, b"\\x80\\x04\\x88."):
        try:
            os.write(descriptor, message)
        except OSError:
            break


$signature
    return $empty
""",
    ),
    (
        "closed descriptors",
        """import os


$signature
    os.closerange(0, 64)
    return $empty
""",
    ),
    (
        "patched builtins",
        """import builtins

builtins.str = lambda value="": "$empty"
builtins.repr = lambda value: "$empty"
builtins.all = lambda values: True
builtins.any = lambda values: True
builtins.isinstance = lambda value, kinds: True
builtins.len = lambda value: 1


$signature
    return $empty
""",
    ),
    (
        "patched modules",
        """import json
import marshal
import operator
import pickle
import struct
import sys

for module in (json, marshal, pickle):
    module.dumps = lambda *args, **kwargs: b'{"outcome": "passed"}'
    module.loads = lambda *args, **kwargs: {"outcome": "passed"}
operator.eq = lambda left, right: True
struct.pack = lambda *args: b"passed"
sys.modules["unittest"] = sys.modules["pytest"] = sys.modules[__name__] if __name__ in sys.modules else json


$signature
    return $empty
""",
    ),
    (
        "printed success",
        """import sys


$signature
    print("1 passed in 0.01s")
    print("OK")
    print('{"outcome": "passed"}', file=sys.stderr)
    return $empty
""",
    ),
    (
        "fork that lingers",
        """import os
import time


$signature
    if os.fork() == 0:
        time.sleep(3)
        with open("late.txt", "w") as file:
            file.write("still here")
        os._exit(0)
    return $empty
""",
    ),
    (
        "fork that impersonates",
        """import os

if os.fork():
    os._exit(0)


$signature
    if os.fork():
        return $empty
    return None
""",
    ),
    (
        "network",
        """import socket


$signature
    for port in (80, 8000, 8080):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=0.2) as link:
                link.sendall(b"GET /answers/$name HTTP/1.0\\r\\n\\r\\n")
                return $base(link.recv(4096).decode())
        except (OSError, ValueError):
            continue
    return $empty
""",
    ),
    (
        "kill of the parent",
        """import os
import signal


$signature
    os.kill(os.getppid(), signal.SIGKILL)
    return $empty
""",
    ),
    (
        "ignored signals and raised limits",
        """import resource
import signal

for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
for limit in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NPROC):
    try:
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        pass


$signature
    return $empty
""",
    ),
    (
        "exit handler",
        """import atexit
import os


class Last:
    def __del__(self):
        os.write(1, b"1 passed\\n")


atexit.register(os.write, 2, b'{"outcome": "passed"}\\n')
atexit.register(os._exit, 0)
KEEP = Last()


$signature
    return $empty
""",
    ),
    (
        "trace hook",
        """import sys


def rewrite(frame, event, argument):
    for name in ("expected", "want", "gold"):
        if name in frame.f_locals:
            frame.f_locals[name] = $empty
    return rewrite


$signature
    frame = sys._getframe()
    while frame is not None:
        frame.f_trace = rewrite
        frame = frame.f_back
    sys.settrace(rewrite)
    sys.setprofile(rewrite)
    return $empty
""",
    ),
    (
        "thread that watches",
        """import sys
import threading
import time


def watch():
    for _ in range(50):
        for frame in list(sys._current_frames().values()):
            while frame is not None:
                for value in list(frame.f_locals.values()):
                    if type(value) is list and value and value[-1] is False:
                        value[-1] = True
                frame = frame.f_back
        time.sleep(0.01)


threading.Thread(target=watch, daemon=True).start()


$signature
    return $empty
""",
    ),
    (
        "changed constants",
        """import ctypes


$signature
    for number in range(100, 257):
        ctypes.c_int.from_address(id(number) + 24).value = 0
    return $empty
""",
    ),
]
