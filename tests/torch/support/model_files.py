"""Writes model files and folders of runs as docs/runs.md describes them, for what no training leaves behind."""

import hashlib
import json
import struct

import torch

CODES = {torch.float32: "F32", torch.float64: "F64"}


def layout(tensors):
    """Header entries and bytes of the arrays, one after the other."""
    entries, arrays = {}, b""
    for name, tensor in tensors.items():
        content = tensor.contiguous().numpy().tobytes()
        entries[name] = {
            "dtype": CODES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(arrays), len(arrays) + len(content)],
        }
        arrays += content
    return entries, arrays


def metadata_of(config):
    return {"format": "softradial.policy/1", "sha256": "0" * 64, "task": config["task"], "config": json.dumps(config)}


def sealed(header, arrays):
    """The file of a header, whose sha256 is 64 zeros, with the checksum put in."""
    whole = struct.pack("<Q", len(header)) + header + arrays
    digits = hashlib.sha256(whole).hexdigest().encode()
    return whole.replace(b'"sha256": "' + b"0" * 64, b'"sha256": "' + digits, 1)


def model_file(config, tensors):
    entries, arrays = layout(tensors)
    return sealed(json.dumps({"__metadata__": metadata_of(config), **entries}).encode(), arrays)


def _draw(shapes, rng):
    return {name: 0.4 * torch.randn(shape, generator=rng) for name, shape in shapes.items()}


def _statistics(mean, scale, columns, rng):
    draw = torch.rand(2, columns, generator=rng, dtype=torch.float64)
    return {"features.mean": mean * (draw[0] - 0.5), "features.scale": scale * (0.5 + draw[1])}


def portfolio(rng, set, method="soft_radial", outputs=None, lookback=3, hidden=4, **config):
    """Config and arrays of a policy that nobody has trained."""
    assets = set["dim"] if "dim" in set else config.pop("dim")
    outputs = outputs or assets
    shapes = {
        "lstm.weight_ih": (4 * hidden, 3 * assets),
        "lstm.weight_hh": (4 * hidden, hidden),
        "lstm.bias_ih": (4 * hidden,),
        "lstm.bias_hh": (4 * hidden,),
        "linear.weight": (outputs, hidden),
        "linear.bias": (outputs,),
    }
    config = {
        "task": "portfolio", "method": method, "method_options": {}, "lookback": lookback, "hidden": hidden, "dropout": 0.1,
        "names": [f"A{k}" for k in range(assets)], "set": set, **config,
    }
    return config, {**_draw(shapes, rng), **_statistics(0.01, 0.01, 3 * assets, rng)}


def dispatch(rng, set, method="soft_radial", history=4, hidden=5, **config):
    zones = set["dim"]
    shapes = {
        "linear0.weight": (hidden, history * zones + 4),
        "linear0.bias": (hidden,),
        "linear1.weight": (hidden, hidden),
        "linear1.bias": (hidden,),
        "linear2.weight": (zones, hidden),
        "linear2.bias": (zones,),
    }
    config = {
        "task": "dispatch", "method": method, "method_options": {}, "history": history, "hidden": hidden, "dropout": 0.1,
        "names": [f"Z{k}" for k in range(zones)], "set": set, **config,
    }
    return config, {**_draw(shapes, rng), **_statistics(10, 10, zones, rng)}


def write_run(folder, models, best_seed):
    """A run's folder: models by seed, as (config, tensors)."""
    config = next(iter(models.values()))[0]
    manifest = {
        "schema": "softradial.run/1", "task": config["task"], "config": config, "names": config["names"],
        "set": config["set"], "seeds": list(models), "best_seed": best_seed,
    }
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for seed, model in models.items():
        (folder / f"seed-{seed}").mkdir()
        (folder / f"seed-{seed}" / "model.safetensors").write_bytes(model_file(*model))
    return folder
