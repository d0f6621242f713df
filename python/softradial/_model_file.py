"""Reads the model file of a policy. Nothing in the file is ever run.

A file has the safetensors layout:

    8 bytes    the length of the header, little-endian
    header     JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__", texts by name
    numbers    the arrays one after the other, without gaps

A policy's metadata are its format, its task, its config (a JSON text) and the SHA-256 of the whole file, taken with the 64
digits of the checksum itself replaced by zeros. Any fault raises a ValueError in one line that names the file.
"""

import hashlib
import json
import math
import os
import re
import stat
from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

import torch
from torch import Tensor

FORMAT = "softradial.policy/1"

# Limits on what is read into memory: policies are far smaller, and parsed JSON takes up to 25 times the size of its text.
_MOST_BYTES = 1 << 30
_MOST_JSON = 1 << 24

_DTYPES = {"F32": torch.float32, "F64": torch.float64}
_MOST_DIGITS = 20  # of a whole number: enough for 64 bits


@dataclass(frozen=True)
class ModelFile:
    task: str
    config: Dict[str, Any]
    tensors: Dict[str, Tensor]
    finished: bool


def read_model_file(path: str) -> ModelFile:
    data = read_bytes(path, _MOST_BYTES)
    try:
        return _model(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_bytes(path: str, most: int = _MOST_JSON) -> bytes:
    """The bytes of a regular file. Pipes and devices are refused, because they could go on for ever."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path}: is no file")
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{path}: has more than {most} bytes")
    return data


def shown(value: Any) -> str:
    """A value of the file as an error message shows it: one line, cut if it is long."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ----------------------------------------------------------------------------------------------------------------- JSON


def parse_json(data: bytes) -> Any:
    """Parses JSON that every reader understands alike: no duplicate keys, no NaN, no number out of range."""
    try:
        return json.loads(
            data.decode(), object_pairs_hook=_object, parse_int=_whole, parse_float=_real, parse_constant=_real
        )
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"the JSON is no UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error}") from None


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{shown(next(name for name in names if names.count(name) > 1))} stands twice in one object")
    return made


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"the number {shown(digits)} is too large")
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {shown(digits)} is not finite")
    return number


# --------------------------------------------------------------------------------------------------------------- layout


def _model(data: bytes) -> ModelFile:
    if len(data) < 8:
        raise ValueError(f"has {len(data)} bytes: no model file")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, _MOST_JSON):
        raise ValueError(f"the header is said to have {length} bytes, the file has {len(data)}")
    header = data[8 : 8 + length]
    entries = parse_json(header)
    if not isinstance(entries, dict):
        raise ValueError("the header is no object")
    metadata = entries.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("has no metadata: no policy of softradial")
    if metadata.get("format") != FORMAT:
        raise ValueError(f"has the format {shown(metadata.get('format'))}, not {FORMAT}")
    _check_sum(data, header, metadata.get("sha256", ""))
    arrays = memoryview(data)[8 + length :]
    places = sorted((_place(name, entry) for name, entry in entries.items()), key=lambda place: place[1:3])
    end = 0
    tensors = {}
    for name, begin, next_end, dtype, shape in places:
        if begin != end or next_end > len(arrays):
            raise ValueError(f"{shown(name)} lies at bytes {begin} to {next_end}, expected at {end} of {len(arrays)}")
        end = next_end
        tensors[name] = _tensor(name, arrays[begin:end], dtype, shape)
    if end != len(arrays):
        raise ValueError(f"has {len(arrays)} bytes of numbers where its arrays take {end}")
    config = parse_json(metadata.get("config", "").encode("utf-8", "surrogatepass"))
    if not isinstance(config, dict):
        raise ValueError("the config is no object")
    return ModelFile(metadata.get("task", ""), config, tensors, metadata.get("finished") != "false")


def _check_sum(data: bytes, header: bytes, digits: str) -> None:
    if not re.fullmatch("[0-9a-f]{64}", digits):
        raise ValueError(f"has no checksum: sha256 is {shown(digits)}")
    if header.count(digits.encode()) != 1:
        raise ValueError("the digits of the checksum do not stand in the header once")
    begin = 8 + header.index(digits.encode())
    found = hashlib.sha256(data[:begin] + b"0" * 64)
    found.update(memoryview(data)[begin + 64 :])
    if found.hexdigest() != digits:
        raise ValueError("the checksum does not fit: the file has changed since it was written")


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _place(name: str, entry: Any) -> Tuple[str, int, int, torch.dtype, List[int]]:
    """name, first byte, byte after the last, type, shape"""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{shown(name)} is no array: {shown(entry)}")
    dtype = _DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise ValueError(f"{shown(name)} has the type {shown(entry['dtype'])}, not F32 or F64")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(shape, list) or len(shape) > 2 or not all(_is_count(size, 1) for size in shape):
        raise ValueError(f"{shown(name)} has the shape {shown(shape)}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(_is_count(place, 0) for place in offsets):
        raise ValueError(f"{shown(name)} has the offsets {shown(offsets)}")
    size = math.prod(shape) * (torch.finfo(dtype).bits // 8)
    if offsets[1] - offsets[0] != size:
        raise ValueError(f"{shown(name)} takes {size} bytes; its offsets are {shown(offsets)}")
    return name, offsets[0], offsets[1], dtype, shape


def _tensor(name: str, numbers: memoryview, dtype: torch.dtype, shape: List[int]) -> Tensor:
    # A copy, so that its memory is aligned and not shared.
    tensor = torch.frombuffer(bytearray(numbers), dtype=dtype)
    finite = torch.isfinite(tensor)
    if not bool(finite.all()):
        place = int(finite.logical_not().nonzero()[0])
        raise ValueError(f"{shown(name)} has {tensor[place].item()} at {place}: not finite")
    return tensor.reshape(shape)
