"""Sweeps as a child process, and what their stores hold."""

import json
import os
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
    return found
