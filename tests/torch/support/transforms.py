"""torch.func; where torch 1.13 has it as a package of its own, functorch."""

import pytest

try:
    import torch.func as func
except ImportError:
    func = pytest.importorskip("functorch", reason="torch.func is there since torch 2.0, and functorch is not installed")

# Second derivatives, by every order in which the two modes can be nested. torch.func.hessian is the first.
SECOND_ORDER = {
    "forward_over_reverse": lambda f: func.jacfwd(func.jacrev(f)),
    "reverse_over_reverse": lambda f: func.jacrev(func.jacrev(f)),
    "forward_over_forward": lambda f: func.jacfwd(func.jacfwd(f)),
    "reverse_over_forward": lambda f: func.jacrev(func.jacfwd(f)),
}
FIRST_ORDER = {"forward": func.jacfwd, "reverse": func.jacrev}
