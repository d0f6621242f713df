"""Random rows for the layers."""

import torch
from torch import Tensor


def normal(shape, rng: torch.Generator, dtype: torch.dtype = torch.float64, scale: float = 1.0) -> Tensor:
    """Standard normal numbers times scale, rounded to dtype."""
    return (scale * torch.randn(shape, dtype=torch.float64, generator=rng)).to(dtype)


def uniform(shape, rng: torch.Generator, low: float, high: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return (low + (high - low) * torch.rand(shape, dtype=torch.float64, generator=rng)).to(dtype)


def directions(rows: int, dim: int, rng: torch.Generator) -> Tensor:
    """Where rounding goes wrong if it can: random, sparse, tied (+-1), nearly axis-parallel, and shifted rows."""
    random = torch.randn(rows, dim, dtype=torch.float64, generator=rng)
    sparse = random * (torch.rand(rows, dim, generator=rng) < 0.4)
    tied = torch.sign(random)
    steep = random.sign() * random.abs() ** 9
    shifted = random + 1e3 * torch.randn(rows, 1, dtype=torch.float64, generator=rng)
    kinds = torch.stack([random, sparse, tied, steep, shifted])
    return kinds[torch.arange(rows) % len(kinds), torch.arange(rows)]


def at_scales(rows: int, dim: int, scales, rng: torch.Generator, dtype: torch.dtype) -> Tensor:
    """(len(scales) * rows, dim): directions of length about each scale, clipped to finite numbers."""
    largest = torch.finfo(dtype).max
    blocks = [(scale * directions(rows, dim, rng)).clamp(-largest, largest) for scale in scales]
    return torch.cat(blocks).to(dtype)
