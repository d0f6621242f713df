"""One model that the processes of mpirun train together."""

import json
import os
import signal

import pytest

from ranks import ENVIRONMENT, children_of, mpirun, needs_mpi, started, wait_until
from sweeps import run

pytestmark = needs_mpi

# Single precision, summed in another order for some hundred steps.
ROUNDING = 1e-3

PORTFOLIO = ["train", "portfolio", "--prices", "synthetic:sectors", "--cap", 0.3, "--hidden", 8]
DISPATCH = ["train", "dispatch", "--demand", "synthetic:taxi", "--zones", 12, "--kappa", 0.3, "--hidden", 8]


def result_of(ranks, *words):
    """What the command prints, by itself (0) or with so many processes."""
    more = {"before": mpirun(ranks), "env": ENVIRONMENT} if ranks else {}
    done = run(*words, *(["--distributed"] if ranks else []), "--json", **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def numbers(result):
    """Everything that a result says about the trained models and the rules beside them."""
    assert result["trials"]
    return [*(trial[split] for trial in result["trials"] for split in ("validation", "test")), result["mean"],
            *(rule[split] for rule in result["baselines"].values() for split in ("validation", "test"))]


def expect_same(result, other):
    assert result["config"] == other["config"]
    for here, there in zip(numbers(result), numbers(other), strict=True):
        assert here == pytest.approx(there, abs=ROUNDING, rel=ROUNDING)


@pytest.mark.parametrize("words", [PORTFOLIO, DISPATCH], ids=["portfolio", "dispatch"])
def test_ranks_train_what_one_process_trains(words):
    words = [*words, "--epochs", 4, "--seeds", 2]
    alone = result_of(0, *words)
    for ranks in (1, 2, 4):
        expect_same(result_of(ranks, *words), alone)


@pytest.mark.parametrize("words,source", [(PORTFOLIO, "synthetic:sectors"), (DISPATCH, "synthetic:taxi")],
                         ids=["portfolio", "dispatch"])
def test_parquet_is_read_in_parts(tmp_path, words, source):
    file = tmp_path / "table.parquet"
    written = run("data", "generate", source, "--out", file)
    if "built without" in written.stderr:
        pytest.skip("built without DuckDB")
    assert written.returncode == 0, written.stderr
    own = [file if word == source else word for word in words]
    record = [tmp_path / name for name in ("alone", "together")]
    alone = result_of(0, *words, "--epochs", 2, "--out", record[0])
    together = result_of(3, *own, "--epochs", 2, "--out", record[1])
    for here, there in zip(numbers(together), numbers(alone), strict=True):
        assert here == pytest.approx(there, abs=ROUNDING, rel=ROUNDING)
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in record]
    # The same table is the same data, in any format and in parts.
    assert manifests[0]["data"]["sha256"] == manifests[1]["data"]["sha256"]
    assert manifests[0]["names"] == manifests[1]["names"]


def test_the_record_is_whole_and_any_number_of_processes_goes_on_with_it(tmp_path):
    folder = tmp_path / "run"
    words = [*DISPATCH, "--epochs", 3, "--out", folder]
    result_of(2, *words, "--seeds", 1)
    assert {path.name for path in (folder / "seed-0").iterdir()} == {
        "model.safetensors", "history.csv", "decisions.csv", "outcomes.csv", "zones.csv", "trial.json"}
    assert json.loads((folder / "manifest.json").read_text())["status"] == "finished"
    more = result_of(3, *words, "--seeds", 2, "--resume")
    assert [trial["seed"] for trial in more["trials"]] == [0, 1]
    alone = result_of(0, *words, "--seeds", 3, "--resume")
    expect_same({**alone, "trials": alone["trials"][:2], "mean": more["mean"]},
                {**more, "config": {**more["config"], "seeds": 3}})
    weights = run("predict", "--model", folder, "--demand", "synthetic:taxi")
    assert weights.returncode == 0, weights.stderr


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return result_of(2, *DISPATCH, "--epochs", 40, "--out", tmp_path_factory.mktemp("undisturbed") / "run")


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_process_ends_the_job_and_the_run_goes_on(tmp_path, victim, undisturbed):
    folder = tmp_path / "run"
    words = [*DISPATCH, "--epochs", 40, "--out", folder, "--resume"]
    process = started(2, *words, "--distributed")
    checkpoint = folder / "seed-0" / "checkpoint.safetensors"
    wait_until(checkpoint.exists, process)
    os.kill(children_of(process)[victim], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "if a process dies, the same command with --resume goes on" in errors
    assert checkpoint.exists()
    assert not (folder / "seed-0" / "trial.json").exists()
    expect_same(result_of(2, *words), undisturbed)
    assert "goes on after epoch" in (folder / "log.txt").read_text()


def test_a_signal_stops_all_and_the_run_goes_on(tmp_path):
    folder = tmp_path / "run"
    words = [*DISPATCH, "--epochs", 2000, "--out", folder, "--resume"]
    process = started(2, *words, "--distributed")
    wait_until((folder / "seed-0" / "checkpoint.safetensors").exists, process)
    # To one of them: the other learns of it with the next batch.
    os.kill(children_of(process)[1], signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    assert "the same command with --resume goes on" in errors
    assert json.loads((folder / "manifest.json").read_text())["status"] == "interrupted"


@pytest.mark.parametrize("more,message", [
    (["--smoothing", 0.5], "--smoothing: each decision waits for the one before it"),
    (["--anchor", "drifted"], "--anchor drifted: each decision waits for the one before it"),
    (["--batch", 5], "--batch 5: 3 processes need at least two days each of a batch"),
    (["--jobs", 2], "--jobs: processes that train together train one seed at a time"),
    (["--prices", "nowhere.csv"], "nowhere.csv"),
    (["--prices", "nowhere.parquet"], "nowhere.parquet"),
    (["--resume"], "--resume needs --out"),
])
def test_what_cannot_be_shared_is_refused_once(more, message):
    done = run("train", "portfolio", *more, "--distributed", before=mpirun(3), env=ENVIRONMENT)
    assert done.returncode == 2, done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("softradial: error")]
    assert len(told) == 1
    assert message in told[0]


def test_without_mpirun_it_says_that_it_trains_alone():
    done = run(*DISPATCH, "--epochs", 1, "--distributed")
    assert done.returncode == 0, done.stderr
    assert "no mpirun has started this process, it trains alone" in done.stderr


def test_a_run_that_another_writes_is_refused(tmp_path):
    folder = tmp_path / "run"
    words = [*DISPATCH, "--epochs", 2000, "--out", folder, "--resume"]
    process = started(2, *words, "--distributed")
    wait_until((folder / "seed-0" / "checkpoint.safetensors").exists, process)
    second = run(*words, "--distributed", before=mpirun(2), env=ENVIRONMENT)
    assert second.returncode == 2
    assert second.stderr.count("softradial: error") == 1
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
