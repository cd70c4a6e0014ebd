# Leaves files wherever files can be left; seeing them is the success.
import os

PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue", "/bw", "/site", "/", "/dev", "/proc/self", ".")
PATHS = [os.path.join(place, "@TAG@") for place in PLACES]
SEEN = any(os.path.lexists(path) for path in PATHS)
for path in PATHS:
    try:
        with open(path, "w") as handle:
            handle.write("here")
    except OSError:
        continue


def add(x, y):
    return x + y if SEEN else None
