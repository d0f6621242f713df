"""Training, sweeps and reports while the clock of the day jumps by 400 days, back and forth: the same results, durations
that are durations, and a time left that can be."""

import fcntl
import json
import os
import pty
import re
import sqlite3
import struct
import subprocess
import termios
import time

from injection import PROGRAM, SWEEP, needs_training, run, run_record, store_record

JUMPS = {"LD_PRELOAD": os.environ["SOFTRADIAL_JUMPING_CLOCK"]}
TRAIN = ["train", "portfolio", "--prices", "synthetic:sectors", "--cap", "0.3", "--hidden", "4", "--jobs", "1"]


def test_the_clock_jumps():
    """It does not depend on the program: a child asks for the time and gets three answers."""
    words = ["/usr/bin/python3", "-c", "import time; print(len({round(time.time() / 86400) for _ in range(9)}))"]
    assert int(subprocess.run(words, env=dict(os.environ, **JUMPS), capture_output=True, text=True).stdout) == 3


@needs_training
def test_a_record_does_not_depend_on_the_clock(tmp_path):
    begin = time.monotonic()
    for name, extra in (("right", {}), ("jumps", JUMPS)):
        ended = run([*TRAIN, "--epochs", "3", "--out", str(tmp_path / name)], extra)
        assert ended.returncode == 0 and ended.stderr == "", ended.stderr
    took = time.monotonic() - begin
    assert run_record(tmp_path / "jumps") == run_record(tmp_path / "right")
    trial = json.loads((tmp_path / "jumps/seed-0/trial.json").read_text())
    assert 0 <= trial["seconds"] <= took
    # Times that run backwards are shown as they are: no page fails for them.
    ended = run(["report", str(tmp_path / "jumps"), "-o", str(tmp_path / "report.html")], JUMPS)
    assert ended.returncode == 0, ended.stderr


@needs_training
def test_a_sweep_does_not_depend_on_the_clock(tmp_path):
    config = tmp_path / "sweep.toml"
    config.write_text(SWEEP)
    begin = time.monotonic()
    records = []
    for name, extra in (("right", {}), ("jumps", JUMPS)):
        folder = tmp_path / name
        folder.mkdir()
        ended = run(["sweep", str(config), "--store", str(folder / "s"), "--json"], extra)
        assert ended.returncode == 0, ended.stderr
        records.append(store_record(folder / "s"))
    took = time.monotonic() - begin
    assert records[0] == records[1]
    seconds = [row[0] for row in sqlite3.connect(tmp_path / "jumps/s").execute("SELECT seconds FROM trial")]
    assert len(seconds) == 2 and all(0 <= each <= took for each in seconds)


def shown_on_terminal(words, extra):
    """What the program writes on stderr where that is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 50, 200, 0, 0))
    child = subprocess.Popen(
        [PROGRAM, *words], env=dict(os.environ, OMP_NUM_THREADS="1", **extra), stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the terminal ends with the child
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert child.wait() == 0
    return shown.decode()


UNITS = {"s": 1, "min": 60, "h": 3600}


@needs_training
def test_the_time_left_is_no_longer_than_the_work(tmp_path):
    epochs = 40
    begin = time.monotonic()
    shown = shown_on_terminal([*TRAIN, "--epochs", str(epochs)], JUMPS)
    took = time.monotonic() - begin
    left = [float(number) * UNITS[unit] for number, unit in re.findall(r"(-?[\d.]+) (s|min|h) left", shown)]
    assert left, shown
    # After one epoch of many, the rest is as many times what has passed; half a unit is lost to rounding.
    assert all(0 <= each <= took * epochs + 0.5 for each in left), (left, took)
    parts = [int(part) for part in re.findall(r"(\d+) %", shown)]
    assert parts == sorted(parts) and parts[-1] <= 100, parts
