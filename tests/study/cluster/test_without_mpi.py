"""A program that cannot meet the processes that were started with it says so in one line."""

import os

from sweeps import run, write_sweep


def refused(tmp_path, **variables):
    result = run("sweep", write_sweep(tmp_path), "--store", tmp_path / "s", env={**os.environ, **variables})
    assert result.returncode == 2, result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "s").exists()
    return result.stderr


def test_tasks_of_srun_that_are_strangers(tmp_path):
    assert "srun --mpi=pmix" in refused(tmp_path, SLURM_STEP_NUM_TASKS="4")


def test_built_without_mpi(tmp_path):
    if os.environ["SOFTRADIAL_HAS_MPI"] != "1":
        assert "built without MPI" in refused(tmp_path, OMPI_COMM_WORLD_SIZE="3")


def test_slurm_is_not_installed(tmp_path):
    for kind in ("array", "mpi"):
        result = run("sweep", write_sweep(tmp_path), "--store", tmp_path / "s", "--resume", "--slurm", kind,
                     env={**os.environ, "PATH": str(tmp_path)})
        assert result.returncode == 2
        assert "sbatch is not on the PATH" in result.stderr
