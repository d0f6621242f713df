"""The layers: any real vector in, a point strictly inside the set out.

    layer = softradial.SoftRadial(softradial.CappedSimplex(50, cap=0.05))
    w = layer(net(z))                     # (..., 50), dtype and device kept
    w = layer(net(z), caps=caps_of(z))    # a set for each sample, with gradients to its data
"""

import json
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from . import _compiled
from ._compiled import DescribedMap
from ._library import classes
from .level_sets import LevelProjection, LevelSet, make_level_projection, restore_level_projection
from .sets import Numbers, Set, _tensor, first_line, parse_set

AnySet = Union[Set, LevelSet]


def _make_projection(set: AnySet, method: str, contraction: str, lambda_: float, epsilon: float, anchor: Any) -> Any:
    """The library's Projection, an object of TorchScript; for a level set a LevelProjection, which has the same methods."""
    if isinstance(set, LevelSet):
        return make_level_projection(set, (method, contraction, lambda_, epsilon), anchor)
    search, point = (anchor, None) if isinstance(anchor, str) else ("auto", None if anchor is None else _tensor(anchor))
    try:
        return classes.Projection(set, method, contraction, float(lambda_), float(epsilon), search, point)
    except RuntimeError as error:
        raise ValueError(first_line(error)) from None


def _put(data: Dict[str, Tensor], name: str, given: Optional[Tensor], own: Optional[Tensor]) -> None:
    if given is not None:
        data[name] = given
    elif own is not None:
        data[name] = own


class _Radial(DescribedMap):
    """What the radial layers share. Data of the set that require a gradient become attributes: layer.b, layer.upper, ..."""

    # Not for TorchScript, which finds out what each of them is: a parameter or nothing.
    if TYPE_CHECKING:
        A: Optional[Tensor]
        b: Optional[Tensor]
        f: Optional[Tensor]
        lower: Optional[Tensor]
        upper: Optional[Tensor]
        center: Optional[Tensor]
        radius: Optional[Tensor]
        given_anchor: Optional[Tensor]

    def __init__(
        self, set: AnySet, words: Tuple[str, str, float, float], anchor: Any, check_finite: bool, anchor_gradient: bool
    ) -> None:
        super().__init__()
        self.projection = _make_projection(set, *words, anchor)
        self._describe()
        if isinstance(set, LevelSet) and isinstance(set.function, nn.Module):
            self.function = set.function
        self._words = words
        self.check_finite = check_finite
        self.anchor_gradient = anchor_gradient
        # A point of the user's anchors every call; one that was found belongs to the fixed set.
        given = None if anchor is None or isinstance(anchor, str) else _tensor(anchor)
        self.register_buffer("given_anchor", given, persistent=False)
        learned = set.learned()
        self._fixed = len(learned) == 0
        for name in ("A", "b", "f", "lower", "upper", "center", "radius"):
            tensor = learned[name] if name in learned else None
            if tensor is None or isinstance(tensor, nn.Parameter):
                self.register_parameter(name, tensor)
            else:
                setattr(self, name, tensor)

    def forward(
        self,
        u: Tensor,
        A: Optional[Tensor] = None,
        b: Optional[Tensor] = None,
        f: Optional[Tensor] = None,
        lower: Optional[Tensor] = None,
        upper: Optional[Tensor] = None,
        caps: Optional[Tensor] = None,
        sum: Optional[Tensor] = None,
        center: Optional[Tensor] = None,
        radius: Optional[Tensor] = None,
        scale: Optional[Tensor] = None,
        anchor: Optional[Tensor] = None,
    ) -> Tensor:
        """x strictly inside the set, (..., dim) like u.

        Any of the set's data may be replaced for the whole batch, (width), or sample by sample, (..., width); numbers
        (sum, radius, scale) are () or (...). Gradients flow to all of them. Which a set has:

            simplex            sum               polyhedron   A, b, f (the right-hand side of its equalities)
            capped simplex     caps, sum         ball         center, radius
            box                lower, upper      ellipsoid    center
            any set            scale (x = scale y, y in the set), anchor (a point inside each sample's set)
        """
        fixed = (
            self._fixed
            and A is None
            and b is None
            and f is None
            and lower is None
            and upper is None
            and caps is None
            and sum is None
            and center is None
            and radius is None
            and scale is None
            and anchor is None
        )
        data: Dict[str, Tensor] = {}
        if not fixed:
            _put(data, "A", A, self.A)
            _put(data, "b", b, self.b)
            _put(data, "f", f, self.f)
            _put(data, "lower", lower, self.lower)
            _put(data, "upper", upper if caps is None else caps, self.upper)
            _put(data, "sum", sum, None)
            _put(data, "center", center, self.center)
            _put(data, "radius", radius, self.radius)
            _put(data, "scale", scale, None)
            _put(data, "anchor", anchor, self.given_anchor)
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(u):
                return _compiled.project(self, u, data)
        if self.check_finite:
            u = torch.ops.softradial.check_finite(u)
        if fixed:
            if not torch.jit.is_scripting():
                if self._traces_ops():
                    return torch.ops.softradial.project(u, self.projection)
            return self.projection.project(u)
        if not torch.jit.is_scripting():
            if self._traces_ops():
                return torch.ops.softradial.project_samples(u, self.projection, data, self.anchor_gradient)[0]
        return self.projection.project_samples(u, data, self.anchor_gradient)

    @torch.jit.unused
    def _traces_ops(self) -> bool:
        """Whether a trace is being recorded that an op has to write itself into. A level set is made of plain operations."""
        return torch.jit.is_tracing() and not isinstance(self.projection, LevelProjection)

    def __prepare_scriptable__(self) -> "_Radial":
        """Asked by torch.jit.script before it compiles."""
        if isinstance(self.projection, LevelProjection):
            raise NotImplementedError("level_set: torch.jit.script cannot compile a Python function; trace a call of it")
        return self

    @torch.jit.export
    def inverse(self, x: Tensor) -> Tensor:
        """The u on the set's affine hull with layer(u) = x; NaN in rows outside the set. Not for learned data."""
        if not self._fixed:
            raise ValueError("inverse: not available for a set with learned data")
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(x):
                return _compiled.inverse(self, x)
        return self.projection.inverse(x)

    @torch.jit.export
    def log_abs_det(self, u: Tensor) -> Tensor:
        """log |det J(u)| on the directions of the set's affine hull, one number a row. Not for learned data."""
        if not self._fixed:
            raise ValueError("log_abs_det: not available for a set with learned data")
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(u):
                return _compiled.log_abs_det(self, u)
            if self._traces_ops():
                return torch.ops.softradial.log_abs_det(u, self.projection)
        return self.projection.log_abs_det(u)

    @property
    def status(self) -> Tensor:
        """One int8 for each row of the last call: 0 ok, 1 u was not finite, 2 the row's set has no interior."""
        return self.projection.status()

    @property
    def anchor(self) -> Tensor:
        """The interior point that the layer keeps fixed, (dim) in double precision."""
        return self.projection.anchor

    @property
    def set(self):
        """The set as it was given. (TorchScript infers its class.)"""
        return self.projection.set

    @torch.jit.unused
    def start_at(self, x: Numbers, linear: nn.Linear, gain: float = 0.0) -> Tensor:
        """Makes a model begin at the decision x: sets the bias of its last linear layer to inverse(x) and multiplies its
        weight by `gain`; with 0 the model starts at x for every input. Returns the bias.
        """
        bias = self.inverse(_tensor(x))
        if bias.isnan().any():
            raise ValueError("start_at: x is not inside the set")
        if linear.bias is None or linear.bias.shape != bias.shape:
            raise ValueError(f"start_at: the linear layer needs a bias of shape {tuple(bias.shape)}")
        with torch.no_grad():
            linear.bias.copy_(bias)
            linear.weight.mul_(gain)
        return linear.bias

    @torch.jit.unused
    def extra_repr(self) -> str:
        return f"{self.projection.set}, {self._options()}"

    @torch.jit.unused
    def _options(self) -> str:
        return ""

    # The set travels with the weights: a checkpoint restores the constraint that the model was trained with. It is a
    # tensor, the bytes of a JSON text, because exporters and safe loaders take nothing else in a state_dict.
    @torch.jit.unused
    def get_extra_state(self) -> Tensor:
        given = json.loads(self.projection.set.to_json())
        text = json.dumps({"set": given, "anchor": self.projection.anchor.tolist(), "map": self._words})
        return torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)

    @torch.jit.unused
    def set_extra_state(self, state: Tensor) -> None:
        saved = json.loads(bytes(state.cpu().tolist()).decode())
        method, contraction, lambda_, epsilon = saved["map"]
        self._words = (method, contraction, lambda_, epsilon)
        if saved["set"]["type"] == "level_set":
            self.projection = restore_level_projection(self.set, self._words, saved["set"], saved["anchor"])
            return
        self.projection = _make_projection(parse_set(json.dumps(saved["set"])), *self._words, saved["anchor"])
        self._describe()


class SoftRadial(_Radial):
    """Soft-radial projection: one-to-one from R^n onto the interior of the set, with a Jacobian that is never singular.

        x = u0 + r(|d|^2) min(1, 1/gamma(d)) d,   d = u - u0,   gamma: the gauge of the set seen from the anchor u0

    set             from softradial.Simplex(...), ..., softradial.LevelSet(function, ...), softradial.load_set("set.json")
    contraction     r: "rational", "exponential" or "hyperbolic"
    lambda_         r's scale, > 0: |d|^2 at which r is halfway from epsilon to 1 (rational)
    epsilon         r at the anchor, in (0, 1)
    anchor          "auto", "chebyshev", "analytic" or a point inside
    check_finite    raise on NaN and infinities in u, naming the row, instead of marking it in `status`
    anchor_gradient pass gradients through the analytic centres that anchor per-sample polyhedra
    """

    def __init__(
        self,
        set: AnySet,
        contraction: str = "rational",
        lambda_: float = 1.0,
        epsilon: float = 0.01,
        anchor: Any = "auto",
        check_finite: bool = False,
        anchor_gradient: bool = False,
    ) -> None:
        words = ("soft_radial", contraction, float(lambda_), float(epsilon))
        super().__init__(set, words, anchor, check_finite, anchor_gradient)

    @torch.jit.unused
    def _options(self) -> str:
        return f"contraction={self._words[1]}, lambda_={self._words[2]:g}, epsilon={self._words[3]:g}"


class HardRadial(_Radial):
    """Hard-radial projection: the identity inside the set, the ray's exit outside. Its Jacobian is singular there."""

    def __init__(
        self, set: AnySet, anchor: Any = "auto", check_finite: bool = False, anchor_gradient: bool = False
    ) -> None:
        super().__init__(set, ("hard_radial", "rational", 1.0, 0.01), anchor, check_finite, anchor_gradient)

    @torch.jit.unused
    def extra_repr(self) -> str:
        return str(self.projection.set)


class GaugeMap(_Radial):
    """x = u0 + s(gamma(d)) / gamma(d) d: one-to-one like SoftRadial, and smooth across the boundary of the set."""

    def __init__(
        self,
        set: AnySet,
        contraction: str = "rational",
        lambda_: float = 1.0,
        anchor: Any = "auto",
        check_finite: bool = False,
        anchor_gradient: bool = False,
    ) -> None:
        words = ("gauge_map", contraction, float(lambda_), 0.01)
        super().__init__(set, words, anchor, check_finite, anchor_gradient)

    @torch.jit.unused
    def _options(self) -> str:
        return f"contraction={self._words[1]}, lambda_={self._words[2]:g}"
