"""Runs a Python file where torch cannot be imported: without_torch.py FILE [ARGUMENTS]."""

import os
import runpy
import sys


class NoTorch:
    """Stands before all other finders."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return None


assert "torch" not in sys.modules
sys.meta_path.insert(0, NoTorch())
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
assert "torch" not in sys.modules
