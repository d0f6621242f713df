"""Numbers, lists and arrays are taken wherever a tensor is, and give what the tensor gives."""

import numpy
import pytest
import torch

import softradial as sr
from support.inputs import normal
from support.samples import CALLS
from support.zoo import METHODS, ZOO, soft_layer

# How numbers are written, and the precision in which the library reads them.
FORMS = {
    "list": (lambda tensor: tensor.tolist(), torch.float64),
    "list of tensors": (lambda tensor: list(tensor), torch.float64),
    "tuple": (lambda tensor: tuple(tensor.tolist()), torch.float64),
    "array": (lambda tensor: tensor.numpy(), torch.float64),
    "array of float32": (lambda tensor: tensor.float().numpy(), torch.float32),
    "read-only array": (lambda tensor: numpy.frombuffer(tensor.numpy().tobytes()).reshape(tensor.shape), torch.float64),
    "reversed array": (lambda tensor: tensor.flip(0).numpy()[::-1], torch.float64),
    "list of arrays": (lambda tensor: [row.numpy() for row in tensor], torch.float64),
}
every_form = pytest.mark.parametrize("form", FORMS)

pytestmark = pytest.mark.filterwarnings("error")


@every_form
@pytest.mark.parametrize("method", METHODS)
def test_calls(method, form, rng):
    write, dtype = FORMS[form]
    layer, u = METHODS[method](sr.CappedSimplex(4, 0.5)), normal((5, 4), rng, scale=2)
    x = layer(write(u))
    assert x.dtype == dtype and torch.equal(x, layer(u.to(dtype)))
    assert torch.equal(layer.inverse(write(x.double())).nan_to_num(), layer.inverse(x).nan_to_num())
    assert torch.equal(layer.log_abs_det(write(u)), layer.log_abs_det(u.to(dtype)))


@pytest.mark.parametrize("make", [sr.Orthogonal, sr.Dc3, sr.HardNet, sr.Rayen, sr.SoftPenalty, sr.Hop, sr.RayScalar])
@every_form
def test_the_other_layers(make, form, rng):
    write, dtype = FORMS[form]
    layer = make(sr.CappedSimplex(4, 0.5))
    u = normal((5, layer.input_dim), rng)
    assert torch.equal(layer(write(u)), layer(u.to(dtype)))


@pytest.mark.parametrize("form", ["list", "array", "array of float32", "list of tensors"])
@pytest.mark.parametrize("which", CALLS)
def test_data_of_samples(which, form, rng):
    write, dtype = FORMS[form]
    layer, u, data = sr.SoftRadial(CALLS[which].set), normal((5, 4), rng, scale=2), CALLS[which].draw(5, rng)
    given = {name: write(values) for name, values in data.items()}
    rounded = {name: values.to(dtype) for name, values in data.items()}
    assert torch.equal(layer(u, **given), layer(u, **rounded))
    assert torch.equal(layer(u.numpy(), **given), layer(u, **rounded))


def test_numbers_for_all_samples(rng):
    layer, u = sr.SoftRadial(sr.CappedSimplex(4, 0.5)), normal((5, 4), rng)
    assert torch.equal(layer(u, cap=0.4, sum=1), layer(u, cap=torch.tensor(0.4, dtype=torch.float64), sum=torch.ones(())))
    ball = lambda radius: sr.SoftRadial(sr.Ball([0] * 4, radius), lambda_=1.0)
    assert torch.allclose(ball(1)(u, radius=2), ball(2)(u))


@every_form
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_sets(case, form):
    write, dtype = FORMS[form]
    anchor = soft_layer(case).anchor
    x = torch.stack([anchor, anchor + 1])
    assert torch.equal(case.set.violation(write(x)), case.set.violation(x.to(dtype)))
    if form != "list of arrays" and dtype == torch.float64:
        assert torch.equal(sr.SoftRadial(case.set, anchor=write(anchor)).anchor, anchor)
        assert torch.equal(case.set.with_anchor(write(anchor)).anchor, anchor)


def test_whole_numbers_in_a_list_are_numbers():
    """A list has no type that a result could keep."""
    layer = sr.SoftRadial(sr.Simplex(3))
    assert torch.equal(layer([1, 0, 2]), layer(torch.tensor([1.0, 0, 2], dtype=torch.float64)))


def test_distributions():
    layer = sr.SoftRadial(sr.Ball([0.0] * 3, 1))
    policy = sr.distributions.ConstrainedNormal(layer, [[0.1, 0.2, 0.3]], [0.5])
    twin = sr.distributions.ConstrainedNormal(layer, torch.tensor([[0.1, 0.2, 0.3]], dtype=torch.float64), 0.5)
    assert torch.equal(policy.log_prob([0.1, 0.0, 0.0]), twin.log_prob(torch.tensor([0.1, 0, 0], dtype=torch.float64)))


def test_centers():
    square = [[1.0, 0], [0, 1], [-1, 0], [0, -1]]
    points, status = sr.analytic_center(square, numpy.ones(4))
    assert status.item() == 0 and points.abs().max() < 1e-12


def test_quadratic_programmes():
    layer = sr.QpLayer(numpy.eye(2), [[1.0, 1.0]], [1.0])
    assert torch.equal(layer([-1.0, -2.0]), layer(torch.tensor([-1.0, -2.0], dtype=torch.float64)))
    assert torch.equal(layer(numpy.array([-1.0, -2.0]), h=[0.5]), layer([-1.0, -2.0], h=torch.tensor([0.5])))
