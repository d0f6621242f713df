"""The ops that compiled models call: descriptions, the contract of ops (opcheck), tensors without numbers."""

import gc
import os
import threading

import pytest
import torch

import softradial as sr
from support.compiled import OTHERS, capped, fresh_compiler, same, with_compiler_of_graphs  # noqa: F401  (a fixture)
from support.inputs import normal

pytestmark = with_compiler_of_graphs
ops = torch.ops.softradial


# --- Descriptions. ---


def test_a_description_is_read_again_where_it_is_copied(rng):
    layer = sr.SoftRadial(capped())
    u = normal((5, 6), rng)
    twice = torch.cat([layer.description, layer.description])
    for description in (layer.description.clone(), twice[: len(twice) // 2], twice[len(twice) // 2 :]):
        for _ in range(2):
            same(ops.described_project(u, description)[0], layer(u))


def test_bytes_that_change_in_place_are_read_again(rng):
    one, other = sr.SoftRadial(capped(cap=0.4)), sr.SoftRadial(capped(cap=0.3))
    assert one.description.shape == other.description.shape
    description = one.description.clone()
    u = normal((5, 6), rng, scale=5.0)
    same(ops.described_project(u, description)[0], one(u))
    description.data.copy_(other.description)
    same(ops.described_project(u, description)[0], other(u))


@pytest.mark.parametrize("what, words", [
    (lambda d: d[:-1].clone(), "damaged"),
    (lambda d: torch.zeros(40, dtype=torch.uint8), "damaged"),
    (lambda d: d.float(), "expected a description"),
    (lambda d: OTHERS["orthogonal"]().description, "something else"),
], ids=["cut", "zeros", "floats", "layer"])
def test_what_is_no_description_is_refused(what, words):
    with pytest.raises(RuntimeError, match=words):
        ops.described_project(torch.zeros(2, 6), what(sr.SoftRadial(capped()).description))


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident memory is read from /proc/self/statm")
def test_maps_die_with_their_descriptions():
    """A map on this polyhedron takes a megabyte: 150 of them would be seen."""
    set = sr.Polyhedron(torch.eye(300), torch.ones(300))
    layer = sr.SoftRadial(set, anchor=torch.zeros(300))
    u = torch.randn(2, 300)

    def read_copies(count):
        for _ in range(count):
            ops.described_project(u, layer.description.clone())
        gc.collect()

    read_copies(10)
    before = resident_bytes()
    read_copies(150)
    assert resident_bytes() - before < 50e6


def test_threads_share_a_description(rng):
    layer = sr.SoftRadial(capped())
    u = normal((64, 6), rng)
    expected, wrong = layer(u), []
    description = layer.description.clone()

    def work():
        for _ in range(50):
            if not torch.equal(ops.described_project(u, description)[0], expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- The contract of ops. ---


def op_calls(rng):
    layer, other = sr.SoftRadial(capped()), OTHERS["ray_scalar"]()
    map, bytes_of_other = layer.description, other.description
    u, g = normal((4, 6), rng), normal((4, 6), rng)
    wide = normal((4, 7), rng)
    x, state = ops.described_project(u, map)
    y, other_state = ops.described_layer(wide, bytes_of_other, *other._dims, True)
    caps, total = torch.full((4, 6), 0.5).double(), torch.ones(4).double()
    programme = (caps, torch.empty(4, 0).double(), torch.eye(6).double(), torch.eye(6).double(), torch.empty(0, 6).double())
    solved = ops.qp_solve(u, *programme)[1:]
    wants = lambda tensor: tensor.clone().requires_grad_()
    return {
        "described_project": (wants(u), map),
        "described_project_backward": (g, u, state, map),
        "described_inverse": (wants(x), map),
        "described_inverse_backward": (g, x, map),
        "described_log_abs_det": (wants(u), map),
        "described_log_abs_det_backward": (g[:, :1].clone(), u, map),
        "described_samples": (wants(u), [wants(caps), total], ["upper", "sum"], False, map),
        "described_samples_backward": (g, u, [caps, total], ["upper", "sum"], [0], False, map),
        "described_layer": (wants(wide), bytes_of_other, *other._dims, True),
        "described_layer_backward": (g, wide, y, other_state, bytes_of_other),
        "described_penalty": (wants(wide[:, :6]), bytes_of_other),
        "described_penalty_backward": (g[:, :1].clone(), wide[:, :6].clone(), bytes_of_other),
        "qp_solve": (wants(u), *programme),
        "qp_solve_backward": (g, u, *programme, *solved),
    }


KINDS = ("described_project", "described_inverse", "described_log_abs_det", "described_samples", "described_layer",
         "described_penalty", "qp_solve")
NAMES = [name + suffix for name in KINDS for suffix in ("", "_backward")]


@pytest.mark.skipif(not hasattr(torch.library, "opcheck"), reason="torch.library.opcheck came with torch 2.4")
@pytest.mark.parametrize("name", NAMES)
def test_ops_keep_the_contract(name, rng):
    torch.library.opcheck(getattr(ops, name).default, op_calls(rng)[name])


# --- Tensors without numbers. ---


@pytest.mark.parametrize("where", ["fake", "meta"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_shapes_without_numbers(where, dtype):
    layer, other = sr.SoftRadial(capped()), OTHERS["ray_scalar"]()
    mode = torch._subclasses.FakeTensorMode()

    def tensor(*shape):
        empty = torch.empty(*shape, dtype=dtype, device="meta" if where == "meta" else "cpu")
        return mode.from_tensor(empty) if where == "fake" else empty

    u = tensor(2, 5, 6)
    results = {
        (2, 5, 6): [layer(u), layer.inverse(u), layer(u, cap=tensor(6), sum=tensor(2, 5)), other(tensor(2, 5, 7))],
        (2, 5): [layer.log_abs_det(u)],
    }
    for shape, tensors in results.items():
        for result in tensors:
            assert result.shape == shape and result.dtype == dtype and result.device == u.device and type(result) is type(u)


def test_gradients_without_numbers():
    with torch._subclasses.FakeTensorMode():
        u = torch.empty(4, 6, requires_grad=True)
        sr_layer(u).sum().backward()
        assert u.grad.shape == (4, 6)


sr_layer = sr.SoftRadial(capped())
