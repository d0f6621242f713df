"""Writes a trained policy as one file for other programs: python3 -m softradial.export, or `softradial export`.

    torchscript   for PyTorch after `import softradial`, and for C++ programs that link the library: the layer is an op of it
    onnx          for onnxruntime and similar programs: only plain operators
"""

import argparse
import importlib.util
import inspect
import io
import json
import os
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from ._numbers import first_line
from .layers import _Radial
from .policies import DispatchPolicy, EqualWeight, Policy, PortfolioPolicy, load_policy

OPSET = 16

# Selects torch's exporter by traces. Newer versions also have one by dynamo, which is their default.
_BY_TRACE = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}

# An exported policy computes in another order than the module: each number of a decision may differ by some roundings.
_ROUNDINGS = 64


class ExportFailure(Exception):
    """The exported model differs from the policy. Nothing is left on the disk."""


@dataclass(frozen=True)
class Interface:
    """The inputs and outputs of an exported policy by name, with an example of each input."""

    inputs: Dict[str, Tensor]
    outputs: Dict[str, Tuple[str, ...]]


class _Decisions(nn.Module):
    """A policy with all its outputs in one call, because an ONNX file has one function."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, *inputs: Tensor) -> Tuple[Tensor, ...]:
        decision = self.policy(*inputs)
        return (decision, self.policy.allocation(*inputs)) if hasattr(self.policy, "allocation") else (decision,)


def interface(policy: Policy, batch: int = 2) -> Interface:
    """The interface of a policy. Examples are made-up prices and demand that vary, so that no feature is constant."""
    columns = len(policy.names)
    if isinstance(policy, PortfolioPolicy):
        steps = torch.arange(batch * policy.days_needed * columns, dtype=torch.float64)
        prices = 100 + 5 * torch.sin(steps).reshape(batch, policy.days_needed, columns)
        return Interface({"prices": prices}, {"weights": ("batch", str(columns))})
    assert isinstance(policy, DispatchPolicy)
    steps = torch.arange(batch * policy.hours_needed * columns, dtype=torch.float64)
    demand = (20 + 15 * torch.sin(steps)).floor().reshape(batch, policy.hours_needed, columns)
    row = torch.arange(batch)
    inputs = {"demand": demand, "hour": (5 * row + 17) % 24, "weekday": (row + 4) % 7}
    return Interface(inputs, {"shares": ("batch", str(columns)), "allocation": ("batch", str(columns))})


def _close(x: Tensor, expected: Tensor) -> bool:
    size = float(expected.abs().max())
    bound = _ROUNDINGS * expected.shape[-1] * torch.finfo(expected.dtype).eps * size
    return x.shape == expected.shape and bool(((x - expected).abs() <= bound).all())


def _check(exported: Any, policy: Policy, what: str) -> None:
    """Compares an exported policy with the original, on other numbers and another batch than those of the trace."""
    inputs = interface(policy, batch=5).inputs.values()
    with torch.no_grad():
        for given, expected in zip(exported(*inputs), _Decisions(policy)(*inputs)):
            if not _close(given, expected):
                raise ExportFailure(f"the {what} does not give the policy's decisions: nothing is written")


def _record(policy: Policy) -> Dict[str, str]:
    """Texts by name that are saved with the numbers."""
    return {
        "names": json.dumps(policy.names),
        "set": policy.set.to_json(),
        "config": json.dumps(policy.config),
    }


def to_torchscript(policy: Policy) -> bytes:
    """The bytes of the file. It was loaded once to check that it gives the policy's decisions."""
    written = io.BytesIO()
    torch.jit.save(torch.jit.script(policy), written, _extra_files=_record(policy))
    written.seek(0)
    _check(_Decisions(torch.jit.load(written)), policy, "TorchScript")
    return written.getvalue()


def to_onnx(policy: Policy) -> bytes:
    """The bytes of the file. The trace from which it is made was checked to give the policy's decisions."""
    if not isinstance(policy.layer, (_Radial, EqualWeight)):
        raise ValueError(
            f"{policy.config['method']} has no form in plain operators: export it as torchscript; soft_radial, hard_radial, "
            "gauge_map and equal_weight have one"
        )
    made, written = interface(policy), io.BytesIO()
    decisions, inputs = _Decisions(policy).eval(), tuple(made.inputs.values())
    with warnings.catch_warnings():
        # Warnings that shapes of the example become constants, which is intended, and that an LSTM's batch size does not.
        warnings.simplefilter("ignore")
        _check(torch.jit.trace(decisions, inputs, check_trace=False), policy, "trace")
        try:
            torch.onnx.export(
                decisions,
                inputs,
                written,
                opset_version=OPSET,
                input_names=list(made.inputs),
                output_names=list(made.outputs),
                dynamic_axes={name: {0: "batch"} for name in [*made.inputs, *made.outputs]},
                **_BY_TRACE,
            )
        except torch.onnx.errors.UnsupportedOperatorError as error:
            raise ValueError(f"{policy.set}: has no form in plain operators: {first_line(error)}") from None
        except torch.onnx.errors.OnnxExporterError as error:
            if importlib.util.find_spec("onnx") is None:
                raise ValueError("this torch writes ONNX files with the Python package onnx: install it") from None
            raise error
    return written.getvalue() + _onnx_metadata(_record(policy))


def _onnx_metadata(texts: Dict[str, str]) -> bytes:
    """The field metadata_props of an ONNX file. Appending a protobuf message to another merges the two."""

    def field(number: int, content: bytes) -> bytes:
        size, length = len(content), b""
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + content

    return b"".join(field(14, field(1, key.encode()) + field(2, text.encode())) for key, text in texts.items())


_FORMATS = {"onnx": to_onnx, "torchscript": to_torchscript}


def export_policy(policy: Policy, path: Union[str, "os.PathLike[str]"], format: str) -> None:
    """Writes the policy to a file, completely or not at all. format: onnx or torchscript."""
    if format not in _FORMATS:
        raise ValueError(f"format: {format!r} is unknown; there are {', '.join(_FORMATS)}")
    if policy.training:
        raise ValueError("the policy is in training mode, with dropout: call policy.eval() first")
    _write(Path(path), _FORMATS[format](policy))


def _write(path: Path, content: bytes) -> None:
    try:
        _replace(path, content)
    except OSError as error:
        # Names the caller's file, not the temporary one beside it.
        raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from None


def _replace(path: Path, content: bytes) -> None:
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp gives access to the owner alone; this gives the usual permissions.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


# --------------------------------------------------------------------------------------------------------- command line


def _summary(policy: Policy, path: str) -> str:
    made = interface(policy)
    ends = policy.names if len(policy.names) < 8 else [*policy.names[:4], "...", policy.names[-1]]
    lines = [f"{path}: {policy.config['method']} on {len(policy.names)} columns: {', '.join(ends)}"]
    for name, example in made.inputs.items():
        shape = ", ".join(["batch", *map(str, example.shape[1:])])
        lines.append(f"  input   {name:<11}{str(example.dtype)[6:]:<9}({shape})")
    for name, axes in made.outputs.items():
        lines.append(f"  output  {name:<11}{'float32':<9}({', '.join(axes)})")
    return "\n".join(lines)


def _tell(text: str) -> None:
    """Prints the text. A closed pipe is no error; a full disk is one."""
    try:
        print(text, flush=True)
    except OSError as error:
        # Otherwise Python would try to write the rest again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, f"cannot be written: {error.strerror}", "stdout") from None


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ValueError(message)


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit code: 0 done, 2 bad usage or bad input, 3 a failure."""
    parser = _Parser(prog="softradial export", description="Write a trained policy as ONNX or TorchScript")
    parser.add_argument("--model", required=True, metavar="PATH", help="folder of a run, or one of its model.safetensors")
    parser.add_argument("--seed", type=int, help="which model of a folder (default: the best one on validation)")
    parser.add_argument("--format", required=True, choices=list(_FORMATS))
    parser.add_argument("--out", required=True, metavar="FILE")
    try:
        flags = parser.parse_args(arguments)
        policy = load_policy(flags.model, flags.seed)
        export_policy(policy, flags.out, flags.format)
        _tell(_summary(policy, flags.out))
        return 0
    except (ValueError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        code, message = 2, _message(error)
    except OSError as error:
        code, message = 3, _message(error)
    except (ExportFailure, MemoryError, RuntimeError) as error:
        code, message = 3, first_line(error) or type(error).__name__
    print("softradial: error: " + " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
