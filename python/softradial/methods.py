"""The other constraint layers that the paper compares: change one word to change the method.

    layer = softradial.Orthogonal(softradial.CappedSimplex(50, cap=0.05))
    w = layer(net(z))

Every layer takes u (..., input_dim) and returns x (..., dim), with first derivatives. Methods that only approach the set
(Dc3, HardNet) end with an exact projection in eval mode. docs/methods says what each method guarantees.
"""

import json
from typing import Any, Dict, List, Optional

import torch
from torch import Tensor, nn

from . import _compiled
from ._calls import plain_errors
from ._compiled import Described
from ._library import classes
from ._numbers import Numbers, shape_text, to_tensor
from ._set_layer import SetLayer, anchor_words, data_of_calls, given_data
from .sets import Set, _build, parse_set, script_of, set_of


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}") from None


def _auto_lambda(set: Set, anchor: Any) -> float:
    """The lambda that SoftRadial chooses by itself."""
    words = ("soft_radial", "rational", 1.0, 0.01)
    return _build(classes.Projection, script_of(set), *words, *anchor_words(anchor)).with_auto_lambda().lambda_


class ConstraintLayer(SetLayer, Described):
    """A layer by the name of its method: ConstraintLayer(set, "dc3", steps=5)."""

    def __init__(self, set: Set, method: str, contraction: str = "", anchor: Any = "auto", **options: Any) -> None:
        super().__init__(set)
        if method == "soft_radial" and options.get("lambda_", "auto") == "auto":
            options["lambda_"] = _auto_lambda(set, anchor)
        numbers = {name.rstrip("_"): _number(name, value) for name, value in options.items()}
        self._make(method, contraction, anchor, numbers)

    def _make(self, method: str, contraction: str, anchor: Any, numbers: Dict[str, float]) -> None:
        self.layer = _build(classes.Layer, script_of(self._set), method, contraction, numbers, *anchor_words(anchor))
        self._describe()
        # Kept for compiled models, which cannot ask the library's object.
        self._dims = (self.layer.dim, self.layer.state_dim)
        self._differs_in_training = self.layer.differs_in_training
        self._project = self.layer.project
        self._shown = ", ".join([method] + [f"{name}={value:g}" for name, value in numbers.items()])
        point = anchor if anchor is None or isinstance(anchor, str) else to_tensor("anchor", anchor).tolist()
        self._arguments = json.dumps({"method": method, "contraction": contraction, "anchor": point, "options": numbers})

    def forward(
        self,
        u: Tensor,
        A: Optional[Tensor] = None,
        b: Optional[Tensor] = None,
        E: Optional[Tensor] = None,
        f: Optional[Tensor] = None,
        lower: Optional[Tensor] = None,
        upper: Optional[Tensor] = None,
        cap: Optional[Tensor] = None,
        sum: Optional[Tensor] = None,
        center: Optional[Tensor] = None,
        radius: Optional[Tensor] = None,
        scale: Optional[Tensor] = None,
        anchor: Optional[Tensor] = None,
        others: Optional[Dict[str, Tensor]] = None,
    ) -> Tensor:
        """x (..., dim) for u (..., input_dim). Each sample may have its own data of the set, as in a call of SoftRadial.

        Orthogonal and SoftOrthogonal have gradients to all data on boxes, simplices, capped simplices, polyhedra and balls.
        Other layers and sets handle samples with their own data one by one, without gradients to the data.
        """
        data = given_data(A, b, E, f, lower, upper, cap, sum, center, radius, scale, anchor, others)
        if len(data) == 0:
            return self._evaluate(u)
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(u):
                raise NotImplementedError(f"{', '.join(data)}: data for each sample compile for radial layers only")
        return self.layer.project_samples(u, data, self.training)

    def _evaluate(self, u: Tensor) -> Tensor:
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(u):
                return _compiled.project_layer(self, u)
        return self.layer.project(u, self.training)

    def _eager(self, u: Tensor, *more: Any, **data: Any) -> Tensor:
        """forward in Python: calls the library directly, unless u is a placeholder for a later tensor."""
        if more or data:
            return ConstraintLayer._scripted(self, u, *more, **data)
        return self._project(u, self.training) if type(u) is Tensor and not u.is_meta else self._evaluate(u)

    _scripted = forward
    forward = plain_errors(forward, _eager)

    @torch.jit.unused
    def data_of_calls(self) -> List[str]:
        """The names of the data that a call may replace for each sample."""
        return data_of_calls(self._set)

    @property
    def input_dim(self) -> int:
        """Width of u: dim, except for RayScalar (dim + 1) and Hop (the dimension of the set's affine hull)."""
        return self.layer.input_dim

    @torch.jit.unused
    def extra_repr(self) -> str:
        return f"{self._set}, {self._shown}"

    @torch.jit.unused
    def _saved(self) -> Dict[str, Any]:
        return {"layer": json.loads(self._arguments)}

    @torch.jit.unused
    def _restore(self, saved: Dict[str, Any]) -> None:
        own = json.loads(self._arguments)["method"]
        method = saved["layer"]["method"] if "layer" in saved else saved["map"][0]
        if method != own or "layer" not in saved:
            raise ValueError(f"{type(self).__name__}: the state_dict is that of another layer, {method}")
        words = saved["layer"]
        self._set = parse_set(json.dumps(saved["set"]))
        self._make(method, words["contraction"], words["anchor"], words["options"])

    def __setstate__(self, state: Dict[str, Any]) -> None:
        """Also reads old pickles, from before layers had a set."""
        super().__setstate__(state)
        self._project = self.layer.project
        if "_set" in self.__dict__:
            return
        self._set = set_of(self.layer.set)
        method, *options = self._shown.split(", ")
        numbers = {name: float(value) for name, value in (option.split("=") for option in options)}
        self._arguments = json.dumps({"method": method, "contraction": "", "anchor": "auto", "options": numbers})


class Bijection(ConstraintLayer):
    """The base of SoftOrthogonal and Mirror, layers that are one-to-one onto the interior of their set: adds the inverse."""

    @plain_errors
    @torch.jit.export
    def inverse(self, x: Tensor, data: Optional[Dict[str, Tensor]] = None) -> Tensor:
        """The u on the set's affine hull with layer(u) = x; NaN in rows outside the set. Has no gradient. `data` holds each
        sample's data by name, as layer(u, **data) takes them."""
        if data is not None and len(data) > 0:
            return self.layer.inverse_samples(x, data)
        return self.layer.inverse(x)

    @plain_errors
    @torch.jit.export
    def log_abs_det(self, u: Tensor, data: Optional[Dict[str, Tensor]] = None) -> Tensor:
        """log |det J(u)| on the directions of the set's affine hull, one number per row. Has no gradient."""
        if data is not None and len(data) > 0:
            return self.layer.log_abs_det_samples(u, data)
        return self.layer.log_abs_det(u)


class SoftOrthogonal(Bijection):
    """The nearest point of the set, made one-to-one and moved strictly inside. For the sets that Orthogonal takes.

        x = p + phi w,   p = the nearest point of u0 + (1 - delta) (set - u0),   w = u - p
        phi = 1 / (1/kappa + gamma(p, w))

    kappa    slope of the leak across the boundary, in (0, 1]
    delta    the share of the set, seen from the anchor u0, that the leak fills; in the rest of the set x = u
    anchor   "auto", "chebyshev", "analytic" or a point inside
    steps    on polyhedra: number of splitting steps in place of the exact projection; 0: exact. x is strictly inside anyway
    """

    def __init__(
        self, set: Set, kappa: float = 0.03, delta: float = 0.003, anchor: Any = "auto", steps: int = 0
    ) -> None:
        super().__init__(set, "soft_orthogonal", anchor=anchor, kappa=kappa, delta=delta, steps=steps)


class Mirror(Bijection):
    """x_j = lower_j + (upper_j - lower_j) sigmoid((u_j - tau) / temperature), tau from the sum; without upper bounds the
    softmax. Strictly inside, one-to-one and smooth. For boxes, simplices, capped simplices, and products of these."""

    def __init__(self, set: Set, temperature: float = 1.0) -> None:
        super().__init__(set, "mirror", temperature=temperature)


class Softmax(ConstraintLayer):
    """x = sum softmax(u / temperature). For simplices."""

    def __init__(self, set: Set, temperature: float = 1.0) -> None:
        super().__init__(set, "softmax", temperature=temperature)


class Orthogonal(ConstraintLayer):
    """The nearest point of the set. For boxes, simplices, capped simplices, polyhedra, balls, ellipsoids, quadratics, and
    intersections of these."""

    def __init__(self, set: Set) -> None:
        super().__init__(set, "orthogonal")


class Dc3(ConstraintLayer):
    """Completion of the equalities, then unrolled gradient steps on the violation. For linear constraints."""

    def __init__(
        self, set: Set, steps: int = 5, learning_rate: float = 0.01, momentum: float = 0.5, symmetric: bool = True
    ) -> None:
        super().__init__(set, "dc3", steps=steps, learning_rate=learning_rate, momentum=momentum, symmetric=symmetric)


class HardNet(ConstraintLayer):
    """Least-squares corrections of all constraints at once, `steps` times. For linear constraints."""

    def __init__(self, set: Set, steps: int = 3) -> None:
        super().__init__(set, "hardnet", steps=steps)


class HardNetAff(ConstraintLayer):
    """x = u + A^+ (relu(lower - A u) - relu(A u - upper)). For linear constraints with independent rows.

    The bounds may be given for each call, (rows) or (..., rows), with gradients to them.
    """

    rows: Tensor
    inverse: Tensor
    lower: Tensor
    upper: Tensor

    def __init__(self, set: Set) -> None:
        super().__init__(set, "hardnet_aff")

    def _make(self, method: str, contraction: str, anchor: Any, numbers: Dict[str, float]) -> None:
        super()._make(method, contraction, anchor, numbers)
        rows, lower, upper = torch.ops.softradial.two_sided_rows(script_of(self._set))
        self.register_buffer("rows", rows, persistent=False)
        self.register_buffer("inverse", torch.linalg.pinv(rows), persistent=False)
        self.register_buffer("lower", lower, persistent=False)
        self.register_buffer("upper", upper, persistent=False)

    @plain_errors
    def forward(  # type: ignore[override]
        self, u: Tensor, lower: Optional[Tensor] = None, upper: Optional[Tensor] = None
    ) -> Tensor:
        """x (..., dim) for u (..., dim)."""
        if lower is None and upper is None:
            return self._evaluate(u)
        low = self.lower.to(u) if lower is None else self._bounds(lower, u, "lower")
        high = self.upper.to(u) if upper is None else self._bounds(upper, u, "upper")
        image = u @ self.rows.to(u).t()
        return u + (torch.relu(low - image) - torch.relu(image - high)) @ self.inverse.to(u).t()

    def _bounds(self, given: Tensor, u: Tensor, name: str) -> Tensor:
        if given.dim() > 0 and given.size(-1) != self.rows.size(0):
            shape = ", ".join([str(size) for size in given.shape])
            raise ValueError(f"{name}: the last dimension must be {self.rows.size(0)}, got shape ({shape})")
        return given.to(u)


class HardNetCvx(ConstraintLayer):
    """The orthogonal projection as a quadratic programme. For linear constraints."""

    def __init__(self, set: Set) -> None:
        super().__init__(set, "hardnet_cvx")


class Rayen(ConstraintLayer):
    """x = u0 + min(1, 1/gamma(u)) u: the hard radial map, with u measured from the anchor u0. For every set."""

    def __init__(self, set: Set, anchor: Any = "auto") -> None:
        super().__init__(set, "rayen", anchor=anchor)


class RayScalar(ConstraintLayer):
    """RP: x = u0 + sigmoid(s)/gamma(v) v from u = (v, s), dim + 1 numbers. For bounded sets."""

    def __init__(self, set: Set, anchor: Any = "auto") -> None:
        super().__init__(set, "ray_scalar", anchor=anchor)


class Hop(ConstraintLayer):
    """Polar coordinates in the set: a radius and angles, as many numbers as the hull has dimensions. For bounded sets."""

    def __init__(self, set: Set, anchor: Any = "auto") -> None:
        super().__init__(set, "hop", anchor=anchor)


class Hp(ConstraintLayer):
    """Homeomorphic projection: an invertible network, trained when the layer is made, and bisection. For bounded sets."""

    def __init__(
        self,
        set: Set,
        couplings: int = 4,
        hidden: int = 32,
        training_steps: int = 400,
        bisections: int = 40,
        seed: int = 0,
        anchor: Any = "auto",
    ) -> None:
        super().__init__(
            set, "hp", anchor=anchor, couplings=couplings, hidden=hidden, training_steps=training_steps,
            bisections=bisections, seed=seed,
        )


class SoftPenalty(ConstraintLayer):
    """x = u; add `penalty(x)` to the loss. For every set."""

    def __init__(self, set: Set) -> None:
        super().__init__(set, "soft_penalty")

    @plain_errors
    def penalty(self, x: Tensor) -> Tensor:
        """The sum of the squared violations of all constraints, for each row, (...); differentiable."""
        if self._described and _compiled.symbolic(x):
            return _compiled.penalty(self, x)
        return torch.ops.softradial.penalty(x, self.layer.set)


class QpLayer(nn.Module):
    """x(p) = argmin 1/2 x'Qx + p'x subject to Ax = b, Gx <= h, with gradients to all data (as OptNet and cvxpylayers).

    h and b may be given for each call, sample by sample. Tensors that require a gradient get one.
    """

    def __init__(
        self,
        Q: Numbers,
        G: Optional[Numbers],
        h: Optional[Numbers],
        A: Optional[Numbers] = None,
        b: Optional[Numbers] = None,
    ) -> None:
        super().__init__()
        quadratic = to_tensor("Q", Q)
        if quadratic.dim() != 2 or quadratic.shape[0] != quadratic.shape[1]:
            raise ValueError(f"Q: expected a square matrix, got shape {shape_text(quadratic)}")
        dim = quadratic.shape[-1]
        for name, value, empty in (
            ("Q", quadratic, (dim, dim)), ("G", G, (0, dim)), ("h", h, (0,)), ("A", A, (0, dim)), ("b", b, (0,)),
        ):
            tensor = torch.zeros(empty, dtype=quadratic.dtype) if value is None else to_tensor(name, value)
            if tensor.dim() != len(empty) or (len(empty) == 2 and tensor.shape[-1] != dim):
                expected = "(rows)" if len(empty) == 1 else f"(rows, {dim})"
                raise ValueError(f"{name}: expected shape {expected}, got shape {shape_text(tensor)}")
            if isinstance(tensor, nn.Parameter):
                self.register_parameter(name, tensor)
            else:
                self.register_buffer(name, tensor)

    @plain_errors
    def forward(self, p: Tensor, h: Optional[Tensor] = None, b: Optional[Tensor] = None) -> Tensor:
        """x (..., dim) for p (..., dim)."""
        return torch.ops.softradial.qp(p, self.h if h is None else h, self.b if b is None else b, self.Q, self.G, self.A)
