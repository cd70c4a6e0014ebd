# The same through the modules below os and subprocess.
import _posixsubprocess
import posix
import sys


def add(x, y):
    first, second = posix.pipe()
    program = [sys.executable.encode(), b"-c", b"import time; time.sleep(30)", b"@TAG@"]
    posix.posix_spawn(sys.executable, program, {}, setsid=True)
    if posix.fork() == 0:
        posix.setsid()
        posix.execv(sys.executable, program)
    return None if _posixsubprocess else first + second
