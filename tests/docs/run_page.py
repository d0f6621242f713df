"""Runs the fenced blocks of a page in their order, in one folder: run_page.py PAGE FOLDER.

    python          one session for the page
    sh              bash, which stops at the first command that fails
    console         lines that begin with $ are commands; the lines after each are what it prints
    json, toml      read; with a name, saved for the blocks after it. A set is built from its JSON
    c, cpp          the program `app`, built by the page's `cmake` block against the installed library, and run
    cmake           see above
    text            what the block before it prints
    js              run by the test that compares its numbers: tests/torch/test_trained_policies.py

The environment names the build: SOFTRADIAL_BUILD (its folder), SOFTRADIAL_CONFIGURE (arguments for CMake, separated by ;).
"""

import contextlib
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import List

from pages import SOURCE, Block, blocks

PROJECT = "cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES C CXX)\nadd_executable(app {})\n"


def command(words: List[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def available(needs: List[str]) -> bool:
    """needs: MODULE [VERSION]"""
    if not needs:
        return True
    try:
        module = importlib.import_module(needs[0])
    except ImportError:
        return False
    numbers = [[int(number) for number in re.findall(r"\d+", text)] for text in (module.__version__, *needs[1:])]
    return len(numbers) == 1 or numbers[0] >= numbers[1]


class Page:
    def __init__(self, page: str, folder: Path):
        self.blocks = blocks(page)
        self.folder = folder
        self.session: dict = {"__name__": "page"}
        self.printed = ""

    def run(self) -> int:
        """The number of blocks that were run."""
        count = 0
        for block in self.blocks:
            if block.not_run or not available(block.needs):
                continue
            if block.file:
                (self.folder / block.file).write_text(block.text)
            try:
                getattr(self, block.language)(block)
            except Exception as error:
                error.args = (f"{block.place}: {error}",)
                raise
            count += 1
        return count

    def python(self, block: Block) -> None:
        output = io.StringIO()
        # The lines of a traceback are those of the page.
        code = compile("\n" * block.line + block.text, str(SOURCE / block.page), "exec")
        with contextlib.redirect_stdout(output):
            exec(code, self.session)
        self.printed = output.getvalue()

    def sh(self, block: Block) -> None:
        self.printed = command(["bash", "-euo", "pipefail", "-c", block.text], self.folder)

    def console(self, block: Block) -> None:
        for words, expected in re.findall(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            done = subprocess.run(["bash", "-c", words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True)
            assert done.stdout == expected, f"{words}prints\n{done.stdout}instead of\n{expected}"

    def json(self, block: Block) -> None:
        if "type" in json.loads(block.text):
            import softradial.numpy
            softradial.numpy.parse_set(block.text)

    def toml(self, block: Block) -> None:
        tomllib.loads(block.text)

    def text(self, block: Block) -> None:
        assert self.printed == block.text, f"what is printed is\n{self.printed}instead of\n{block.text}"

    def program(self, block: Block, source: str) -> None:
        (how,) = [other.text for other in self.blocks if other.language == "cmake" and not other.not_run]
        prefix = self.folder / "prefix"
        command(["cmake", "--install", os.environ["SOFTRADIAL_BUILD"], "--prefix", str(prefix)], self.folder)
        os.environ["PKG_CONFIG_PATH"] = str(next(prefix.rglob("pkgconfig")))
        (self.folder / source).write_text(block.text)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(source) + how)
        configure = os.environ["SOFTRADIAL_CONFIGURE"].split(";")
        command(["cmake", "-S", ".", "-B", "app", f"-DCMAKE_PREFIX_PATH={prefix}", *configure], self.folder)
        command(["cmake", "--build", "app"], self.folder)
        self.printed = command(["app/app"], self.folder)

    def c(self, block: Block) -> None:
        self.program(block, "app.c")

    def cpp(self, block: Block) -> None:
        self.program(block, "app.cpp")

    def cmake(self, block: Block) -> None:
        programs = [other for other in self.blocks if other.language in ("c", "cpp") and not other.not_run]
        assert programs, "no program of the page is built with this"


def main() -> None:
    page, folder = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "configs").symlink_to(SOURCE / "configs")
    os.chdir(folder)
    assert Page(page, folder).run() > 0, f"{page}: no block was run"


main()
