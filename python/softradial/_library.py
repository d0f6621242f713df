"""Loads the op library that lies beside this file: torch.ops.softradial and torch.classes.softradial."""

from pathlib import Path

from . import _build

if not _build.torch_version:
    raise ImportError(f"softradial {_build.version} was compiled without torch: install it again where torch is")
_MADE_FOR = ".".join(_build.torch_version.split(".")[:2])
_COMPILED = f"softradial {_build.version} was compiled for torch {_MADE_FOR}"
_REMEDY = f"install torch {_MADE_FOR}, or install softradial again, which compiles it for the torch that it finds"

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ImportError(f"{_COMPILED} and finds no torch: {_REMEDY}") from None

# LibTorch keeps its binary interface within a minor version only: with another one the library would crash, or not load.
if torch.__version__.split(".")[:2] != _MADE_FOR.split("."):
    raise ImportError(f"{_COMPILED} and finds torch {torch.__version__} ({torch.__path__[0]}): {_REMEDY}")
try:
    torch.ops.load_library(str(Path(__file__).parent / "lib" / "libsoftradial_torch.so"))
except OSError as error:
    raise ImportError(f"{_COMPILED} and does not load with torch {torch.__version__}: {error}: {_REMEDY}") from None

ops = torch.ops.softradial
classes = torch.classes.softradial
