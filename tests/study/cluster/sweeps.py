"""Sweeps as a child process, and what their stores hold."""

import gzip
import hashlib
import json
import os
import sqlite3
import subprocess

PROGRAM = os.environ["SOFTRADIAL_PROGRAM"]

# Twelve trials of soft radial, then two more seeds of the chosen one; a second or two each.
SWEEP = """
task = "portfolio"
[base]
prices = "synthetic:sectors"
hidden = 8
cap = 0.3
epochs = {epochs}
seeds = 3
[grid]
learning-rate = [1e-3, 2e-3, 5e-3]
[method.soft_radial]
lambda = [1, 2, 5, 10]
"""
TRIALS = 12 + 2


def write_sweep(folder, epochs=6):
    file = folder / "sweep.toml"
    file.write_text(SWEEP.format(epochs=epochs))
    return file


def run(*words, before=(), **options):
    """Runs `softradial`, by itself or with the words of a launcher before it."""
    return subprocess.run([*before, PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600, **options)


def outcomes(store):
    """What must be the same to the bit, however a sweep came about, by configuration and seed."""
    out = store.parent / (store.name + ".json")
    exported = run("results", "export", "--store", store, "--epochs", "--out", out)
    assert exported.returncode == 0, exported.stderr
    found = {}
    for trial in json.loads(out.read_text()):
        key = (trial["configuration"], trial["seed"])
        assert key not in found, "twice"
        found[key] = {name: trial[name] for name in
                      ("status", "end", "epochs", "best_epoch", "selection", "validation", "test", "history", "config")}
    for key, files in files_of(store).items():
        found[key]["files"] = files
    return found


def without_files(outcome):
    """Which trial is the best so far, and keeps its files, changes as a sweep goes on."""
    return {name: value for name, value in outcome.items() if name != "files"}


def files_of(store):
    """The checksums of the files of trials, by configuration and seed."""
    connection = sqlite3.connect(store)
    found = {}
    for configuration, seed, name, size, sha256, content in connection.execute(
            "SELECT c.key, t.seed, f.name, f.size, f.sha256, f.gzip FROM trial_file f JOIN trial t ON t.id = f.trial"
            " JOIN configuration c ON c.id = t.configuration"):
        text = gzip.decompress(content)
        assert (len(text), hashlib.sha256(text).hexdigest()) == (size, sha256)
        found.setdefault((configuration, seed), {})[name] = sha256
    connection.close()
    return found
