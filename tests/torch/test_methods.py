"""The other constraint layers from Python: against cvxopt, against finite differences, in both modes, saved and loaded."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch

import softradial as sr
from support.layers import LAYERS, polyhedron, qp_data, rows_for

cvxopt = pytest.importorskip("cvxopt")
cvxopt.solvers.options.update(show_progress=False, abstol=1e-12, reltol=1e-12, feastol=1e-12)


def solve_qp(Q, p, G, h, A=None, b=None):
    """The oracle: an interior-point method."""
    m = lambda a: cvxopt.matrix(np.asarray(a, dtype=float))
    args = [m(Q), m(p), m(G), m(h)]
    if A is not None:
        args += [m(A), m(b)]
    return np.array(cvxopt.solvers.qp(*args)["x"]).ravel()


@pytest.fixture(params=sorted(LAYERS))
def layer(request):
    return LAYERS[request.param]()


@pytest.mark.parametrize("n, m", [(3, 6), (8, 20), (20, 60)])
def test_orthogonal_projection_is_cvxopts(n, m):
    A, b = polyhedron(n, m, n)
    u = 2 * torch.randn(5, n, generator=torch.Generator().manual_seed(3), dtype=torch.double)
    x = sr.Orthogonal(sr.Polyhedron(A, b))(u)
    for row, result in zip(u, x):
        expected = solve_qp(np.eye(n), -row.numpy(), A.numpy(), b.numpy())
        assert np.abs(result.numpy() - expected).max() < 1e-6


def test_capped_simplex_projection_is_cvxopts():
    n, cap = 12, 0.15
    u = torch.randn(5, n, generator=torch.Generator().manual_seed(4), dtype=torch.double)
    x = sr.Orthogonal(sr.CappedSimplex(n, cap=cap))(u)
    G, h = np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([np.full(n, cap), np.zeros(n)])
    for row, result in zip(u, x):
        expected = solve_qp(np.eye(n), -row.numpy(), G, h, np.ones((1, n)), np.ones(1))
        assert np.abs(result.numpy() - expected).max() < 1e-6


def test_qp_layer_is_cvxopts():
    Q, G, h, A, b, p = qp_data()
    x = sr.QpLayer(Q, G, h, A, b)(p)
    for row, result in zip(p, x):
        expected = solve_qp(Q.numpy(), row.numpy(), G.numpy(), h.numpy(), A.numpy(), b.numpy())
        assert np.abs(result.numpy() - expected).max() < 1e-6


def test_qp_layer_has_gradients_to_all_data():
    Q, G, h, A, b, p = qp_data()
    symmetric = lambda M: (M + M.t()) / 2
    data = [t.clone().requires_grad_() for t in (p, h, b, Q, G, A)]
    run = lambda p, h, b, Q, G, A: torch.ops.softradial.qp(p, h, b, symmetric(Q), G, A)
    assert torch.autograd.gradcheck(run, data, eps=1e-6, atol=1e-6)


def test_a_qp_may_have_no_equalities_and_no_inequalities():
    Q, G, h, A, b, p = qp_data()
    p = p.requires_grad_()
    x = sr.QpLayer(Q, G, h)(p)
    for row, result in zip(p.detach(), x.detach()):
        assert np.abs(result.numpy() - solve_qp(Q.numpy(), row.numpy(), G.numpy(), h.numpy())).max() < 1e-6
    assert torch.autograd.gradcheck(sr.QpLayer(Q, G, h), (p,), eps=1e-6, atol=1e-6)
    free = sr.QpLayer(Q, None, None, A, b)(p)
    assert torch.allclose(free @ A.t(), b.expand(4, -1))


def test_first_derivatives(layer):
    u = rows_for(layer).requires_grad_()
    layer.train()
    assert torch.autograd.gradcheck(layer, (u,), eps=1e-6, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float, torch.double, torch.half, torch.bfloat16])
def test_dtype_shape_and_layout_are_kept(layer, dtype):
    u = rows_for(layer, rows=6, dtype=dtype)
    x = layer(u)
    assert x.dtype == dtype and x.shape == (6, layer.set.dim)
    assert torch.equal(layer(u.reshape(2, 3, -1)).reshape(6, -1), x)
    assert torch.equal(layer(u.repeat_interleave(2, 0)[::2]), x)
    assert layer(u[:0]).shape == (0, layer.set.dim)
    assert torch.equal(layer(u[0]), x[0])


def test_evaluation_is_feasible(layer):
    if isinstance(layer, sr.SoftPenalty):
        pytest.skip("a penalty enforces nothing")
    layer.eval()
    with torch.no_grad():
        x = layer(rows_for(layer, rows=50, scale=5.0))
    assert layer.set.violation(x).max() <= 1e-10


def test_training_of_dc3_and_hardnet_has_no_exact_projection():
    set = sr.CappedSimplex(6, cap=0.3)
    u = 3 * torch.randn(20, 6, generator=torch.Generator().manual_seed(6), dtype=torch.double)
    for layer in (sr.Dc3(set, steps=1, learning_rate=0.01), sr.HardNet(set, steps=1)):
        assert set.violation(layer.train()(u)).max() > 1e-3
        assert set.violation(layer.eval()(u)).max() <= 1e-12
        with pytest.raises(RuntimeError, match="use training mode"):
            layer.eval()(u.clone().requires_grad_())


def test_a_soft_penalty_can_be_trained():
    set = sr.CappedSimplex(4, cap=0.4)
    layer = sr.SoftPenalty(set)
    u = torch.tensor([[2.0, -1.0, 0.3, 0.1]], dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: layer.penalty(layer(v)), (u,))
    optimizer = torch.optim.SGD([u], lr=0.1)
    for _ in range(200):
        optimizer.zero_grad()
        layer.penalty(layer(u)).sum().backward()
        optimizer.step()
    assert set.violation(u.detach()).max() < 1e-3


def test_a_nan_row_spoils_itself_only(layer):
    u = rows_for(layer, rows=3)
    good = layer(u)
    u[1, 0] = float("nan")
    x = layer(u)
    assert torch.allclose(x[0], good[0]) and torch.allclose(x[2], good[2])


def test_saved_and_loaded_layers_are_the_same(layer):
    u = rows_for(layer)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other(u), layer(u))
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(layer), buffer)
    buffer.seek(0)
    assert torch.equal(torch.jit.load(buffer)(u), layer(u))


def test_hardnet_aff_takes_bounds_of_each_sample():
    layer = sr.HardNetAff(sr.Polyhedron(torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]), torch.tensor([1.0, 0.5])))
    u = torch.randn(4, 3, dtype=torch.double)
    upper = torch.rand(4, 2, dtype=torch.double, requires_grad=True)
    x = layer(u, upper=upper)
    assert ((x @ layer.rows.t() - upper) <= 1e-12).all()
    assert torch.autograd.gradcheck(lambda t: layer(u, upper=t), (upper,))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: sr.Softmax(sr.CappedSimplex(3, cap=0.5)), "softmax supports simplices"),
        (lambda: sr.Dc3(sr.Ball(torch.zeros(2), 1.0)), "dc3 supports sets of linear constraints"),
        (lambda: sr.HardNetAff(sr.CappedSimplex(3, cap=0.5)), "independent rows"),
        (lambda: sr.ConstraintLayer(sr.Simplex(3), "softmux"), "'softmux' is unknown"),
        (lambda: sr.ConstraintLayer(sr.Simplex(3), "softmax", steps=3), "has no option 'steps'"),
        (lambda: sr.Dc3(sr.Simplex(3), momentum=1.5), "momentum"),
        (lambda: sr.QpLayer([[-1.0]], [[1.0]], [1.0])(torch.zeros(1, 1)), "not positive definite"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_wrong_width_is_said(layer):
    with pytest.raises(ValueError, match=f"^u: the last dimension must be {layer.input_dim}, got shape"):
        layer(torch.zeros(2, layer.input_dim + 1))


def test_repr_reads_well():
    assert "dc3, steps=3" in repr(sr.Dc3(sr.Simplex(3), steps=3))
