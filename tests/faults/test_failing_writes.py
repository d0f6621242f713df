"""Every command that writes, with each of its writing calls failing in turn: a full disk, a broken one, a kill, a short
write.

The law: exit code 3 and one line that names the file, or 0 and all is there; no half file under a final name, no file left
over; the same command again (with --resume) completes the work to the same bits."""

import json
import os
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from injection import (
    ALL_CALLS,
    KINDS,
    PROGRAM,
    SWEEP,
    Scenario,
    check_run_files,
    check_store,
    files_of,
    holds_after_every_fault,
    needs_training,
    run,
    run_record,
    store_record,
)

QUICK = ["--prices", "synthetic:sectors", "--cap", "0.3", "--epochs", "6", "--hidden", "4", "--jobs", "1"]


def emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained").resolve() / "run"
    ended = run(["train", "portfolio", *QUICK, "--out", str(folder)])
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.fixture(scope="module")
def swept(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("swept").resolve()
    (folder / "sweep.toml").write_text(SWEEP)
    ended = run(["sweep", str(folder / "sweep.toml"), "--store", str(folder / "s.sqlite")])
    assert ended.returncode == 0, ended.stderr
    return folder / "s.sqlite"


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_train(kind, tmp_path):
    place = tmp_path.resolve() / "place"
    words = ["train", "portfolio", *QUICK, "--out", str(place / "run")]
    scenario = Scenario(
        words=words,
        again=[*words, "--resume"],
        record=lambda: run_record(place),
        prepare=lambda: emptied(place),
        folder=place,
        check_files=lambda: check_run_files(place),
    )
    holds_after_every_fault(scenario, kind, stride=29)


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_sweep(kind, tmp_path):
    place = tmp_path.resolve() / "place"
    config = tmp_path / "sweep.toml"
    config.write_text(SWEEP)
    store = place / "s.sqlite"
    words = ["sweep", str(config), "--store", str(store), "--jobs", "1", "--json"]
    scenario = Scenario(
        words=words,
        again=[*words, "--resume"],
        record=lambda: store_record(store),
        prepare=lambda: emptied(place),
        folder=place,
        check_files=lambda: check_store(store),
    )
    holds_after_every_fault(scenario, kind, stride=41)


def old_or_new(files, reference):
    """Each file is what it was before the command, or what the command makes of it."""
    for file in files:
        assert content_of(file) in (b"old", reference[file.name]), file


def content_of(file: Path):
    """The bytes of a file; of an archive what is in it, but the sources, which torch writes in no fixed order."""
    if not zipfile.is_zipfile(file):
        return file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None, file
        return {each.filename: each.CRC for each in archive.infolist() if "/code/" not in each.filename}


def one_file_scenario(words, place: Path, names) -> Scenario:
    """A command that replaces files. Before it, each of them holds something else."""
    files = [place / name for name in names]
    reference = {}

    def prepare():
        emptied(place)
        for file in files:
            file.write_bytes(b"old")

    def record():
        found = {file.name: content_of(file) for file in files_of(place)}
        reference.update(found if not reference else {})
        return found

    return Scenario(
        words=words, record=record, prepare=prepare, folder=place, check_files=lambda: old_or_new(files, reference)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_generated_data(kind, tmp_path):
    place = tmp_path.resolve() / "place"
    words = ["data", "generate", "synthetic:sectors", "--out", str(place / "prices.csv")]
    holds_after_every_fault(one_file_scenario(words, place, ["prices.csv"]), kind, stride=1)


@pytest.mark.parametrize("kind", KINDS)
def test_figures(kind, tmp_path):
    place = tmp_path.resolve() / "place"
    words = ["figures", "--only", "projection", "--out", str(place)]
    holds_after_every_fault(one_file_scenario(words, place, ["projection.svg"]), kind, stride=1)


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_report(kind, tmp_path, trained):
    place = tmp_path.resolve() / "place"
    words = ["report", str(trained), "-o", str(place / "report.html")]
    holds_after_every_fault(one_file_scenario(words, place, ["report.html"]), kind, stride=3)


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_backtest(kind, tmp_path, trained):
    place = tmp_path.resolve() / "place"
    words = ["backtest", "--model", str(trained), "--prices", "synthetic:sectors", "--from", "2021-01-01"]
    words += ["--weights", str(place / "w.csv"), "--returns", str(place / "r.csv")]
    holds_after_every_fault(one_file_scenario(words, place, ["w.csv", "r.csv"]), kind, stride=9)


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_table(kind, tmp_path):
    place = tmp_path.resolve() / "place"
    words = ["table", "portfolio", "--universe", "sectors", "--prices", "synthetic:sectors", "--cap", "0.3"]
    words += ["--method", "soft_radial", "--hidden", "4", "--epochs", "1", "--seeds", "1", "--runs", str(place / "runs")]
    scenario = Scenario(
        words=words,
        record=lambda: run_record(place),
        prepare=lambda: emptied(place),
        folder=place,
        check_files=lambda: check_run_files(place),
    )
    holds_after_every_fault(scenario, kind, stride=67)


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_results_export(kind, tmp_path, swept):
    place = tmp_path.resolve() / "place"
    words = ["results", "export", "--store", str(swept), "--out", str(place / "trials.csv")]
    holds_after_every_fault(one_file_scenario(words, place, ["trials.csv"]), kind, stride=4)


@needs_training
@pytest.mark.parametrize("kind", KINDS)
def test_results_files(kind, tmp_path, swept):
    place = tmp_path.resolve() / "place"
    words = ["results", "files", "--store", str(swept), "1", "--out", str(place)]
    scenario = Scenario(
        words=words,
        record=lambda: run_record(place),
        prepare=lambda: emptied(place),
        folder=place,
        check_files=lambda: check_run_files(place),
    )
    holds_after_every_fault(scenario, kind, stride=4)


# Python and torch are loaded for each of them.
@needs_training
@pytest.mark.parametrize("kind", KINDS if ALL_CALLS else KINDS[:1])
@pytest.mark.parametrize("form", ["onnx", "torchscript"] if ALL_CALLS else ["torchscript"])
def test_export(kind, form, tmp_path, trained):
    place = tmp_path.resolve() / "place"
    words = ["export", "--model", str(trained), "--format", form, "--out", str(place / "policy.pt")]
    holds_after_every_fault(one_file_scenario(words, place, ["policy.pt"]), kind, stride=4)


@needs_training
def test_a_folder_that_vanishes_ends_no_training(tmp_path):
    """Somebody deletes the run's folder while it is written: the results are printed, and the exit code says it."""
    folder = tmp_path / "run"
    words = ["train", "portfolio", "--prices", "synthetic:sectors", "--cap", "0.3", "--hidden", "4", "--jobs", "1"]
    words += ["--epochs", "400", "--out", str(folder), "--json"]
    child = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (folder / "seed-0/checkpoint.safetensors").exists():
        assert child.poll() is None, child.communicate()
        time.sleep(0.001)
    shutil.rmtree(folder, ignore_errors=True)
    out, err = child.communicate()
    assert child.returncode == 3 and err.count("\n") == 1, err
    assert err.startswith(f"softradial: error: {folder}") and "cannot be written" in err, err
    assert "sharpe" in json.loads(out)["mean"]


def test_the_faults_happen(tmp_path):
    """A disk that is really full gives the same words: the injection stands for it."""
    ended = run(["data", "generate", "synthetic:sectors", "--out", "/dev/full"])
    assert ended.returncode == 3
    assert ended.stderr.startswith("softradial: error: /dev/full: cannot be written: " + os.strerror(28)), ended.stderr
