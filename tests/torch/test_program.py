"""op == core: the layer and the `softradial` program give the same numbers.

The program prints 9 digits for floats and 17 for doubles, which name every one of them: what is read back has the same
bits.
"""

import os
import subprocess

import pytest
import torch

from support.inputs import normal
from support.judge import ulp
from support.zoo import METHODS, ZOO

WORDS = {"soft": "soft_radial", "gauge": "gauge_map", "hard": "hard_radial"}
DTYPES = {"f32": torch.float32, "f64": torch.float64}
SOME_METHODS = ["soft_rational", "gauge_exponential", "hard"]


@pytest.fixture(scope="module")
def program():
    path = os.environ.get("SOFTRADIAL_PROGRAM")
    if not path:
        pytest.skip("SOFTRADIAL_PROGRAM does not name the softradial program")
    return path


def to_csv(rows):
    return "".join(",".join(repr(v) for v in row) + "\n" for row in rows.double().tolist())


def from_csv(text, dtype):
    rows = [[float(v) for v in line.split(",")] for line in text.splitlines()]
    return torch.tensor(rows, dtype=torch.float64).to(dtype)


def run_program(*command, rows=None):
    text = None if rows is None else to_csv(rows)
    run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


class Project:
    """`softradial project` for one set, method and precision."""

    def __init__(self, program, folder, case, method, dtype):
        path = folder / "set.json"
        path.write_text(case.set.to_json())
        kind, _, contraction = method.removesuffix("auto").partition("_")
        self.command = [program, "project", "--set", str(path), "--method", WORDS[kind], "--dtype", dtype]
        if contraction:
            self.command += ["--contraction", contraction, "--lambda", "1"]
        self.folder, self.dtype = folder, DTYPES[dtype]

    def __call__(self, rows, *options):
        return from_csv(run_program(*self.command, *options, rows=rows), self.dtype)

    def vjp(self, rows, grads):
        (self.folder / "grads.csv").write_text(to_csv(grads))
        return self(rows, "--vjp", str(self.folder / "grads.csv"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", SOME_METHODS)
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_the_program_and_the_layer_agree(case, method, dtype, program, tmp_path, rng):
    project, layer = Project(program, tmp_path, case, method, dtype), METHODS[method](case.set)
    u = normal((6, case.dim), rng, DTYPES[dtype], scale=2).requires_grad_()
    grad_x = normal(u.shape, rng, DTYPES[dtype])
    x = layer(u)
    assert torch.equal(project(u.detach()), x.detach())
    grad_u = torch.autograd.grad(x, u, grad_x)[0]
    # The layer's backward pass begins at what its forward pass left, rounded: some ulp of the terms.
    bound = 16 * ulp(u.dtype) * grad_x.abs().sum(-1, keepdim=True)
    assert bool(((project.vjp(u.detach(), grad_x) - grad_u).abs() <= bound).all())
    assert torch.equal(project(x.detach(), "--inverse").nan_to_num(), layer.inverse(x.detach()).nan_to_num())
    log_det = layer.log_abs_det(u.detach()).unsqueeze(-1)
    assert torch.equal(project(u.detach(), "--log-det").nan_to_num(), log_det.nan_to_num())


@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_anchors_agree(case, program, tmp_path):
    path = tmp_path / "set.json"
    path.write_text(case.set.to_json())
    printed = from_csv(run_program(program, "anchor", "--set", str(path)), torch.float64)
    assert torch.equal(printed[0], METHODS["soft_rational"](case.set).anchor)


def test_rows_that_are_not_finite(program, tmp_path):
    case = ZOO[0]
    project = Project(program, tmp_path, case, "soft_rational", "f64")
    u = torch.zeros(3, case.dim, dtype=torch.float64)
    u[1, 2] = float("inf")
    assert project(u).isnan().all(-1).tolist() == [False, True, False]
    assert torch.equal(project(u)[[0, 2]], METHODS["soft_rational"](case.set)(u)[[0, 2]])
