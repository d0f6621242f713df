"""What the tests of compiled and exported models share."""

import importlib.util
import os
import shutil

import pytest
import torch
from torch import nn

import softradial as sr
from softradial import _compiled

with_compiler_of_graphs = pytest.mark.skipif(
    not _compiled.AVAILABLE, reason=f"torch.compile is tested with torch 2.1 and later, this is {torch.__version__}"
)
needs_compiler = pytest.mark.skipif(
    shutil.which(os.environ.get("CXX", "g++")) is None or importlib.util.find_spec("setuptools") is None,
    reason="inductor needs a C++ compiler and setuptools",
)


@pytest.fixture(autouse=True)
def fresh_compiler():
    if _compiled.AVAILABLE:
        torch._dynamo.reset()


def capped(n=6, cap=0.4):
    return sr.CappedSimplex(n, cap=cap)


def small_polyhedron(dim=4):
    A = torch.cat([torch.eye(dim), -torch.eye(dim), torch.ones(1, dim)]).double()
    return sr.Polyhedron(A, torch.linspace(0.5, 1.5, 2 * dim + 1, dtype=torch.float64))


OTHERS = {
    "soft_orthogonal": lambda: sr.SoftOrthogonal(sr.CappedSimplex(5, cap=0.4), kappa=0.1),
    "mirror": lambda: sr.Mirror(sr.CappedSimplex(5, cap=0.4), temperature=0.5),
    "softmax": lambda: sr.Softmax(sr.Simplex(5), temperature=0.5),
    "orthogonal": lambda: sr.Orthogonal(capped()),
    "dc3": lambda: sr.Dc3(capped(), steps=3, learning_rate=0.05),
    "hardnet": lambda: sr.HardNet(capped()),
    "hardnet_aff": lambda: sr.HardNetAff(sr.Box([-1.0, 0.0], [1.0, 2.0])),
    "hardnet_cvx": lambda: sr.HardNetCvx(small_polyhedron()),
    "rayen": lambda: sr.Rayen(sr.Ball(torch.zeros(3), 1.0)),
    "ray_scalar": lambda: sr.RayScalar(capped()),
    "hop": lambda: sr.Hop(capped()),
    "hp": lambda: sr.Hp(capped(), training_steps=20, hidden=8),
    "soft_penalty": lambda: sr.SoftPenalty(sr.Ball(torch.zeros(3), 1.0)),
}


def value_and_gradients(function, *tensors):
    """The value, and the gradients of a sum with fixed weights: 0 to what it does not depend on."""
    tensors = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    value = function(*tensors)
    weights = torch.linspace(-1, 2, value.numel(), dtype=value.dtype).reshape(value.shape)
    grads = torch.autograd.grad((value * weights).sum(), tensors, allow_unused=True)
    return (value, *[torch.zeros_like(t) if grad is None else grad for t, grad in zip(tensors, grads)])


def same(one, other, **tolerance):
    torch.testing.assert_close(one, other, equal_nan=True, **(tolerance or {"rtol": 0, "atol": 0}))


def compiled_as_called(function, *tensors, backend="aot_eager", **tolerance):
    """One graph, the same values and gradients."""
    graph = torch.compile(function, backend=backend, fullgraph=True)
    same(value_and_gradients(graph, *tensors), value_and_gradients(function, *tensors), **tolerance)


def linear_model(layer, inputs=3, width=None):
    torch.manual_seed(0)
    width = width or layer.set.dim
    return nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Linear(8, width), layer)
