"""The doors of the library that the campaign goes through. Each has the library's table of types, sets from SET.json and
layers by the names of softradial's classes; a layer takes and gives arrays: x = layer(u), layer.vjp(u, g), layer.jvp(u, v),
layer.log_abs_det(u), layer.inverse(x).

  c       the C interface, which softradial.numpy calls: the deployed Python package and the C library in one
  wasm    the same C interface as WebAssembly, in Node (wasm_surface.mjs)
  torch   the PyTorch layer and its ops: value, reverse and forward mode; the one door that takes data for each sample, by
          the sample maps of the C++ core

The evaluator of the C++ core itself is behind every one of them; ./dev feasibility calls it without a door.
"""
from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List

import numpy as np

# Data of a layer's call, by name.
Data = Dict[str, np.ndarray]
# Those that a call takes by their own names; the others go together.
NAMED_DATA = ("A", "b", "E", "f", "lower", "upper", "cap", "sum", "center", "radius", "scale", "anchor")


class CSurface:
    name = "c"
    takes_samples = False

    def __init__(self) -> None:
        import softradial.numpy

        self.library = softradial.numpy

    def set_types(self) -> List[Dict[str, Any]]:
        return [kind._row for kind in vars(self.library).values()
                if isinstance(kind, type) and issubclass(kind, self.library.Set) and kind is not self.library.Set]

    def parse_set(self, text: str) -> Any:
        return self.library.parse_set(text)

    def anchor_of(self, given: Any) -> np.ndarray:
        return np.asarray(given.find_anchor())

    def layer(self, name: str, given: Any, **options: Any) -> Any:
        return getattr(self.library, name)(given, **options)


class WasmLibrary:
    """Node with the library inside. A call is a line of JSON and the bytes that it announces; so is the answer."""

    def __init__(self, module: str) -> None:
        node = shutil.which("node")
        if node is None:
            raise SystemExit("verify: the surface wasm needs Node")
        if not Path(module).exists():
            raise SystemExit(f"verify: there is no {module}; ./dev verify --surface wasm builds it")
        script = str(Path(__file__).parent / "wasm_surface.mjs")
        self.process = subprocess.Popen([node, script, module], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, name: str, *arrays: np.ndarray, **words: Any) -> Any:
        """The answer's number, text or array. What the library refuses is a ValueError with its words."""
        assert self.process.stdin is not None and self.process.stdout is not None
        head = json.dumps({"call": name, **words, "bytes": [a.nbytes for a in arrays]}).encode()
        self.process.stdin.write(struct.pack("<I", len(head)) + head + b"".join(a.tobytes() for a in arrays))
        self.process.stdin.flush()
        start = self.process.stdout.read(4)
        if len(start) < 4:
            raise SystemExit(f"verify: the WebAssembly module ended in {name}")
        answer = json.loads(self.process.stdout.read(struct.unpack("<I", start)[0]))
        if "error" in answer:
            raise ValueError(answer["error"])
        return self.process.stdout.read(answer["bytes"]) if "bytes" in answer else answer["value"]

    def free(self, name: str, handle: int) -> None:
        """Unless Node has ended: Python frees what is left in any order."""
        if self.process.poll() is None and self.process.stdin is not None and not self.process.stdin.closed:
            self.call(name, handle=handle)


class WasmSet:
    def __init__(self, library: WasmLibrary, text: str) -> None:
        self.library = library
        self.handle = library.call("parse", text=text)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.library.free("free_set", self.handle)


class WasmLayer:
    def __init__(self, given: WasmSet, options: Dict[str, Any]) -> None:
        self.set, self.library, self.options = given, given.library, options
        self.handle = self.library.call("layer", handle=given.handle, text=json.dumps(options))
        self.dim = self.library.call("dim", handle=given.handle)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.library.free("free_layer", self.handle)

    def __repr__(self) -> str:
        return json.dumps(self.options)

    def _rows(self, name: str, width: int, *arrays: np.ndarray) -> np.ndarray:
        first = arrays[0]
        precision = "f32" if first.dtype == np.float32 else "f64"
        found = self.library.call("rows", *(np.ascontiguousarray(a) for a in arrays), function=f"sr_{name}_{precision}",
                                  handle=self.handle, count=len(first), dim=self.dim, width=width, size=first.itemsize)
        out = np.frombuffer(found, dtype=first.dtype)
        return out.reshape(len(first), width) if width > 0 else out

    def __call__(self, u: np.ndarray) -> np.ndarray:
        return self._rows("project", self.dim, u)

    def vjp(self, u: np.ndarray, g: np.ndarray) -> np.ndarray:
        return self._rows("project_vjp", self.dim, u, g)

    def jvp(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self._rows("project_jvp", self.dim, u, v)

    def log_abs_det(self, u: np.ndarray) -> np.ndarray:
        return self._rows("log_abs_det", 0, u)

    def inverse(self, x: np.ndarray) -> np.ndarray:
        return self._rows("inverse", self.dim, x)

    @property
    def anchor(self) -> np.ndarray:
        return np.frombuffer(self.library.call("anchor_of_layer", handle=self.handle, dim=self.dim))


class WasmSurface:
    name = "wasm"
    takes_samples = False

    def __init__(self) -> None:
        folder = Path(__file__).parents[2] / "build-wasm" / "bin"
        self.library = WasmLibrary(os.environ.get("SOFTRADIAL_WASM", str(folder / "softradial_c.wasm")))

    def set_types(self) -> List[Dict[str, Any]]:
        return json.loads(self.library.call("set_types"))

    def parse_set(self, text: str) -> WasmSet:
        return WasmSet(self.library, text)

    def anchor_of(self, given: WasmSet) -> np.ndarray:
        dim = self.library.call("dim", handle=given.handle)
        return np.frombuffer(self.library.call("anchor_of_set", handle=given.handle, dim=dim))

    def layer(self, name: str, given: WasmSet, **options: Any) -> WasmLayer:
        method = "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")
        words = {"lambda" if word == "lambda_" else word: value for word, value in options.items()}
        return WasmLayer(given, {"method": method, **words})


class TorchLayer:
    """A layer of PyTorch on arrays."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __repr__(self) -> str:
        return repr(self.layer)

    def _on(self, u: Any, data: Dict[str, Any]) -> Any:
        named = {name: values for name, values in data.items() if name in NAMED_DATA}
        others = {name: values for name, values in data.items() if name not in NAMED_DATA}
        return self.layer(u, **named, **({"others": others} if others else {}))

    def on_samples(self, u: np.ndarray, data: Data) -> "tuple[np.ndarray, np.ndarray]":
        """x, and the status of each row. A layer that keeps none says by NaN that a sample has no interior."""
        import torch

        with torch.no_grad():
            x = self._on(torch.from_numpy(u), {name: torch.from_numpy(values) for name, values in data.items()})
        marks = self.layer.status if hasattr(self.layer, "status") else x.isnan().all(-1)
        return np.asarray(x), np.asarray(marks)

    def vjp_on_samples(self, u: np.ndarray, data: Data, g: np.ndarray) -> Data:
        """J'g of u and of every datum, by name."""
        import torch

        inputs = {name: torch.from_numpy(values).clone().requires_grad_() for name, values in {"u": u, **data}.items()}
        given = {name: tensor for name, tensor in inputs.items() if name != "u"}
        found = torch.autograd.grad(self._on(inputs["u"], given), list(inputs.values()), torch.from_numpy(g))
        return {name: np.asarray(gradient) for name, gradient in zip(inputs, found)}

    def jvp_on_samples(self, u: np.ndarray, data: Data, v: np.ndarray,
                       tangents: Data) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
        """x as forward mode has it, its tangent for those of u and of every datum, and the status of each row."""
        import torch
        from torch.autograd import forward_ad

        with forward_ad.dual_level():
            given, moves = tensors_of(data), tensors_of(tangents)
            dual = {name: forward_ad.make_dual(given[name], moves[name]) for name in data}
            x = forward_ad.unpack_dual(self._on(forward_ad.make_dual(torch.from_numpy(u), torch.from_numpy(v)), dual))
            return np.asarray(x.primal), np.asarray(x.tangent), np.asarray(self.layer.status)

    def log_abs_det_on_samples(self, u: np.ndarray, data: Data) -> np.ndarray:
        import torch

        with torch.no_grad():
            return np.asarray(self.layer.log_abs_det(torch.from_numpy(u), tensors_of(data)))

    def inverse_on_samples(self, x: np.ndarray, data: Data) -> np.ndarray:
        import torch

        with torch.no_grad():
            return np.asarray(self.layer.inverse(torch.from_numpy(x), tensors_of(data)))

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


def tensors_of(data: Data) -> Dict[str, Any]:
    import torch

    return {name: torch.from_numpy(values) for name, values in data.items()}


class TorchSurface:
    name = "torch"
    takes_samples = True

    def __init__(self) -> None:
        import softradial
        import torch

        torch.set_num_threads(1)

        self.library = softradial

    def set_types(self) -> List[Dict[str, Any]]:
        import torch

        return json.loads(torch.ops.softradial.set_types())

    def parse_set(self, text: str) -> Any:
        return self.library.parse_set(text)

    def anchor_of(self, given: Any) -> np.ndarray:
        return np.asarray(self.library.SoftRadial(given).anchor.double())

    def layer(self, name: str, given: Any, **options: Any) -> Any:
        return TorchLayer(getattr(self.library, name)(given, **options))


SURFACES: Dict[str, Callable[[], Any]] = {"c": CSurface, "wasm": WasmSurface, "torch": TorchSurface}
