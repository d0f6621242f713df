"""`softradial serve` and `softradial report` on stores and runs that are cut off or damaged: an answer with a reason, never
the end of the server; and the page is back as soon as the file is."""

import os
import random
import re
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from injection import ALL_CALLS, PROGRAM, SWEEP, needs_training, run

STEPS = 200 if ALL_CALLS else 24


class LiveWindow:
    """A server of its own for a test."""

    def __init__(self, source: Path):
        self.child = subprocess.Popen(
            [PROGRAM, "serve", "--store", str(source), "--port", "0"], stderr=subprocess.PIPE, text=True
        )
        self.address = self.child.stderr.readline().split()[1]
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def get(self, name=""):
        """The status and the text of an answer."""
        try:
            with urllib.request.urlopen(self.address + name, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.child.poll() is None, "the server has ended"
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self.child.stderr.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "sweep.toml").write_text(SWEEP)
    ended = run(["sweep", str(folder / "sweep.toml"), "--store", str(folder / "s.sqlite")])
    assert ended.returncode == 0, ended.stderr
    return (folder / "s.sqlite").read_bytes()


def damaged(content: bytes):
    """Copies that are cut off, have a run of zeros, or flipped bits; the last one is whole again."""
    chance = random.Random(5)
    for k in range(STEPS):
        size = len(content) * k // STEPS
        yield f"cut off after {size} bytes", content[:size]
        broken = bytearray(content)
        for _ in range(20):
            broken[chance.randrange(100, len(broken))] ^= 1 << chance.randrange(8)
        yield f"flipped bits {k}", bytes(broken)
        begin = chance.randrange(len(content))
        yield f"zeros from {begin}", content[:begin] + bytes(min(4096, len(content) - begin)) + content[begin + 4096:]
    yield "whole", content


def is_page(text: str) -> bool:
    return text.startswith("<!doctype html>") and text.endswith("</html>\n")


def one_line(text: str) -> bool:
    return text.count("\n") == 1 and text.endswith("\n") and len(text) < 400


@needs_training
def test_a_damaged_store(store, tmp_path):
    file = tmp_path / "s.sqlite"
    file.write_bytes(store)
    refused = 0
    with LiveWindow(file) as window:
        for number, (what, content) in enumerate(damaged(store)):
            file.write_bytes(content)
            # The page is made anew when the time or the size of the file changes.
            os.utime(file, ns=(number * 10**9, number * 10**9))
            status, text = window.get()
            assert status in (200, 500), (what, status)
            assert is_page(text) if status == 200 else one_line(text) and str(file) in text, (what, text)
            refused += status == 500
            assert window.get("version")[0] == 200
            # The report of the same file says the same, with its exit code.
            if number % 9 == 0:
                ended = run(["report", str(file), "-o", str(tmp_path / "report.html")])
                assert ended.returncode == (0 if status == 200 else 2), (what, ended.stderr)
                assert ended.returncode == 0 or one_line(ended.stderr) and str(file) in ended.stderr, (what, ended.stderr)
        assert (status, what) == (200, "whole")
    assert refused > 0


def without_version(page: str) -> str:
    return re.sub(r'<meta name="version"[^>]*>', "", page)


@needs_training
def test_a_damaged_run(tmp_path):
    folder = tmp_path / "runs"
    words = ["train", "portfolio", "--prices", "synthetic:sectors", "--cap", "0.3", "--epochs", "2", "--hidden", "4"]
    assert run([*words, "--out", str(folder / "mine")]).returncode == 0
    whole = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".txt"}
    with LiveWindow(folder) as window:
        complete = window.get()
        assert complete[0] == 200 and "Nothing has finished" not in complete[1]
        manifest = folder / "mine/manifest.json"
        time = 0
        for file, content in whole.items():
            for k in range(8):
                file.write_bytes(content[: len(content) * k // 8])
                time += 10**9
                os.utime(manifest, ns=(time, time))
                status, text = window.get()
                assert status in (200, 500), (file, k, status)
                assert is_page(text) if status == 200 else one_line(text), (file, k, text)
                ended = run(["report", str(folder / "mine"), "-o", str(tmp_path / "report.html")])
                assert ended.returncode in (0, 2), (file, k, ended.stderr)
                assert ended.returncode == 0 or one_line(ended.stderr), (file, k, ended.stderr)
            file.write_bytes(content)
        time += 10**9
        os.utime(manifest, ns=(time, time))
        status, text = window.get()
        assert status == 200 and without_version(text) == without_version(complete[1])
