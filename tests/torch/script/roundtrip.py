"""A model scripted and saved in Python is loaded and saved by C++ (roundtrip.cpp), and loaded again here."""

import sys
from pathlib import Path

import softradial
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(3, 5)
        self.layer = softradial.SoftRadial(softradial.CappedSimplex(5, cap=0.4))

    def forward(self, z: torch.Tensor, caps: torch.Tensor) -> torch.Tensor:
        u = self.net(z)
        return torch.cat([self.layer(u), self.layer(u, cap=caps)])


def write(folder: Path) -> None:
    torch.manual_seed(0)
    model = Model()
    z, caps = torch.randn(6, 3), torch.rand(6, 5) + 0.3
    torch.jit.script(model).save(str(folder / "from_python.pt"))
    torch.save((z, caps, model(z, caps).detach()), folder / "expected.pt")
    expected = torch.jit.script(Expected(z, caps, model(z, caps).detach()))
    expected.save(str(folder / "expected_module.pt"))


class Expected(nn.Module):
    """Tensors in a form that C++ reads."""

    def __init__(self, z: torch.Tensor, caps: torch.Tensor, x: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("z", z)
        self.register_buffer("caps", caps)
        self.register_buffer("x", x)


def read(folder: Path) -> None:
    z, caps, x = torch.load(folder / "expected.pt")
    model = torch.jit.load(str(folder / "from_cpp.pt"))
    assert torch.equal(model(z, caps), x)
    assert model.layer.projection.status().eq(0).all()


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
