"""A trained policy where torch is not installed: weights in a file, the network in numpy, limits that always hold.

The file is what a PyTorch model leaves behind, the layer's set, method and anchor included:

    model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4), softradial.SoftRadial(limits))
    np.savez("policy.npz", **{name: value.numpy() for name, value in model.state_dict().items()})

Run without a file, this program writes one with random weights first.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import softradial.numpy as srn


class Policy:
    """Linear, tanh, linear, then the constraint."""

    def __init__(self, path: Path) -> None:
        self.weights = dict(np.load(path))
        self.limits = srn.layer_from_state(self.weights)

    def __call__(self, z: np.ndarray) -> np.ndarray:
        w = self.weights
        hidden = np.tanh(z @ w["0.weight"].T + w["0.bias"])
        return self.limits(hidden @ w["2.weight"].T + w["2.bias"])


def write_random_policy(path: Path) -> None:
    """Four assets: at most 40 % each, at most 60 % in the first two."""
    limits = srn.Intersection(srn.CappedSimplex(4, cap=0.4), srn.Polyhedron(A=[[1, 1, 0, 0]], b=[0.6]))
    layer = srn.SoftRadial(limits, anchor="analytic")
    rng = np.random.default_rng(0)
    shapes = {"0.weight": (16, 3), "0.bias": (16,), "2.weight": (4, 16), "2.bias": (4,)}
    weights = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    np.savez(path, **weights, **{"3._extra_state": np.frombuffer(layer.to_json().encode(), np.uint8)})


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "policy.npz"
        if len(sys.argv) == 1:
            write_random_policy(path)
        policy = Policy(path)
        z = np.random.default_rng(1).standard_normal((10_000, 3)).astype(np.float32) * 100
        x = policy(z)
    print(policy.limits)
    print("first decision:", np.array2string(x[0], precision=4))
    print(f"{len(x)} decisions, largest weight {x.max():.4f}, most in the first two {x[:, :2].sum(axis=1).max():.4f}")
    print("all within their limits:", bool((policy.limits.set.violation(x) == 0).all()))


if __name__ == "__main__":
    main()
