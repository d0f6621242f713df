"""Loads the op library that lies beside this file: torch.ops.softradial and torch.classes.softradial."""

from pathlib import Path

import torch

torch.ops.load_library(str(Path(__file__).parent / "lib" / "libsoftradial_torch.so"))

ops = torch.ops.softradial
classes = torch.classes.softradial
