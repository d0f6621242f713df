#!/usr/bin/python3
"""How well does one network learn through our layers and through those of other packages? The same draws, budget and seed.

    benchmarks/peers.py --install ~/.cache/softradial/peers    once: a venv with the peers from PyPI (torch is the machine's)
    benchmarks/peers.py [--tasks linear,quadratic,dc3,mpc] [--layers NAME,...] [--epochs N] [--seed N] [--markdown]

Tasks (docs/benchmarks.md): linear, quadratic: a capped simplex of 20 weights; dc3: DC3's quadratic programme, 100 variables,
50 equalities with the right-hand side z; mpc: Pinet's toy control problem. Layers: ours by their names in Python
(soft_radial, gauge_map, soft_orthogonal, mirror, orthogonal, dc3, hardnet), and qpth, cvxpylayers, rayen, pinet. A layer
that cannot be imported or does not take a task is left out, and a line on stderr says why. The softradial package must be
importable (PYTHONPATH=build/python).
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

# In groups that pip installs together. Packages that require another torch are installed without their dependencies: they
# use the machine's torch, 1.13 or later, and a numpy that fits it.
PEERS = [
    ["numpy<2", "cvxpy", "diffcp", "jax", "equinox", "jaxtyping", "beartype", "colorama", "tqdm", "setuptools"],
    ["--no-deps", "cvxpylayers==0.1.9"],
    ["--no-deps", "--no-build-isolation", "qpth"],
    ["--no-deps", "pinet-hcnn"],
    ["--no-deps", "rayen", "pycddlib<3"],
]
OURS = ["soft_radial", "gauge_map", "soft_orthogonal", "mirror", "orthogonal", "dc3", "hardnet"]
THEIRS = ["qpth", "cvxpylayers", "rayen", "pinet"]
TASKS = ["linear", "quadratic", "dc3", "mpc"]


def install(folder: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
    for words in PEERS:
        if subprocess.run([os.path.join(folder, "bin", "pip"), "install", "--quiet", *words]).returncode != 0:
            print("not installed: " + " ".join(word for word in words if not word.startswith("-")), file=sys.stderr)
    print(f"run it with {folder}/bin/python {sys.argv[0]}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", metavar="DIR", help="make a venv with the peers and end")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--layers", default=",".join(OURS + THEIRS))
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--json", action="store_true", help="one line for each layer and task")
    arguments = parser.parse_args()
    for chosen, known in ((arguments.tasks, TASKS), (arguments.layers, OURS + THEIRS)):
        for word in chosen.split(","):
            if word not in known:
                parser.error(f"{word} is none of {', '.join(known)}")
    if arguments.epochs < 1:
        parser.error("--epochs must be at least 1")
    return arguments


ARGUMENTS = parsed() if __name__ == "__main__" else argparse.Namespace(install=None)
if ARGUMENTS.install:
    install(ARGUMENTS.install)
    sys.exit(0)

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

import softradial as sr  # noqa: E402

Layer = Callable[[Tensor, Optional[Tensor], Optional[Tensor]], Tensor]  # u, f, anchors -> x


@dataclass
class Task:
    """G x <= h, E x = f, with f (rows, k) and anchors for each sample if there are any."""

    name: str
    G: np.ndarray
    h: np.ndarray
    E: np.ndarray
    f: np.ndarray
    hidden: int
    rate: float
    batches: int
    set: Any
    z: Tensor
    test: slice
    right: Optional[Tensor]
    anchors: Optional[Tensor]
    loss: Callable[[Tensor, Tensor], Tensor]  # x, rows of the samples -> (rows)
    gap: Callable[[Tensor], float]


def simplex_task(name: str, seed: int) -> Task:
    n, cap, features = 20, 0.15, 10
    chance = torch.Generator().manual_seed(seed)
    first = torch.randn(features, 32, generator=chance) * 1.5 / math.sqrt(features)
    second = torch.randn(32, n, generator=chance) * 1.5 / math.sqrt(32)
    z = torch.randn(5000, features, generator=chance)
    truth = torch.tanh(z @ first) @ second
    seen = truth + torch.randn(5000, n, generator=chance)
    test = slice(4000, 5000)
    s = sr.CappedSimplex(n, cap=cap)

    def target(costs: Tensor) -> Tensor:
        return 1 / n + 0.1 * (costs - costs.mean(-1, keepdim=True))

    if name == "linear":
        best_first = truth[test].sort(-1, descending=True)[0]
        k = int(1 / cap)
        best = (cap * best_first[:, :k].sum(-1) + (1 - k * cap) * best_first[:, k]).mean()
        base = truth[test].mean()

        def loss(x: Tensor, rows: Tensor) -> Tensor:
            return -(seen[rows] * x).sum(-1)

        def gap(x: Tensor) -> float:
            return float((best - (truth[test] * x).sum(-1).mean()) / (best - base))
    else:
        wanted = target(truth[test])
        optimum = sr.Orthogonal(s)(wanted)
        best = (optimum - wanted).square().sum(-1).mean()
        base = (1 / n - wanted).square().sum(-1).mean()

        def loss(x: Tensor, rows: Tensor) -> Tensor:
            return n * (x - target(seen[rows])).square().sum(-1)

        def gap(x: Tensor) -> float:
            return float(((x - wanted).square().sum(-1).mean() - best) / (base - best))

    G = np.vstack((np.eye(n), -np.eye(n)))
    h = np.concatenate((np.full(n, cap), np.zeros(n)))
    return Task(name, G, h, np.ones((1, n)), np.ones(1), 64, 3e-3, 100, s, z, test, None, None, loss, gap)


def programme_task(name: str, seed: int) -> Task:
    chance = np.random.default_rng(seed)
    samples, tested = 4096, 512
    if name == "dc3":
        n, k = 100, 50
        q, p = chance.random(n), chance.random(n)
        E, G = chance.normal(size=(k, n)), chance.normal(size=(k, n))
        z = right = chance.uniform(-1, 1, (samples, k))
        inverse = np.linalg.pinv(E)
        h, anchors = np.abs(G @ inverse).sum(1), z @ inverse.T
    else:
        steps, k = 20, 42
        n = k + 2 * steps
        E = np.zeros((k, n))
        E[:, :k] = np.eye(k) - np.eye(k, k=-2)
        E[2:, k:] = np.eye(2 * steps)
        G = np.vstack((np.eye(n), -np.eye(n)))
        h = np.tile(np.concatenate((np.full(k, 10.0), np.ones(2 * steps))), 2)
        aim = np.concatenate((np.tile([3.0, -12.0], steps + 1), np.zeros(2 * steps)))
        q, p = np.full(n, 2.0), -2 * aim
        z = chance.uniform(-9.99, 9.99, (samples, 2))
        right = np.hstack((z, np.zeros((samples, k - 2))))
        anchors = np.hstack((np.tile(z, steps + 1), np.zeros((samples, 2 * steps))))
    test = slice(samples - tested, samples)
    quadratic, slope = torch.tensor(q), torch.tensor(p)
    constant = float(p @ p) / 4 if name == "mpc" else 0.0

    def objective(x: Tensor) -> Tensor:
        wide = x.double()
        return (quadratic * wide * wide / 2 + slope * wide).sum(-1) + constant

    programme = sr.QpLayer(np.diag(q), G, h, E, right[0])
    optimum = programme(slope.expand(tested, n), b=torch.tensor(right[test]))
    best = objective(optimum).mean()

    def gap(x: Tensor) -> float:
        return float((objective(x).mean() - best) / best.abs())

    s = sr.Polyhedron(G, h, E, np.zeros(k))
    return Task(name, G, h, E, right[0], 200, 1e-3, 20, s, torch.tensor(z).float(), test, torch.tensor(right).float(),
                torch.tensor(anchors).float(), lambda x, rows: objective(x), gap)


# ---------------------------------------------------------------------------------------------------------------- layers


def ours(name: str, task: Task) -> Layer:
    title = {"dc3": "Dc3", "hardnet": "HardNet"}.get(name, "".join(word.capitalize() for word in name.split("_")))
    if task.right is None:
        fixed = getattr(sr, title)(task.set)
        return lambda u, f, anchors: fixed.train(torch.is_grad_enabled())(u)
    sampled = getattr(sr, title)(task.set)
    if name in ("soft_radial", "gauge_map", "soft_orthogonal"):
        return lambda u, f, anchors: sampled(u, f=f, anchor=anchors)
    if name == "orthogonal":
        return lambda u, f, anchors: sampled(u, f=f)
    raise NotImplementedError("takes no right-hand sides of samples")


def right_hand_side(task: Task, u: Tensor, f: Optional[Tensor]) -> Tensor:
    return torch.tensor(task.f).expand(len(u), -1) if f is None else f.double()


def qpth(task: Task) -> Layer:
    from qpth.qp import QPFunction

    G, h, E, unit = (torch.tensor(data) for data in (task.G, task.h, task.E, np.eye(task.G.shape[1])))

    def layer(u: Tensor, f: Optional[Tensor], anchors: Optional[Tensor]) -> Tensor:
        return QPFunction(verbose=-1)(unit, -u.double(), G, h, E, right_hand_side(task, u, f)).float()

    return layer


def cvxpylayers(task: Task) -> Layer:
    import cvxpy as cp
    from cvxpylayers.torch import CvxpyLayer

    x, u_parameter, f_parameter = cp.Variable(task.G.shape[1]), cp.Parameter(task.G.shape[1]), cp.Parameter(len(task.f))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - u_parameter)), [task.G @ x <= task.h, task.E @ x == f_parameter])
    solver = CvxpyLayer(problem, parameters=[u_parameter, f_parameter], variables=[x])

    def layer(u: Tensor, f: Optional[Tensor], anchors: Optional[Tensor]) -> Tensor:
        jobs = {"n_jobs_forward": 1, **({"n_jobs_backward": 1} if torch.is_grad_enabled() else {})}
        return solver(u.double(), right_hand_side(task, u, f), solver_args=jobs)[0].float()

    return layer


def rayen(task: Task) -> Layer:
    if task.right is not None:
        raise NotImplementedError("takes no right-hand sides of samples")
    from rayen import constraint_module, constraints

    linear = constraints.LinearConstraint(task.G, task.h[:, None], task.E, task.f[:, None])
    module = constraint_module.ConstraintModule(constraints.ConvexConstraints(linear, [], [], None), create_map=False)

    def layer(u: Tensor, f: Optional[Tensor], anchors: Optional[Tensor]) -> Tensor:
        return module(u[:, : module.n, None].to(module.A_p.dtype))[:, :, 0].float()

    return layer


def pinet(task: Task, steps: int = 50) -> Layer:
    import jax
    from pinet import (AffineInequalityConstraint, EqualityConstraint, EqualityConstraintsSpecification, Project,
                       ProjectionInstance)

    jax.config.update("jax_enable_x64", True)
    equalities = EqualityConstraint(task.E[None], task.f[None, :, None], method=None, var_b=True)
    below = AffineInequalityConstraint(task.G[None], np.full((1, len(task.h), 1), -1e9), task.h[None, :, None])
    project = Project(eq_constraint=equalities, ineq_constraint=below)

    def call(u: Any, f: Any) -> Any:
        point = ProjectionInstance(x=u[..., None], eq=EqualityConstraintsSpecification(b=f[..., None]))
        return project.call(y_raw=point, n_iter=steps, n_iter_bwd=100, fpi=True)[0].x[..., 0]

    forward = jax.jit(call)
    backward = jax.jit(lambda u, f, g: jax.vjp(lambda v: call(v, f), u)[1](g)[0])

    class Bridge(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, u: Tensor, f: Tensor) -> Tensor:  # type: ignore[override]
            context.save_for_backward(u, f)
            return torch.tensor(np.asarray(forward(u.detach().numpy(), f.numpy())))

        @staticmethod
        def backward(context: Any, g: Tensor) -> Any:  # type: ignore[override]
            u, f = context.saved_tensors
            return torch.tensor(np.asarray(backward(u.detach().numpy(), f.numpy(), g.numpy()))), None

    def layer(u: Tensor, f: Optional[Tensor], anchors: Optional[Tensor]) -> Tensor:
        return Bridge.apply(u.double(), right_hand_side(task, u, f)).float()

    return layer


PEER_LAYERS: Dict[str, Callable[[Task], Layer]] = {
    "qpth": qpth, "cvxpylayers": cvxpylayers, "rayen": rayen, "pinet": pinet}


# -------------------------------------------------------------------------------------------------------------- training


def learn(task: Task, layer: Layer, epochs: int, seed: int) -> Dict[str, float]:
    torch.manual_seed(seed)
    width = task.G.shape[1]
    net = nn.Sequential(nn.Linear(task.z.shape[1], task.hidden), nn.ReLU(), nn.Linear(task.hidden, task.hidden), nn.ReLU(),
                        nn.Linear(task.hidden, width))
    adam = torch.optim.Adam(net.parameters(), task.rate)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(adam, epochs * task.batches)

    def decide(rows: Any) -> Tensor:
        chosen = [None if data is None else data[rows] for data in (task.right, task.anchors)]
        return layer(net(task.z[rows]), *chosen)

    begin = time.perf_counter()
    for _ in range(epochs * task.batches):
        rows = torch.randint(0, task.test.start, (128,))
        loss = task.loss(decide(rows), rows).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        plan.step()
    seconds = (time.perf_counter() - begin) / epochs
    with torch.no_grad():
        x = decide(task.test)
    over = (x.double() @ torch.tensor(task.G).T - torch.tensor(task.h)).max(1)[0]
    f = right_hand_side(task, x, None if task.right is None else task.right[task.test])
    off = (x.double() @ torch.tensor(task.E).T - f).abs().max()
    return {"gap": task.gap(x), "violating": int((over > 0).sum()), "rows": len(x), "worst": max(float(over.max()), 0.0),
            "equality": float(off), "seconds": seconds}


def table(rows: List[List[str]], markdown: bool) -> str:
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0])] + lines[1:])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main() -> None:
    torch.set_num_threads(1)
    rows = [["task", "layer", "gap", "rows violating", "worst", "equalities", "s/epoch"]]
    for task_name in ARGUMENTS.tasks.split(","):
        make = simplex_task if task_name in ("linear", "quadratic") else programme_task
        task = make(task_name, 1)
        for name in ARGUMENTS.layers.split(","):
            try:
                layer = PEER_LAYERS[name](task) if name in PEER_LAYERS else ours(name, task)
                found = learn(task, layer, ARGUMENTS.epochs, ARGUMENTS.seed)
            except Exception as error:  # whatever another package raises: its row is left out, and the others are not
                print(f"{task_name}, {name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
                continue
            if ARGUMENTS.json:
                print(json.dumps({"task": task_name, "layer": name, **found}), flush=True)
            rows.append([task_name, name, f"{found['gap']:.4f}", f"{found['violating']} of {found['rows']}",
                         f"{found['worst']:.0e}", f"{found['equality']:.0e}", f"{found['seconds']:.2f}"])
    if not ARGUMENTS.json:
        print(table(rows, ARGUMENTS.markdown))


if __name__ == "__main__":
    main()
