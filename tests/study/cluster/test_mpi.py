"""Sweeps under mpirun: rank 0 schedules and writes, the others train."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from sweeps import PROGRAM, TRIALS, outcomes, run, write_sweep

pytestmark = [
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


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_train_what_one_process_trains(tmp_path, ranks):
    sweep = write_sweep(tmp_path)
    assert run("sweep", sweep, "--store", tmp_path / "one").returncode == 0
    result = run("sweep", sweep, "--store", tmp_path / "many", before=mpirun(ranks), env=ENVIRONMENT)
    assert result.returncode == 0, result.stderr
    assert "soft_radial" in result.stdout
    found = outcomes(tmp_path / "many")
    assert len(found) == TRIALS
    assert found == outcomes(tmp_path / "one")


def test_several_trials_at_a_time_in_a_rank(tmp_path):
    sweep = write_sweep(tmp_path)
    result = run("sweep", sweep, "--store", tmp_path / "many", "--jobs", 3, before=mpirun(2), env=ENVIRONMENT)
    assert result.returncode == 0, result.stderr
    assert len(outcomes(tmp_path / "many")) == TRIALS


def test_one_rank_is_a_sweep_of_its_own(tmp_path):
    result = run("sweep", write_sweep(tmp_path), "--store", tmp_path / "s", before=mpirun(1), env=ENVIRONMENT)
    assert result.returncode == 0, result.stderr
    assert len(outcomes(tmp_path / "s")) == TRIALS


def test_a_mistake_is_told_once_and_ends_all_ranks(tmp_path):
    (tmp_path / "bad.toml").write_text('task = "portfolio"\n[base]\nepoch = 3\n')
    result = run("sweep", tmp_path / "bad.toml", "--store", tmp_path / "s", before=mpirun(3), env=ENVIRONMENT)
    assert result.returncode == 2, result.stderr
    assert result.stderr.count("unknown key") == 1


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    assert run("sweep", write_sweep(folder, epochs=240), "--store", folder / "s").returncode == 0
    return outcomes(folder / "s")


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_rank_loses_nothing_that_was_finished(tmp_path, victim, undisturbed):
    sweep = write_sweep(tmp_path, epochs=240)
    store = tmp_path / "s"
    process = started(3, "sweep", sweep, "--store", store)

    def some_have_finished():
        if not store.exists():
            return False
        listed = run("results", "list", "--store", store)
        return listed.returncode == 0 and listed.stdout.count("finished") >= 2

    wait_until(some_have_finished, process)
    os.kill(children_of(process)[victim], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert f"mpirun -n 3 softradial sweep {sweep} --store {store} --resume" in errors
    before = outcomes(store)
    assert 2 <= len(before) < TRIALS
    went_on = run("sweep", sweep, "--store", store, "--resume", before=mpirun(3), env=ENVIRONMENT)
    assert went_on.returncode == 0, went_on.stderr
    after = outcomes(store)
    assert len(after) == TRIALS
    assert {key: after[key] for key in before} == before
    assert after == undisturbed


def test_a_signal_ends_the_sweep_and_checkpoints_go_on(tmp_path):
    sweep = write_sweep(tmp_path, epochs=3000)
    store = tmp_path / "s"
    process = started(2, "sweep", sweep, "--store", store)
    folder = tmp_path / "s.trainings"
    wait_until(lambda: folder.exists() and any(folder.glob("*.safetensors")), process)
    os.kill(process.pid, signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert "--resume" in errors
    assert list(folder.glob("*.safetensors"))
