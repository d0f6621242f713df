"""Sweeps as jobs of Slurm, on a cluster of one machine that the test starts."""

import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from sweeps import PROGRAM, TRIALS, files_of, outcomes, run, without_files, write_sweep

MISSING = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
           if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None]

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (slurmctld slurmd slurm-client munge)"),
    pytest.mark.skipif(getpass.getuser() != "root", reason="a cluster of one machine is started by root"),
]

CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={other_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as server:
        server.bind(("", 0))
        return server.getsockname()[1]


def end(processes):
    for process in reversed(processes):
        process.send_signal(signal.SIGTERM)
    for process in processes:
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The environment in which the commands of Slurm reach the cluster."""
    folder = tmp_path_factory.mktemp("slurm")
    for above in (folder, *folder.parents):  # munged distrusts folders that others may write to
        if str(above) in ("/", "/tmp"):
            break
        above.chmod(0o755)
    host = socket.gethostname().split(".")[0]
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, host=host, port=free_port(), other_port=free_port()))
    environment = {**os.environ, "SLURM_CONF": str(configuration), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    processes = []

    def start(*words):
        processes.append(subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL,
                                          stderr=(folder / "daemons.log").open("a")))

    try:
        start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
              f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
        wait_for(lambda: (folder / "munge.socket").exists())
        start("slurmctld", "-D", "-c")
        start("slurmd", "-D", "-N", host)
        wait_for(lambda: "idle" in slurm(environment, "sinfo", "--noheader", "--format=%T").stdout)
        yield environment
    except AssertionError:
        for log in folder.glob("*.log"):
            print(log.name, log.read_text()[-2000:])
        raise
    finally:
        end(processes)


def slurm(environment, *words):
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)


def wait_for(condition, seconds=60):
    last = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < last, "waited too long"
        time.sleep(0.1)


def whole(tmp_path, sweep):
    assert run("sweep", sweep, "--store", tmp_path / "whole").returncode == 0
    return outcomes(tmp_path / "whole")


def test_an_array_of_tasks_trains_the_whole(cluster, tmp_path):
    sweep = write_sweep(tmp_path)
    result = run("sweep", sweep, "--store", tmp_path / "s", "--slurm", "array", "--tasks", 3, env=cluster, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "12 trials in 3 tasks" in result.stderr  # the grid with one seed
    assert "2 trials in 2 tasks" in result.stderr   # the chosen one with the others
    assert len(list((tmp_path / "s.slurm" / "round-1").glob("*.sqlite"))) == 3
    assert outcomes(tmp_path / "s") == whole(tmp_path, sweep)
    assert len(files_of(tmp_path / "s")) == 3  # the seeds of the chosen one


def test_ranks_of_a_job_train_the_whole(cluster, tmp_path):
    if os.environ["SOFTRADIAL_HAS_MPI"] != "1":
        pytest.skip("built without MPI (libopenmpi-dev)")
    sweep = write_sweep(tmp_path)
    result = run("sweep", sweep, "--store", tmp_path / "s", "--slurm", "mpi", "--tasks", 2, env=cluster, cwd=tmp_path)
    log = tmp_path / "s.slurm" / "round-1" / "log"
    assert result.returncode == 0, result.stderr + (log.read_text() if log.exists() else "")
    assert outcomes(tmp_path / "s") == whole(tmp_path, sweep)


def test_a_requeued_task_goes_on_and_the_command_finds_its_job_again(cluster, tmp_path):
    sweep = write_sweep(tmp_path, epochs=240)
    store = tmp_path / "s"
    words = ["sweep", sweep, "--store", store, "--resume", "--slurm", "array", "--tasks", "2"]
    follower = subprocess.Popen([PROGRAM, *map(str, words)], env=cluster, cwd=tmp_path, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
    part = tmp_path / "s.slurm" / "round-1" / "0.sqlite"

    def one_has_finished():
        return part.exists() and "finished" in run("results", "list", "--store", part).stdout

    wait_for(one_has_finished, 120)
    job = json.loads((tmp_path / "s.slurm" / "job.json").read_text())["id"]
    # A busy controller may not answer at once.
    wait_for(lambda: slurm(cluster, "scontrol", "requeue", f"{job}_0").returncode == 0)
    # The command ends; its job does not.
    follower.send_signal(signal.SIGINT)
    _, errors = follower.communicate(timeout=60)
    assert follower.returncode == 4
    assert f"job {job} goes on" in errors
    before = outcomes(part)
    assert before
    # Slurm lets a task that was queued again wait for two minutes; here it need not.
    wait_for(lambda: "PENDING" in slurm(cluster, "squeue", "--noheader", f"--jobs={job}_0", "--format=%T").stdout)
    wait_for(lambda: slurm(cluster, "scontrol", "update", f"jobid={job}_0", "starttime=now").returncode == 0)
    again = run(*words, env=cluster, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"job {job} has ended" in again.stderr
    found = outcomes(store)
    assert len(found) == TRIALS
    assert {key: without_files(found[key]) for key in before} == {key: without_files(each) for key, each in before.items()}
    assert found == whole(tmp_path, sweep)


def test_a_job_that_slurm_refuses(cluster, tmp_path):
    result = run("sweep", write_sweep(tmp_path), "--store", tmp_path / "s", "--slurm", "array",
                 "--sbatch=--partition=nowhere", env=cluster, cwd=tmp_path)
    assert result.returncode == 2
    assert "sbatch refuses the job" in result.stderr
