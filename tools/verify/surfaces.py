"""The doors of the library that the campaign goes through. Each has sets from SET.json and layers by the names of
softradial's classes; a layer takes and gives arrays: x = layer(u), layer.vjp(u, g), layer.jvp(u, v), layer.log_abs_det(u),
layer.inverse(x).

  c       the C interface, by softradial.numpy
  torch   the PyTorch layer and its ops: value, reverse and forward mode
"""
from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np


class CSurface:
    name = "c"

    def __init__(self) -> None:
        import softradial.numpy

        self.library = softradial.numpy

    def parse_set(self, text: str) -> Any:
        return self.library.parse_set(text)

    def anchor_of(self, given: Any) -> np.ndarray:
        return np.asarray(given.find_anchor())

    def layer(self, name: str, given: Any, **options: Any) -> Any:
        return getattr(self.library, name)(given, **options)


class TorchLayer:
    """A layer of PyTorch on arrays."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __repr__(self) -> str:
        return repr(self.layer)

    def __call__(self, u: np.ndarray) -> np.ndarray:
        import torch

        with torch.no_grad():
            return np.asarray(self.layer(torch.from_numpy(u)))

    def vjp(self, u: np.ndarray, g: np.ndarray) -> np.ndarray:
        import torch

        at = torch.from_numpy(u).requires_grad_()
        return np.asarray(torch.autograd.grad(self.layer(at), at, torch.from_numpy(g))[0])

    def jvp(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        import torch
        from torch.autograd import forward_ad

        with forward_ad.dual_level():
            dual = forward_ad.make_dual(torch.from_numpy(u), torch.from_numpy(v))
            return np.asarray(forward_ad.unpack_dual(self.layer(dual)).tangent)

    def log_abs_det(self, u: np.ndarray) -> np.ndarray:
        import torch

        with torch.no_grad():
            return np.asarray(self.layer.log_abs_det(torch.from_numpy(u)))

    def inverse(self, x: np.ndarray) -> np.ndarray:
        import torch

        with torch.no_grad():
            return np.asarray(self.layer.inverse(torch.from_numpy(x)))

    @property
    def anchor(self) -> np.ndarray:
        return np.asarray(self.layer.anchor)


class TorchSurface:
    name = "torch"

    def __init__(self) -> None:
        import softradial

        self.library = softradial

    def parse_set(self, text: str) -> Any:
        return self.library.parse_set(text)

    def anchor_of(self, given: Any) -> np.ndarray:
        return np.asarray(self.library.SoftRadial(given).anchor.double())

    def layer(self, name: str, given: Any, **options: Any) -> Any:
        return TorchLayer(getattr(self.library, name)(given, **options))


SURFACES: Dict[str, Callable[[], Any]] = {"c": CSurface, "torch": TorchSurface}
