"""Processes that mpirun starts together, on this machine."""

import os
import shutil
import subprocess
import time

import pytest

from sweeps import PROGRAM

needs_mpi = [
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun is not installed (openmpi-bin)"),
    pytest.mark.skipif(os.environ["SOFTRADIAL_HAS_MPI"] != "1", reason="built without MPI (libopenmpi-dev)"),
]

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpirun(ranks):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def started(ranks, *words):
    return subprocess.Popen([*mpirun(ranks), PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=ENVIRONMENT, start_new_session=True)


def children_of(process):
    """The ranks of an mpirun, in the order of their numbers."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True)
    return sorted(int(pid) for pid in listed.stdout.split())


def wait_until(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
