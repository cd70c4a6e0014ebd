# Leaves a file on the host, by every way to create one.
import ctypes
import os
import posix
import subprocess
import sys

PATH = "@FOLDER@/written"
libc = ctypes.CDLL(None, use_errno=True)


def by_child():
    subprocess.run([sys.executable, "-c", f"open({PATH!r}, 'w').close()"], check=True, stderr=subprocess.DEVNULL)


def by_making_the_folder():
    os.makedirs("@FOLDER@", exist_ok=True)
    open(PATH, "w").close()


def add(x, y):
    open("/tmp/@TAG@", "w").close()  # works, and must not be the host's /tmp
    actions = (
        lambda: open(PATH, "w").close(),
        lambda: posix.close(posix.open(PATH, posix.O_CREAT | posix.O_WRONLY)),
        lambda: os.mkdir("@FOLDER@/made"),
        lambda: os.mkfifo(PATH),
        lambda: os.symlink("/etc/passwd", PATH),
        by_child,
        by_making_the_folder,
    )
    for action in actions:
        try:
            action()
            return x + y
        except (OSError, subprocess.CalledProcessError):
            continue
    libc.creat(PATH.encode(), 0o666)
    return None
