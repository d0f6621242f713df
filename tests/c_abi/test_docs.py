"""The programs in docs/c.md and docs/numpy.md run as they stand there, without torch."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parents[1]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (SOURCE / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)


def run(*command, cwd):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_of_the_c_page(tmp_path):
    (program,) = blocks("c.md", "c")
    (printed,) = blocks("c.md", "text")
    library = Path(os.environ["SOFTRADIAL_C_LIBRARY"])
    (tmp_path / "program.c").write_text(program)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE / 'include'}"]
    link = [str(library), f"-Wl,-rpath,{library.parent}"]
    run(os.environ["SOFTRADIAL_C_COMPILER"], *flags, "program.c", "-o", "program", *link, cwd=tmp_path)
    assert run(tmp_path / "program", cwd=tmp_path) == printed


def test_the_programs_of_the_numpy_page(tmp_path):
    """One after the other in one session, as a reader would type them."""
    programs = blocks("numpy.md", "python")
    (printed,) = blocks("numpy.md", "text")
    assert len(programs) > 2
    (tmp_path / "program.py").write_text("\n".join(programs))
    assert run(sys.executable, HERE / "without_torch.py", "program.py", cwd=tmp_path) == printed
