"""The same bits from every thread and for every number of threads; no memory that grows with the number of calls."""

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import softradial as sr
from support.case import DIM
from support.inputs import normal, uniform
from support.samples import CALLS, CLOSED_CALLS
from support.sets.rows import BOUNDS, ROWS
from support.zoo import ZOO, soft_layer

THREADS = 8


def bits_of(layer, u, grad_x, **data):
    """x and the gradients of u and of the data."""
    inputs = [u.detach().requires_grad_(), *(values.detach().requires_grad_() for values in data.values())]
    x = layer(inputs[0], **dict(zip(data, inputs[1:])))
    return [x.detach(), *torch.autograd.grad(x, inputs, grad_x)]


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one, other))


def from_threads(work):
    """The results of THREADS threads that begin together; what one of them raises is raised here."""
    together = threading.Barrier(THREADS)

    def run(i):
        together.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_one_layer_in_many_threads(case, dtype, rng):
    """Each thread works on rows of its own, several times; a fresh layer, so that its first use is shared, too."""
    shape = (50, case.dim)
    batches = [(normal(shape, rng, dtype, scale=3), normal(shape, rng, dtype)) for _ in range(THREADS)]
    expected = [bits_of(soft_layer(case), *batch) for batch in batches]
    layer = sr.SoftRadial(case.set, lambda_=1.0)
    repeated = from_threads(lambda i: [bits_of(layer, *batches[i]) for _ in range(3)])
    assert all(same(found, expected[i]) for i in range(THREADS) for found in repeated[i])


@pytest.mark.parametrize("which", CALLS)
def test_samples_in_many_threads(which, rng):
    layer = sr.SoftRadial(CALLS[which].set, anchor_gradient=True)
    u, grad_x = normal((40, DIM), rng, scale=3), normal((40, DIM), rng)
    data = CALLS[which].draw(len(u), rng)
    expected = bits_of(layer, u, grad_x, **data)
    assert all(same(found, expected) for found in from_threads(lambda i: bits_of(layer, u, grad_x, **data)))


def with_threads(count, work):
    torch.set_num_threads(count)
    try:
        return work()
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("case", ZOO, ids=repr)
def test_the_number_of_threads_changes_no_bit(case, dtype, rng):
    rows = 40000 // case.dim
    u, grad_x = normal((rows, case.dim), rng, dtype, scale=3), normal((rows, case.dim), rng, dtype)
    work = lambda: bits_of(soft_layer(case), u, grad_x)
    assert same(with_threads(1, work), with_threads(2, work))


@pytest.mark.parametrize("which", [name for name, call in CLOSED_CALLS.items() if call.bitwise])
def test_the_number_of_threads_changes_no_bit_of_samples(which, rng):
    layer = sr.SoftRadial(CLOSED_CALLS[which].set)
    u, grad_x = normal((3000, DIM), rng, scale=3), normal((3000, DIM), rng)
    data = CLOSED_CALLS[which].draw(len(u), rng)
    work = lambda: bits_of(layer, u, grad_x, **data)
    assert same(with_threads(1, work), with_threads(2, work))


def test_the_number_of_threads_changes_centers_by_rounding_alone(rng):
    """A BLAS is inside, and splits its sums by threads."""
    b = BOUNDS * uniform((9000, len(BOUNDS)), rng, 1, 2)
    work = lambda: sr.analytic_center(ROWS, b)
    (one, one_status), (two, two_status) = with_threads(1, work), with_threads(2, work)
    assert torch.equal(one_status, two_status)
    assert torch.allclose(one, two, rtol=0, atol=1e-9)


def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# What the allocator and the interpreter may keep beyond the warm-up. A leak of the rows' state at each call, 4 floats
# for each of 4 rows, would be 6.4 MB over 1e5 calls; one of a gradient node would be more than 10 MB.
SLACK = 4 << 20

MEMORY = {
    "fixed": (sr.CappedSimplex(8, 0.3), {}, 100_000),
    "polyhedron": (sr.Polyhedron(torch.cat([torch.eye(8), -torch.eye(8)]), torch.ones(16)), {}, 100_000),
    "caps": (sr.CappedSimplex(8, 0.3), {"cap": torch.full((4, 8), 0.3)}, 30_000),
    "composite": (sr.Ball([0.0] * 8, 1.0), {"radius": torch.ones(4)}, 2_000),
}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident memory is read from /proc/self/statm")
@pytest.mark.parametrize("which", MEMORY)
def test_memory_does_not_grow_with_calls(which):
    set, data, calls = MEMORY[which]
    layer = sr.SoftRadial(set)
    u = torch.linspace(-3, 3, 32).reshape(4, 8).requires_grad_()
    data = {name: values.requires_grad_() for name, values in data.items()}
    grad_x = torch.ones(4, 8)

    def run(count):
        for _ in range(count):
            torch.autograd.grad(layer(u, **data), [u, *data.values()], grad_x)

    run(calls // 10)
    gc.collect()
    before = resident_bytes()
    run(calls)
    gc.collect()
    assert resident_bytes() - before < SLACK
