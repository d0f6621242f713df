"""Sweeps under mpirun: rank 0 schedules and writes, the others train."""

import os
import signal

import pytest

from ranks import ENVIRONMENT, children_of, mpirun, needs_mpi, started, wait_until
from sweeps import TRIALS, files_of, outcomes, run, without_files, write_sweep

pytestmark = needs_mpi


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
    assert len(files_of(tmp_path / "many")) == 3  # the seeds of the chosen one


def test_several_trials_at_a_time_in_a_rank(tmp_path):
    sweep = write_sweep(tmp_path)
    result = run("sweep", sweep, "--store", tmp_path / "many", "--jobs", 3, before=mpirun(2), env=ENVIRONMENT)
    assert result.returncode == 0, result.stderr
    assert len(outcomes(tmp_path / "many")) == TRIALS


def test_the_data_are_read_once_on_a_machine(tmp_path):
    assert run("data", "generate", "synthetic:sectors", "--out", tmp_path / "sectors.csv").returncode == 0
    text = (tmp_path / "sectors.csv").read_bytes()
    (tmp_path / "sectors.csv").unlink()
    os.mkfifo(tmp_path / "sectors.csv")  # which gives its bytes once
    file = tmp_path / "sweep.toml"
    file.write_text(write_sweep(tmp_path).read_text().replace("synthetic:sectors", str(tmp_path / "sectors.csv")))
    process = started(4, "sweep", file, "--store", tmp_path / "s")
    with open(tmp_path / "sectors.csv", "wb") as pipe:
        pipe.write(text)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert len(outcomes(tmp_path / "s")) == TRIALS


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
    assert {key: without_files(after[key]) for key in before} == {key: without_files(each) for key, each in before.items()}
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
