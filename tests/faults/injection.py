"""Runs the program with one of its calls failing (failing_writes.c), and states what must hold after it."""

import gzip
import hashlib
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

import pytest

PROGRAM = os.environ["SOFTRADIAL_PROGRAM"]
FAILING_WRITES = os.environ["SOFTRADIAL_FAILING_WRITES"]
HAS_TRAINING = (Path(PROGRAM).parent / "softradial-train").exists()
needs_training = pytest.mark.skipif(not HAS_TRAINING, reason="built without PyTorch")

# SOFTRADIAL_FAULTS=all lets every call fail in turn; otherwise some of them, so that all kinds take about a minute together.
ALL_CALLS = os.environ.get("SOFTRADIAL_FAULTS") == "all"

# A small sweep.
SWEEP = """
task = "portfolio"
[base]
prices = "synthetic:sectors"
hidden = 4
cap = 0.3
epochs = 2
seeds = 2
[method.soft_radial]
"""

KINDS = ["full", "full-on", "broken", "kill", "short"]
# What the message must say, by the kind of the fault.
REASONS = {"full": "No space left on device", "full-on": "No space left on device", "broken": "Input/output error"}
# SQLite's own words for the same.
SQLITE_REASONS = ["disk I/O error", "database or disk is full", "unable to open database file"]
DONE, FAILED, KILLED = 0, 3, -signal.SIGKILL


@dataclass
class Scenario:
    """A command that writes below `folder`, and what its work is."""

    words: List[str]
    # What the command has made, without the times at which it was made: the same for every undisturbed run.
    record: Callable[[], object]
    # Puts the folder into the state before the command.
    prepare: Callable[[], None]
    folder: Path
    # The command that goes on after a fault; the same one if there is none.
    again: Optional[List[str]] = None
    # Raises if a file under its final name is damaged.
    check_files: Callable[[], None] = lambda: None


@dataclass
class Ended:
    code: int
    out: str
    err: str
    fault: Optional[str]  # "WRITE FILE": the call that failed; None if there were fewer calls


def run(words: List[str], extra: Optional[Dict[str, str]] = None) -> subprocess.CompletedProcess:
    environment = dict(os.environ, OMP_NUM_THREADS="1", **(extra or {}))
    return subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, timeout=120)


def run_with_fault(scenario: Scenario, kind: str, call: int) -> Ended:
    log = scenario.folder.parent / "fault.log"
    log.unlink(missing_ok=True)
    ended = run(
        scenario.words,
        {
            "LD_PRELOAD": FAILING_WRITES,
            "SOFTRADIAL_FAULT_FOLDER": str(scenario.folder),
            "SOFTRADIAL_FAULT_CALL": str(call),
            "SOFTRADIAL_FAULT_KIND": kind,
            "SOFTRADIAL_FAULT_LOG": str(log),
        },
    )
    fault = log.read_text().split(maxsplit=1)[1].strip() if log.exists() else None
    return Ended(ended.returncode, ended.stdout, ended.stderr, fault)


# What a file is called until it is whole: its name and six letters, or Python's eight.
TEMPORARY = re.compile(r"\.(csv|json|toml|html|svg|pt|safetensors)\.[A-Za-z0-9_]{6,8}$")


def files_of(folder: Path) -> List[Path]:
    """The files under their final names. A process that was killed leaves a temporary one beside them."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and not TEMPORARY.search(file.name))


def temporary_files(folder: Path) -> List[Path]:
    return [file for file in folder.rglob("*") if TEMPORARY.search(file.name)]


def check_message(ended: Ended, kind: str) -> None:
    errors = [line for line in ended.err.splitlines() if line.startswith("softradial: error: ")]
    assert len(errors) == 1 and ended.err.splitlines()[-1] == errors[0], ended
    assert len(errors[0]) < 400, ended
    assert any(reason in errors[0] for reason in [REASONS[kind], *SQLITE_REASONS]), ended
    # It names the file that was to be written, or, for what lies beside it (locks, logs of SQLite), its folder or its store.
    file = ended.fault.split(maxsplit=1)[1]
    name = re.sub(r"\.[A-Za-z0-9_]{6,8}$", "", file) if kind != "full-on" else ""
    name = re.sub(r"-(wal|shm|journal)$", "", name)
    assert name in errors[0] or str(Path(file).parent) in errors[0], ended


def holds_after_fault(scenario: Scenario, reference: object, kind: str, call: int) -> bool:
    """Lets the call fail and states the law. False if the command makes fewer calls."""
    scenario.prepare()
    ended = run_with_fault(scenario, kind, call)
    if ended.fault is None:
        assert ended.code == DONE, ended
        return False
    where = f"{kind}, call {call}: {ended.fault}: exit code {ended.code}: {ended.err}"
    if kind == "kill":
        assert ended.code == KILLED, where
    elif kind == "short":
        assert ended.code == DONE, where
    else:
        assert ended.code in (DONE, FAILED), where
        assert not temporary_files(scenario.folder), where
    if ended.code == DONE:
        assert ended.err.count("error:") == 0, where
        assert scenario.record() == reference, where
    elif ended.code == FAILED:
        check_message(ended, kind)
    scenario.check_files()
    # With room again, the work is completed, and nobody sees that something had happened.
    again = run(scenario.again or scenario.words)
    assert again.returncode == DONE, f"{where}\nafterwards: exit code {again.returncode}: {again.stderr}"
    assert scenario.record() == reference, where
    return True


def holds_after_every_fault(scenario: Scenario, kind: str, stride: int) -> None:
    scenario.prepare()
    undisturbed = run(scenario.words)
    assert undisturbed.returncode == DONE, undisturbed.stderr
    reference = scenario.record()
    # Each kind begins at another call, so that together they meet more of them.
    step = 1 if ALL_CALLS else stride
    call = 1 + KINDS.index(kind) * step // len(KINDS)
    happened = False
    while holds_after_fault(scenario, reference, kind, call):
        happened = True
        call += step
    assert happened or holds_after_fault(scenario, reference, kind, 1), "the command does not write"


# ---------------------------------------------------------------------------------------- records without their times


def without(value: object, keys: List[str]) -> object:
    if isinstance(value, dict):
        return {key: without(each, keys) for key, each in value.items() if key not in keys}
    return [without(each, keys) for each in value] if isinstance(value, list) else value


def check_safetensors(file: Path) -> None:
    """The checksum of the whole file with its own digits replaced by zeros (docs/runs.md)."""
    content = file.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    digits = json.loads(content[8:8 + length])["__metadata__"]["sha256"]
    assert hashlib.sha256(content.replace(digits.encode(), b"0" * 64)).hexdigest() == digits, file


def check_run_files(folder: Path) -> None:
    """Every file of a run's folder that has its final name is whole."""
    for file in files_of(folder):
        if file.suffix == ".json":
            json.loads(file.read_text())
        elif file.suffix == ".safetensors":
            check_safetensors(file)
        elif file.suffix == ".csv":
            text = file.read_text()
            lines = text.split("\n")
            assert text.endswith("\n") and len({line.count(",") for line in lines[:-1]}) == 1, file


def run_record(folder: Path) -> Dict[str, object]:
    """All files of a run's folder but its log and its lock."""
    record: Dict[str, object] = {}
    for file in files_of(folder):
        name = str(file.relative_to(folder))
        if file.name in ("log.txt", ".lock"):
            continue
        if file.suffix == ".json":
            record[name] = without(json.loads(file.read_text()), ["started", "changed", "seconds"])
        else:
            record[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return record


def check_store(store: Path) -> None:
    if not store.exists() or store.stat().st_size == 0:
        return
    connection = sqlite3.connect(store)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def store_record(store: Path) -> List[object]:
    """All trials and epochs, as `results export` gives them, without numbers and times of sessions, and their files."""
    check_store(store)
    out = store.parent.parent / "export.json"
    ended = run(["results", "export", "--store", str(store), "--epochs", "--out", str(out)])
    assert ended.returncode == 0, ended.stderr
    trials = without(json.loads(out.read_text()), ["id", "session", "started", "seconds", "first_epoch", "attempts"])
    connection = sqlite3.connect(store)
    files = connection.execute(
        "SELECT c.key, t.seed, f.name, f.sha256, f.gzip FROM trial_file f JOIN trial t ON t.id = f.trial"
        " JOIN configuration c ON c.id = t.configuration ORDER BY 1, 2, 3").fetchall()
    connection.close()
    for *_, sha256, content in files:
        assert hashlib.sha256(gzip.decompress(content)).hexdigest() == sha256
    left = [file.name for file in files_of(Path(f"{store}.trainings")) if file.name != ".lock"]
    return [sorted(trials, key=lambda trial: (trial["configuration"], trial["seed"])), files, left]
