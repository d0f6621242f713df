"""What every test of the PyTorch package starts from: its own random numbers, and one thread."""

import zlib

import pytest
import torch


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> torch.Generator:
    """Random numbers that depend on the test's name and parameters alone."""
    return torch.Generator().manual_seed(zlib.crc32(request.node.name.encode()))


@pytest.fixture(autouse=True)
def one_thread():
    """Tests do not depend on what an earlier one left behind in torch."""
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(1)
