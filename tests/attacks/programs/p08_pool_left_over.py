# Leaves a pool of workers behind.
import multiprocessing
import time

POOL = []


def add(x, y):
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        worker = context.Process(target=time.sleep, args=(30,), name="@TAG@")
        worker.start()
        POOL.append(worker)
    return None
