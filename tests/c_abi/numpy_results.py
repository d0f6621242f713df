"""What softradial.numpy makes of the cases in FOLDER: numpy_results.py FOLDER. Run by test_numpy.py without torch."""

import json
import sys
from pathlib import Path

import numpy as np

import softradial.numpy as srn

folder = Path(sys.argv[1])
given = np.load(folder / "given.npz")
results = {}
for number, case in enumerate(json.loads((folder / "cases.json").read_text())):
    set = srn.parse_set(case["set"])
    layer = getattr(srn, case["class"])(set, **case["options"])
    restored = srn.layer_from_state(given[f"{number}.state"])
    for dtype in ("float32", "float64"):
        u, grad_x = given[f"{number}.u.{dtype}"], given[f"{number}.grad_x.{dtype}"]
        x = layer(u, training=case["training"])
        results[f"{number}.x.{dtype}"] = x
        results[f"{number}.restored.{dtype}"] = restored(u, training=case["training"])
        results[f"{number}.violation.{dtype}"] = set.violation(x)
        if case["training"]:
            results[f"{number}.grad_u.{dtype}"] = layer.vjp(u, grad_x)
        if case["inverse"]:
            results[f"{number}.inverse.{dtype}"] = layer.inverse(x)
            results[f"{number}.log_abs_det.{dtype}"] = layer.log_abs_det(u)
    if case["map"]:
        results[f"{number}.anchor"] = layer.anchor
np.savez(folder / "results.npz", **results)
