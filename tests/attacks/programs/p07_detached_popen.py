# Starts detached programs through subprocess and forgets them.
import subprocess
import sys


def add(x, y):
    for _ in range(3):
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import time; time.sleep(30)", "@TAG@"],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return None
