"""The layers while torch 2 compiles or exports a model, and on tensors without numbers.

Graphs only know numbers and tensors. In place of the library's object, a layer holds its description, a buffer of bytes, and
calls ops that take the description (src/torch/described). These ops have shapes for compilers and backward passes of their
own, and an exported program contains all that it needs.

These ops have kernels on the CPU only. On other devices a layer becomes a graph of plain tensor operations (`Plain`), which
the compiler fuses by itself.
"""

import functools
import importlib
import sys
from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch import Tensor, nn

from ._library import ops

_is_compiling: Optional[Callable[[], bool]] = getattr(getattr(torch, "compiler", None), "is_compiling", None)

# torch 2.1 and later: earlier versions do not tell whether they are compiling.
AVAILABLE = _is_compiling is not None

if _is_compiling is not None:
    from torch._subclasses.fake_tensor import FakeTensor

    compiling = _is_compiling

    def symbolic(u: Tensor) -> bool:
        """Whether u is a placeholder for a later tensor: in a graph that is being made, or a shape without numbers."""
        return compiling() or u.is_meta or isinstance(u, FakeTensor)

else:

    def compiling() -> bool:
        return False

    def symbolic(u: Tensor) -> bool:
        return False


def _description(layer: Any, like: Tensor) -> Tensor:
    if not compiling() and isinstance(like, FakeTensor):
        return like.fake_mode.from_tensor(layer.description)
    return layer.description


# The device that has kernels for the ops, and the one that needs none.
_HOME = ("cpu", "meta")


def _elsewhere(u: Tensor) -> bool:
    return compiling() and u.device.type not in _HOME


def _plain(layer: Any, name: str, u: Tensor) -> Tensor:
    if (name, u.dtype) not in layer.plain_maps:
        raise NotImplementedError(f"{name}: does not compile for {u.dtype} on {u.device.type}; call it uncompiled")
    if layer.check_finite:
        raise NotImplementedError(f"check_finite: does not compile on {u.device.type}; call the layer uncompiled")
    return layer.plain_maps[name, u.dtype](u)


def project(layer: Any, u: Tensor, data: Dict[str, Tensor]) -> Tensor:
    if _elsewhere(u):
        if data:
            raise NotImplementedError(f"{', '.join(data)}: data for each sample compile on the CPU only")
        return _plain(layer, "project", u)
    description = _description(layer, u)
    if not data:
        return ops.described_project(u, description, layer.check_finite)[0]
    tensors, names = list(data.values()), list(data.keys())
    return ops.described_samples(u, tensors, names, layer.anchor_gradient, description, layer.check_finite)[0]


def inverse(layer: Any, x: Tensor) -> Tensor:
    if _elsewhere(x):
        raise NotImplementedError("inverse: compiles on the CPU only")
    return ops.described_inverse(x, _description(layer, x))


def log_abs_det(layer: Any, u: Tensor) -> Tensor:
    if _elsewhere(u):
        return _plain(layer, "log_abs_det", u)
    return ops.described_log_abs_det(u, _description(layer, u)).squeeze(-1)


def project_layer(layer: Any, u: Tensor) -> Tensor:
    if _elsewhere(u):
        raise NotImplementedError("this layer compiles on the CPU only")
    dim, state_dim = layer._dims
    training = layer.training or not layer._differs_in_training
    return ops.described_layer(u, _description(layer, u), dim, state_dim, training)[0]


def penalty(layer: Any, x: Tensor) -> Tensor:
    if _elsewhere(x):
        raise NotImplementedError("penalty: compiles on the CPU only")
    return ops.described_penalty(x, _description(layer, x)).squeeze(-1)


def uncompiled(method: Callable[[Any, Tensor], Tensor]) -> Callable[[Any, Tensor], Tensor]:
    """Wraps a method of a level set, whose steps depend on the numbers: it runs beside graphs, not inside them."""

    @functools.wraps(method)
    def beside(self: Any, rows: Tensor) -> Tensor:
        if compiling():
            ops.level_set_cannot_be_part_of_a_graph(rows)
        dynamo = sys.modules.get("torch._dynamo")
        return method(self, rows) if dynamo is None else dynamo.disable(method)(self, rows)

    return beside


class Plain(nn.Module):
    """A map as a graph of plain tensor operations, for one dtype and device. It runs without this library.

        project          u (..., dim) -> x (..., dim)
        log_abs_det      u (..., dim) -> (...)
    """

    def __init__(self, projection: Any, name: str, dtype: torch.dtype, device: torch.device) -> None:
        super().__init__()
        make_fx: Any = importlib.import_module("torch.fx.experimental.proxy_tensor").make_fx
        # The tracer treats sizes that are 0, 1 or equal to another size as special.
        rows = torch.zeros(projection.dim + 97, projection.dim, dtype=dtype, device=device)
        plain = getattr(projection, f"plain_{name}")
        options: Dict[str, Any] = {"tracing_mode": "symbolic", "_allow_non_fake_inputs": True}  # torch 2 has both
        trace = make_fx(lambda u: plain(u), **options)
        self.graph = trace(rows)

    def forward(self, u: Tensor) -> Tensor:
        rows = self.graph(u.reshape(-1, u.shape[-1]))
        return rows.reshape(u.shape[: u.dim() - 2 + rows.dim()])


class Described(nn.Module):
    """A layer that holds an object of the library, `projection` or `layer`, and its description for compiled models."""

    description: Tensor

    def _describe(self) -> None:
        """Call it when the object has changed. Descriptions are not saved: a loaded layer makes its own again."""
        thing = self.__dict__.get("projection", self.__dict__.get("layer"))
        self._described = AVAILABLE and isinstance(thing, torch.ScriptObject)
        if self._described:
            description = thing.describe()
            if "description" in self._buffers and self.description.device.type != "cpu":
                description = description.to(self.description.device)
            self.register_buffer("description", description, persistent=False)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        self._describe()


class DescribedMap(Described):
    """A radial layer. On devices other than the CPU it holds graphs of plain operations, made when it is moved there."""

    # The usual precisions on such devices.
    PLAIN = (
        ("project", torch.float32), ("project", torch.float16), ("project", torch.bfloat16), ("log_abs_det", torch.float32),
    )

    def _describe(self) -> None:
        super()._describe()
        self.plain_maps: Dict[Tuple[str, torch.dtype], nn.Module] = {}
        if self._described and self.description.device.type not in _HOME:
            self.plain_maps = {(name, dtype): self._plain(name, dtype) for name, dtype in self.PLAIN}

    def _apply(self, *arguments: Any, **options: Any) -> "DescribedMap":
        """Called by .to(), .cuda() and the like."""
        before = self.description.device if self._described else None
        super()._apply(*arguments, **options)
        if self._described and self.description.device != before:
            self._describe()
        return self

    def plain(self, dtype: torch.dtype = torch.float32) -> nn.Module:
        """The map as a module of plain tensor operations, for one dtype, on the layer's device. Compiled models run it on
        devices other than the CPU, and exporters that do not know this library can use it. torch 2.1 and later.
        """
        if not self._described:
            raise NotImplementedError("plain: not available for level sets, nor before torch 2.1")
        return self._plain("project", dtype)

    def _plain(self, name: str, dtype: torch.dtype) -> nn.Module:
        return Plain(self.projection, name, dtype, self.description.device)
