"""Level sets of Python functions: {x : function(x) <= 0} for a convex function of torch operations.

    quartic = softradial.LevelSet(lambda x: x.pow(4).sum(-1) - 1, dim=3, anchor=[0.0, 0, 0])
    layer = softradial.SoftRadial(quartic)

The gauge of a ray is gamma(d) = |d| / t, where t is the root of h(u0 + t v) = 0 with v = d / |d|. The root is found for all
rows at once in double precision, without derivatives. Two Newton steps from the root then add the derivatives, of first and
second order, in d and in everything that the function closes over.
"""

import functools
import itertools
import json
import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from ._compiled import uncompiled
from ._library import classes, ops
from ._numbers import Numbers, dtype_name, first_line, shape_text, to_tensor
from .sets import Set, _build, _constant, parse_set, script_of

Function = Callable[[Tensor], Tensor]

# Exits are searched between 2^-200 and 2^500, or 2^120 for a function of single precision; a ray without an exit there never
# leaves. The limit is 2^500 because a derivative of 1 / gamma is formed from 1 / gamma^2.
_NEAREST = 2.0**-200
_FARTHEST = {torch.float64: 2.0**500, torch.float32: 2.0**120}
# Halvings of that range on a log scale, which leave a ratio of 1.0005 between the ends of the bracket.
_HALVINGS = 20
# Steps that shrink the bracket to a few ulp. Interpolation takes about 8; halvings, needed if the function is infinite
# outside, 44. A trace records a fixed number: if the function jumps at the boundary, it ends up to 1e-8 short of it, inside.
_ROOT_STEPS = 60
_TRACED_ROOT_STEPS = 16
# Newton steps at the root: as many as there are orders of derivatives.
_NEWTON_STEPS = 2
# Rows that need no gradient call the function this far from the anchor, where it may have no gradient.
_ASIDE = 2.0**-20
# x is mapped into a set that is smaller by this many ulp, relative to the distance from the anchor.
_MARGIN_ULPS = 8
# The most axes along which the reach of the set is measured.
_MOST_AXES = 64
# Larger rows are scaled first, so that |d|^2 does not overflow.
_HUGE = 2.0**400


def where_else(condition: Tensor, values: Tensor, otherwise: float) -> Tensor:
    """The values where the condition holds; elsewhere a constant, through which no gradient passes."""
    return values.masked_fill(~condition, otherwise)


def _in_transform() -> bool:
    """Whether a transform of torch.func is running. A trace cannot ask."""
    return not torch.jit.is_tracing() and ops.in_transform()


def _may_branch() -> bool:
    """Whether the next step may depend on the numbers. Traces and torch.func.vmap take every step instead."""
    return not torch.jit.is_tracing() and not ops.in_transform()


def _autocasts(device: torch.device) -> bool:
    try:
        return torch.is_autocast_enabled(device.type)  # type: ignore[call-arg]
    except TypeError:  # torch 1.13 has a function for each device
        return torch.is_autocast_cpu_enabled() if device.type == "cpu" else torch.is_autocast_enabled()


def _exact(method: Callable[[Any, Tensor], Tensor]) -> Callable[[Any, Tensor], Tensor]:
    """Runs a method with torch.autocast off, in single precision at least, like the library's own ops."""

    @functools.wraps(method)
    def outside(self: Any, rows: Tensor) -> Tensor:
        if not _autocasts(rows.device):
            return method(self, rows)
        with torch.autocast(rows.device.type, enabled=False):
            return method(self, rows.float() if rows.dtype in (torch.half, torch.bfloat16) else rows)

    return outside


def is_finite(values: Tensor) -> Tensor:
    """isfinite, by operations that every exporter knows."""
    return values - values == 0


class LevelSet(Set):
    """{x : function(x) <= 0}

    function    a convex function that maps points (..., dim) to values (...) by differentiable torch operations, row by row.
                It is called in double precision, or in single precision if it accepts nothing else. The parameters of a
                module become those of the layer
    dim         dimension of the points
    anchor      a point with function(anchor) < 0, from which the rays start

    >>> import softradial, torch
    >>> set = softradial.LevelSet(lambda x: x.pow(4).sum(-1) - 1, dim=3, anchor=[0, 0, 0])
    >>> layer = softradial.SoftRadial(set)
    >>> x = layer(torch.randn(8, 3))
    >>> set.violation(x).max().item()
    0.0
    """

    def __init__(self, function: Function, dim: int, anchor: Numbers) -> None:
        self.function = function
        self._dim = _positive(dim)
        self._anchor = _checked_anchor(anchor, self._dim)
        # The precisions that the function accepted in the last call. A trace cannot try them: an exception would break it.
        self._precisions: Tuple[torch.dtype, ...] = (torch.float64, torch.float32)
        _check_function(self)

    @property
    def dim(self) -> int:
        """The number of coordinates of its points."""
        return self._dim

    @property
    def anchor(self) -> Tensor:
        """The point from which the rays start, (dim), double."""
        return self._anchor

    def violation(self, x: Numbers) -> Tensor:
        """How far each row of x (..., dim) lies outside, measured by the function, 0 for a feasible row: (...), double."""
        points = to_tensor("x", x)
        check_rows("x", points, self.dim)
        with torch.no_grad():
            values = next(iter(levels(self, points).values()))
        bad = points.isnan().any(-1) | values.isnan()
        return values.clamp_min(0).double().masked_fill(bad, math.nan)

    def with_anchor(self, anchor: Numbers) -> "LevelSet":
        """The same set with another interior point."""
        return LevelSet(self.function, self.dim, anchor)

    def learned(self) -> Dict[str, Tensor]:
        """Empty: the function holds its own parameters."""
        return {}

    def __eq__(self, other: object) -> bool:
        """Whether both have the same function (the same object) and equal anchors."""
        if not isinstance(other, LevelSet):
            return NotImplemented
        return self.function is other.function and torch.equal(self.anchor, other.anchor)

    def __hash__(self) -> int:
        return hash((id(self.function), *self.anchor.tolist()))

    def to_json(self) -> str:
        """Type, dimension and anchor. The function is not included, so the set cannot be read back."""
        return json.dumps({"type": "level_set", "dim": self.dim, "anchor": self.anchor.tolist()})

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"LevelSet(function={name}, dim={self.dim})"

    def __setstate__(self, state: Dict[str, Any]) -> None:
        # Before the class was a Set, these attributes were called `dim` and `anchor`.
        self.__dict__.update({{"dim": "_dim", "anchor": "_anchor"}.get(name, name): state[name] for name in state})


def check_rows(name: str, rows: Tensor, dim: int) -> None:
    """ValueError unless rows are (..., dim)."""
    if rows.dim() < 1 or rows.shape[-1] != dim:
        raise ValueError(f"{name}: the last dimension must be {dim}, got shape {shape_text(rows)}")


def _positive(dim: Any) -> int:
    if isinstance(dim, bool) or not isinstance(dim, int) or dim < 1:
        raise ValueError(f"level_set: dim is {dim}, must be a positive integer")
    return dim


def _checked_anchor(anchor: Numbers, dim: int) -> Tensor:
    point = _constant("anchor", anchor).detach().double().cpu().clone()
    if point.shape != (dim,):
        raise ValueError(f"level_set: anchor has shape {tuple(point.shape)}, must be ({dim},)")
    for i, value in enumerate(point.tolist()):
        if not math.isfinite(value):
            raise ValueError(f"level_set: anchor[{i}] is {value}")
    return point


def _device_of(function: Function) -> torch.device:
    """The device of a module's parameters; the CPU for a function that is no module or has none."""
    if isinstance(function, nn.Module):
        for tensor in itertools.chain(function.parameters(), function.buffers()):
            return tensor.device
    return torch.device("cpu")


def _check_function(set: LevelSet) -> None:
    """ValueError for a function that does not take points, or whose value at the anchor is not negative."""
    if not callable(set.function):
        raise ValueError(f"level_set: function is a {type(set.function).__name__}, must be callable")
    point = set.anchor.to(_device_of(set.function)).expand(2, -1)
    with torch.enable_grad():
        found = levels(set, point.clone().requires_grad_())
        levels(set, point[0])
    values = next(iter(found.values()))
    if not values.requires_grad:
        raise ValueError("level_set: function is not differentiable in x: it does not keep torch's graph")
    value = values[0].item()
    if not math.isfinite(value):
        raise ValueError(f"level_set: function(anchor) is {value}, must be finite")
    if not value < 0:
        raise ValueError(f"level_set: function(anchor) is {value:g}, must be negative: the anchor is not inside")


def levels(set: LevelSet, x: Tensor) -> Dict[torch.dtype, Tensor]:
    """function(x) in each precision that the function accepts, the widest first."""
    found: Dict[torch.dtype, Tensor] = {}
    errors: List[str] = []
    for dtype in set._precisions if torch.jit.is_tracing() else (torch.float64, torch.float32):
        try:
            found[dtype] = set.function(x.to(dtype))
        except (RuntimeError, TypeError) as error:
            errors.append(f"{dtype}: {first_line(error)}")
    if not found:
        raise ValueError(f"level_set: function fails; {'; '.join(errors)}")
    for values in found.values():
        _check_values(values, x)
    set._precisions = tuple(found)
    return found


def _check_values(values: Any, x: Tensor) -> None:
    if not isinstance(values, Tensor):
        raise ValueError(f"level_set: function returned a {type(values).__name__}, must be a tensor")
    if values.shape != x.shape[:-1]:
        given, expected = tuple(values.shape), tuple(x.shape[:-1])
        raise ValueError(f"level_set: function returned shape {given} for points {tuple(x.shape)}, must be {expected}")


class _Anchored(NamedTuple):
    """A level set seen from its anchor, for one call."""

    set: LevelSet
    u0: Tensor  # (dim), rounded to the rows' precision, in double
    precision: torch.dtype  # in which the function is called
    eps: float  # of the function's values
    judges: Tuple[torch.dtype, ...]  # the precisions in which it must accept x
    interior: Tensor  # (..., 1): whether the function accepts the anchor

    def value(self, point: Tensor) -> Tensor:
        """h, (..., 1) in double."""
        return self.set.function(point.to(self.precision)).unsqueeze(-1).double()

    def accepts(self, x: Tensor) -> Tensor:
        """Whether x is strictly inside, (..., 1)."""
        verdicts = [self.set.function(x.to(dtype)).unsqueeze(-1) < 0 for dtype in self.judges]
        return verdicts[0] if len(verdicts) == 1 else verdicts[0] & verdicts[1]


def _anchored(set: LevelSet, anchor: Tensor, like: Tensor) -> _Anchored:
    point = anchor.to(like)
    with torch.no_grad():
        found = levels(set, point.expand_as(like))
    precision = next(iter(found))
    judges = tuple(dtype for dtype in found if dtype in (precision, like.dtype))
    interior = torch.stack([found[dtype] < 0 for dtype in judges]).all(0).unsqueeze(-1)
    return _Anchored(set, point.double(), precision, torch.finfo(found[precision].dtype).eps, judges, interior)


def _along(at: _Anchored, v: Tensor) -> Callable[[Tensor], Tensor]:
    """t -> h(u0 + t v), with infinity in place of NaN."""

    def value(t: Tensor) -> Tensor:
        h = at.value(at.u0 + t * v)
        return h.masked_fill(h.isnan(), math.inf)

    return value


def _find_exit(at: _Anchored, v: Tensor) -> Tuple[Tensor, Tensor]:
    """The largest t found with h(u0 + t v) <= 0, to a few ulp, and whether the ray leaves at all: (..., 1) each."""
    h = _along(at, v)
    farthest = torch.full_like(v[..., :1], math.log(_FARTHEST[at.precision]))
    leaves = h(farthest.exp()) > 0
    low, high = torch.full_like(farthest, math.log(_NEAREST)), farthest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = h(middle.exp()) <= 0
        low, high = torch.where(inside, middle, low), torch.where(inside, high, middle)
    return _shrink(h, low.exp(), high.exp(), at.eps), leaves


def _shrink(h: Callable[[Tensor], Tensor], low: Tensor, high: Tensor, eps: float) -> Tensor:
    """The inner end of a bracket of a root of h, h(low) <= 0 < h(high), shrunk to a few ulp.

    Chandrupatla's method: a, the newest point, and b are the bracket, c is the point before. Uses inverse quadratic
    interpolation if the three points suit it, else a halving (also if h is infinite and the formulas give no number).
    """
    a, b = low, high
    fa, fb = h(a), h(b)
    share = torch.full_like(a, 0.5)
    for _ in range(_TRACED_ROOT_STEPS if torch.jit.is_tracing() else _ROOT_STEPS):
        t = a + share * (b - a)
        f = h(t)
        same = (f <= 0) == (fa <= 0)
        c, fc = torch.where(same, a, b), torch.where(same, fa, fb)
        b, fb = torch.where(same, b, a), torch.where(same, fb, fa)
        a, fa = t, f
        width, smallest = (b - a).abs(), 2 * eps * a
        if _may_branch() and bool((width <= 2 * smallest).all()):
            break
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        fits = (phi * phi < xi) & ((1 - phi) * (1 - phi) < 1 - xi)
        quadratic = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        share = torch.where(fits & is_finite(quadratic), quadratic, torch.full_like(a, 0.5))
        nearest = (smallest / where_else(width > 0, width, 1)).clamp_max(0.5)
        share = torch.minimum(torch.maximum(share, nearest), 1 - nearest)
    return torch.where(fa <= 0, a, b)


def _slope(at: _Anchored, t: Tensor, v: Tensor) -> Tensor:
    """dh/dt at u0 + t v, as a constant. Traces cannot contain a backward pass: they record a central difference."""
    if torch.jit.is_tracing():
        part = at.eps ** (1 / 3)
        rise = at.value(at.u0 + (1 + part) * t * v) - at.value(at.u0 + (1 - part) * t * v)
        return (rise / (2 * part * t)).detach()
    point = (at.u0 + t * v).detach()
    return (_gradient(at.value, point) * v).sum(-1, keepdim=True).detach()


def _gradient(function: Function, point: Tensor) -> Tensor:
    """The gradient of a function that maps each row to one number."""
    if _in_transform():
        values, pull_back = _vjp(function, point)
        return pull_back(torch.ones_like(values))[0]
    # A separate graph: hooks of the caller, such as a checkpoint's, do not see its saved tensors.
    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(_same, _same):
        point.requires_grad_()
        gradient, = torch.autograd.grad(function(point).sum(), point)
    return gradient


def _same(tensor: Tensor) -> Tensor:
    return tensor


def _vjp(function: Function, point: Tensor) -> Tuple[Tensor, Callable[[Tensor], Tuple[Tensor, ...]]]:
    try:
        from torch.func import vjp
    except ImportError:  # torch 1.13 has it in a package of its own
        from functorch import vjp
    return vjp(function, point)


def _wants_derivatives() -> bool:
    return torch.is_grad_enabled() or torch.autograd.forward_ad._current_level >= 0


def _exit(at: _Anchored, v: Tensor) -> Tuple[Tensor, Tensor]:
    """The root t of h(u0 + t v) = 0 with its derivatives, and whether there is one; t = 1 where there is none.

        t <- t - (h(t) - [h(t)]) / [dh/dt],    [.]: taken as a constant

    does not change t, and each step adds one order of derivatives. If the derivatives of t are right up to order k - 1, then
    in the term of order k of h(t), the part with the k-th derivative of t cancels against t itself, and the rest is the
    correct derivative. Rows without a root, or with a slope that is not positive, have no derivatives: there the function
    gets another point, so that a gradient that is not finite does not reach parameters that the rows share.
    """
    with torch.no_grad():
        found, leaves = _find_exit(at, v.detach())
    t = where_else(leaves, found.detach(), 1)
    if not _wants_derivatives():
        return t, leaves
    slope = _slope(at, t, v.detach())
    usable = leaves & (slope > 0) & is_finite(slope)
    slope = where_else(usable, slope, 1)
    elsewhere = at.u0 + _ASIDE * at.u0.abs().max().clamp_min(1) * _some_direction(v)
    for _ in range(_NEWTON_STEPS):
        h = at.value(torch.where(usable, at.u0 + t * v, elsewhere))
        t = t - where_else(usable, (h - h.detach()) / slope, 0)
    return t, leaves


def _some_direction(like: Tensor) -> Tensor:
    """A unit vector (dim) that is unlikely to lie along a symmetry of a set."""
    values = [math.cos(j) for j in range(1, int(like.shape[-1]) + 1)]
    length = math.sqrt(sum(value * value for value in values))
    return torch.tensor([value / length for value in values], dtype=like.dtype, device=like.device)


class Ray(NamedTuple):
    """A direction divided by `scale`, so that no square overflows: u = u0 + scale d. All (..., 1); scale is a constant."""

    rho: Tensor  # |d|^2
    gamma: Tensor  # gamma(d)
    scale: Tensor


class _Row(NamedTuple):
    """Rows u seen from the anchor: u = u0 + ray.scale d."""

    d: Tensor  # (..., dim), 0 in rows that are not ok
    length: Tensor  # |d|, (..., 1)
    finite: Tensor  # (..., 1)
    ok: Tensor  # (..., 1): finite, and the anchor is inside
    ray: Ray


def _direction(at: _Anchored, u: Tensor) -> _Row:
    """d and its gauge. A row that is not ok is replaced by the anchor, and a row at the anchor, which has no direction, gets
    an arbitrary one: neither may affect the gradients of parameters that the rows share.
    """
    finite = is_finite(u.detach()).all(-1, keepdim=True)
    ok = finite & at.interior
    rows = torch.where(ok, u.double(), at.u0)
    size = torch.maximum(rows.detach().abs().amax(-1, keepdim=True), at.u0.abs().max())
    scale = torch.where(size > _HUGE, size, torch.ones_like(size))
    d = rows / scale - at.u0 / scale
    rho = (d * d).sum(-1, keepdim=True)
    moves = rho > 0
    length = where_else(moves, where_else(moves, rho, 1).sqrt(), 0)
    v = torch.where(moves, d / where_else(moves, length, 1), _some_direction(d))
    t, leaves = _exit(at, v)
    grow = 1 / (1 - _MARGIN_ULPS * torch.finfo(u.dtype).eps)
    gamma = where_else(leaves & moves, grow * length / t, 0)
    return _Row(d, length, finite, ok, Ray(rho, gamma, scale))


def _shortened(eps: float) -> Sequence[float]:
    """The shares of the way from the anchor to x to try until the function accepts one: shorter by ulps, then by orders of
    magnitude, then 0."""
    near = [1 - eps * 8.0**k for k in range(1, 18) if eps * 8.0**k < 0.25]
    return near + [0.5, 2.0**-4, 2.0**-16, 2.0**-64, 2.0**-256, 2.0**-600, 0.0]


def _accepted_step(at: _Anchored, d: Tensor, step: Tensor, dtype: torch.dtype) -> Tensor:
    """The step, shortened in rows whose x = u0 + step d the function rejects. It judges x exactly as it is returned."""
    share = torch.ones_like(step)
    with torch.no_grad():
        for shorter in _shortened(torch.finfo(dtype).eps):
            accepted = at.accepts(_point(at, share * step.detach(), d.detach(), dtype))
            if _may_branch() and bool(accepted.all()):
                break
            share = where_else(accepted, share, shorter)
    return share.detach() * step


def _point(at: _Anchored, step: Tensor, d: Tensor, dtype: torch.dtype) -> Tensor:
    return (at.u0 + step * d).to(dtype)


class LevelProjection:
    """A level set with an anchor and a method: the counterpart of torch.classes.softradial.Projection for other sets.

    The method's profile is evaluated by the library: phi(rho, gamma) with x = u0 + phi d (src/core/profile.hpp).
    """

    def __init__(self, set: LevelSet, words: Tuple[str, str, float, float], anchor: Tensor) -> None:
        self.set = set
        self.anchor = anchor
        self._words = words
        self._status: Optional[Tensor] = torch.empty(0, dtype=torch.int8)

    @property
    def dim(self) -> int:
        return self.set.dim

    @property
    def hull_dim(self) -> int:
        return self.set.dim

    @property
    def normals(self) -> Tensor:
        """No rows: the hull is the whole space."""
        return torch.empty(0, self.set.dim, dtype=torch.float64)

    def status(self) -> Tensor:
        if self._status is None:
            raise RuntimeError("status: not kept of a call inside a transform of torch.func")
        return self._status

    @uncompiled
    @_exact
    def project(self, u: Tensor) -> Tensor:
        self._check(u, "u")
        at = _anchored(self.set, self.anchor, u)
        row = _direction(at, u)
        # Along directions that never leave the set, x grows with u. This limit keeps it finite.
        most = torch.finfo(u.dtype).max / 4 / row.length.detach().clamp_min(1)
        step = torch.minimum(ops.profile_step(*row.ray, *self._words), most)
        step = _accepted_step(at, row.d, step, u.dtype)
        if _in_transform():
            self._status = None
        elif not torch.jit.is_tracing():
            self._status = torch.where(row.finite, torch.where(row.ok, 0, 2), 1).squeeze(-1).to(torch.int8)
        return where_else(row.ok, _point(at, step, row.d, u.dtype), math.nan)

    def project_samples(self, u: Tensor, data: Dict[str, Tensor], anchor_gradient: bool) -> Tensor:
        names = ", ".join(sorted(data))
        raise NotImplementedError(f"level_set: {names}: not available in a call; what changes belongs into the function")

    @uncompiled
    @_exact
    def log_abs_det(self, u: Tensor) -> Tensor:
        """k log phi + log e_radial"""
        self._check(u, "u")
        row = _direction(_anchored(self.set, self.anchor, u), u)
        log_phi, log_radial = ops.profile_log_scale(*row.ray, *self._words)
        return where_else(row.ok, self.dim * log_phi + log_radial, math.nan).squeeze(-1).to(u.dtype)

    @uncompiled
    @_exact
    def inverse(self, x: Tensor) -> Tensor:
        """u = u0 + t e with e = x - u0 and log t + log phi(t^2 |e|^2, t gamma(e)) = 0.

        The slope in log t is e_radial: Newton steps at the root give the derivatives, as in _exit. An x between the boundary
        and the slightly smaller set that project maps into is treated as a point at the edge of the smaller set.
        """
        self._check(x, "x")
        at = _anchored(self.set, self.anchor, x)
        row = _direction(at, x)
        eta = row.ray.gamma * row.ray.scale
        exists = row.ok & (eta < 1 + 4 * _MARGIN_ULPS * torch.finfo(x.dtype).eps)
        with torch.no_grad():
            s = row.ray.rho * row.ray.scale * row.ray.scale
            root = ops.profile_inverse_scale(s, eta.clamp_max(1), *self._words) * row.ray.scale
        root, log_change, one = root.detach(), torch.zeros_like(root), torch.ones_like(root)
        for _ in range(_NEWTON_STEPS if _wants_derivatives() else 0):
            t = root * log_change.exp()
            log_phi, log_radial = ops.profile_log_scale(t * t * row.ray.rho, t * row.ray.gamma, one, *self._words)
            f = log_change + log_phi
            slope = log_radial.detach().exp()
            usable = exists & (row.ray.rho > 0) & (slope > 0)
            log_change = log_change - where_else(usable, (f - f.detach()) / where_else(usable, slope, 1), 0)
        return where_else(exists, _point(at, root * log_change.exp(), row.d, x.dtype), math.nan)

    @property
    def lambda_(self) -> float:
        return self._words[2]

    def with_auto_lambda(self) -> "LevelProjection":
        """This map with lambda in units of the set, as in softradial/reach.hpp, a constant: 1/lambda is the mean of 1/t^2
        over the exits t in both directions of at most 64 axes; lambda is 1 if no axis leaves the set."""
        count = min(self.dim, _MOST_AXES)
        axes = torch.zeros(count, self.dim, dtype=torch.float64, device=_device_of(self.set.function))
        axes[range(count), [j * self.dim // count for j in range(count)]] = 1
        with torch.no_grad():
            t, leaves = _find_exit(_anchored(self.set, self.anchor, axes), torch.cat((axes, -axes)))
        mean = float((leaves / t.square()).mean())
        lambda_ = min(max(1 / mean, 2.0**-96), 2.0**96) if mean > 0 else 1.0
        method, contraction, _, epsilon = self._words
        return LevelProjection(self.set, (method, contraction, lambda_, epsilon), self.anchor)

    def _check(self, tensor: Tensor, name: str) -> None:
        if not tensor.is_floating_point():
            raise TypeError(f"{name}: expected floating-point numbers, got {dtype_name(tensor)}")
        check_rows(name, tensor, self.dim)


def make_level_projection(set: LevelSet, words: Tuple[str, str, float, float], anchor: Any) -> LevelProjection:
    """The map onto a level set. The library checks the words, as for all sets; here it does so with some simplex."""
    _build(_projection_of_some_set, *words)
    if isinstance(anchor, str) and anchor != "auto":
        raise ValueError(f"level_set: anchor '{anchor}' is not available, there are 'auto', the set's own, or a point")
    own = anchor is None or isinstance(anchor, str)
    return LevelProjection(set, words, set.anchor if own else set.with_anchor(anchor).anchor)


def _projection_of_some_set(method: str, contraction: str, lambda_: float, epsilon: float) -> torch.ScriptObject:
    some_set = parse_set('{"type": "simplex", "dim": 2}')
    return classes.Projection(script_of(some_set), method, contraction, lambda_, epsilon, "auto", None)


def restore_level_projection(
    own: Any, words: Tuple[str, str, float, float], saved: Dict[str, Any], anchor: Sequence[float]
) -> LevelProjection:
    """A saved map, with the layer's own function. The anchor is not checked, since the function's parameters may be loaded
    later."""
    if not isinstance(own, LevelSet):
        raise ValueError("level_set: a state_dict does not hold the function; load it into a layer on a LevelSet")
    if saved["dim"] != own.dim:
        raise ValueError(f"level_set: the state_dict is of dimension {saved['dim']}, the layer's set of {own.dim}")
    return LevelProjection(own, words, torch.tensor(anchor, dtype=torch.float64))
