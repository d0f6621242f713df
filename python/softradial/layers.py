"""The layers: any real vector in, a point strictly inside the set out.

    layer = softradial.SoftRadial(softradial.CappedSimplex(50, cap=0.05))
    w = layer(net(z))                     # (..., 50), dtype and device kept
    w = layer(net(z), cap=cap_of(z))      # a set for each sample, with gradients to its data
"""

import functools
import json
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from . import _compiled
from ._calls import call_again, plain_errors
from ._compiled import DescribedMap
from ._library import classes
from ._numbers import to_tensor
from ._set_layer import SetLayer, anchor_words, data_of_calls, given_data
from .level_sets import LevelProjection, LevelSet, make_level_projection, restore_level_projection
from .sets import Set, _build, _restored, script_of, set_of

Words = Tuple[str, str, Any, float]  # method, contraction, lambda or "auto", epsilon
_LEARNED = ("A", "b", "f", "lower", "upper", "cap", "center", "radius")


def number_or_auto(lambda_: Union[float, str]) -> Union[float, str]:
    try:
        return "auto" if isinstance(lambda_, str) and lambda_ == "auto" else float(lambda_)
    except (TypeError, ValueError):
        raise TypeError(f'lambda_: expected a number or "auto", got {lambda_!r}') from None


def _make_projection(set: Set, words: Words, anchor: Any) -> Any:
    """The library's Projection, a TorchScript object; for a level set a LevelProjection, which has the same methods."""
    method, contraction, lambda_, epsilon = words
    if lambda_ == "auto":
        return _make_projection(set, (method, contraction, 1.0, epsilon), anchor).with_auto_lambda()
    if isinstance(set, LevelSet):
        return make_level_projection(set, words, anchor)
    return _build(classes.Projection, script_of(set), *words, *anchor_words(anchor))


def _eager(scripted: Any) -> Any:
    """A layer's forward in Python: calls the library directly if the set's data are fixed, else runs the scripted method.

    TorchScript compiles the wrapped method. Traces and compilers must see ops, not the methods of an object.
    """

    tracing = torch._C._get_tracing_state

    def forward(self: "_Radial", u: Tensor, *more: Any, **data: Any) -> Tensor:
        if _compiled.compiling():
            return scripted(self, u, *more, **data)
        try:
            if more or self.check_finite or not self._fixed or tracing() is not None:
                return scripted(self, u, *more, **data)
            if type(u) is not Tensor or u.is_meta:
                return scripted(self, u, **data)
            if not data:
                return self._project(u)
            if ("upper" in data and self._no_upper) or "others" in data or self._buffers["given_anchor"] is not None:
                return scripted(self, u, **data)
            return self._project_samples(u, data, self.anchor_gradient)
        except Exception as error:
            return call_again(scripted, self, (u, *more), data, error)

    return functools.wraps(scripted)(forward)


class _Radial(SetLayer, DescribedMap):
    """The base of the radial layers. Data of the set that require a gradient become attributes: layer.b, layer.cap, ..."""

    # Hidden from TorchScript, which finds out by itself whether each is a parameter or None.
    if TYPE_CHECKING:
        A: Optional[Tensor]
        b: Optional[Tensor]
        f: Optional[Tensor]
        lower: Optional[Tensor]
        upper: Optional[Tensor]
        cap: Optional[Tensor]
        center: Optional[Tensor]
        radius: Optional[Tensor]
        given_anchor: Optional[Tensor]
        check_finite: bool
        anchor_gradient: bool
        _fixed: bool
        _no_upper: str

    def __init__(self, set: Set, words: Words, anchor: Any, check_finite: bool, anchor_gradient: bool) -> None:
        super().__init__(set)
        self._use(_make_projection(self._set, words, anchor))
        if isinstance(set, LevelSet) and isinstance(set.function, nn.Module):
            self.function = set.function
        if words[2] == "auto":
            words = (words[0], words[1], self.projection.lambda_, words[3])
        self._words = words
        self.check_finite = check_finite
        self.anchor_gradient = anchor_gradient
        # An anchor given by the user holds for every call; one that was found belongs to the fixed set.
        given = None if anchor is None or isinstance(anchor, str) else to_tensor("anchor", anchor)
        self.register_buffer("given_anchor", given, persistent=False)
        learned = self._set.learned()
        self._fixed = len(learned) == 0
        for name in _LEARNED:
            tensor = learned[name] if name in learned else None
            if tensor is None or isinstance(tensor, nn.Parameter):
                self.register_parameter(name, tensor)
            else:
                setattr(self, name, tensor)
        self._no_upper = self._refusal_of_upper()

    @torch.jit.unused
    def _use(self, projection: Any) -> None:
        self.projection = projection
        self._project, self._project_samples = projection.project, projection.project_samples
        self._describe()

    @_eager
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
        """x strictly inside the set, (..., dim) like u: tensors, or lists and arrays of numbers.

        Any of the set's data may be replaced for the whole batch, (width), or sample by sample, (..., width); numbers
        (sum, radius, scale) are () or (...). Gradients flow to all of them. The data of each set:

            simplex, capped simplex   cap, sum          polyhedron   A, b, and E, f of its equalities
            box                       lower, upper      ball         center, radius
            ellipsoid                 center
            any set                   scale (x = scale y, y in the set), anchor (a point inside each sample's set)

        `others` holds further data by name: q, c of a quadratic; s, c, e of a second-order cone; the data of an
        intersection's parts: "1.b" is the b of part 1, and "b" is enough if no other part has one.
        """
        if upper is not None and len(self._no_upper) > 0:
            raise ValueError(self._no_upper)
        data = given_data(
            A if A is not None else self.A, b if b is not None else self.b, E, f if f is not None else self.f,
            lower if lower is not None else self.lower, upper if upper is not None else self.upper,
            cap if cap is not None else self.cap, sum, center if center is not None else self.center,
            radius if radius is not None else self.radius, scale, anchor, others,
        )
        own = self.given_anchor
        if len(data) > 0 and anchor is None and own is not None:
            data["anchor"] = own
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(u):
                return _compiled.project(self, u, data)
        if self.check_finite:
            u = torch.ops.softradial.check_finite(u)
        if len(data) == 0:
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
        """Whether a trace is being recorded, which needs ops. A level set consists of plain operations anyway."""
        return torch.jit.is_tracing() and not isinstance(self.projection, LevelProjection)

    @torch.jit.unused
    def data_of_calls(self) -> List[str]:
        """The names of the data that a call may replace for each sample."""
        return data_of_calls(self._set)

    @torch.jit.unused
    def _refusal_of_upper(self) -> str:
        """Why a call refuses `upper`; empty if it accepts it. The library itself reads `upper` as `cap`, for models that
        were scripted before calls had a `cap`."""
        data = self.data_of_calls()
        if "cap" not in data:
            return ""
        return f"upper: a {self._set._row['name']} has no such data, only {', '.join(data)}"  # type: ignore[attr-defined]

    def __prepare_scriptable__(self) -> "_Radial":
        """Called by torch.jit.script before it compiles."""
        if isinstance(self.projection, LevelProjection):
            raise NotImplementedError("level_set: torch.jit.script cannot compile a Python function; trace a call of it")
        return self

    @plain_errors
    @torch.jit.export
    def inverse(self, x: Tensor, data: Optional[Dict[str, Tensor]] = None) -> Tensor:
        """The u on the set's affine hull with layer(u) = x; NaN in rows outside the set. `data` holds each sample's data by
        name, as layer(u, **data) takes them. A set with learned data needs `data`."""
        if data is not None and len(data) > 0:
            return self.projection.inverse_samples(x, data)
        if not self._fixed:
            raise ValueError("inverse: not available for a set with learned data")
        if not torch.jit.is_scripting():
            if self._described and _compiled.symbolic(x):
                return _compiled.inverse(self, x)
        return self.projection.inverse(x)

    @plain_errors
    @torch.jit.export
    def log_abs_det(self, u: Tensor, data: Optional[Dict[str, Tensor]] = None) -> Tensor:
        """log |det J(u)| on the directions of the set's affine hull, one number per row. `data` as for `inverse`."""
        if data is not None and len(data) > 0:
            return self.projection.log_abs_det_samples(u, data)
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

    @torch.jit.unused
    def extra_repr(self) -> str:
        return ", ".join([repr(self._set), *self._options()])

    @torch.jit.unused
    def _options(self) -> List[str]:
        return []

    @torch.jit.unused
    def _saved(self) -> Dict[str, Any]:
        return {"anchor": self.projection.anchor.tolist(), "map": list(self._words)}

    @torch.jit.unused
    def _restore(self, saved: Dict[str, Any]) -> None:
        method = saved["map"][0] if "map" in saved else saved["layer"]["method"]
        if method != self._words[0] or "map" not in saved:
            raise ValueError(f"{type(self).__name__}: the state_dict is that of another layer, {method}")
        _, contraction, lambda_, epsilon = saved["map"]
        words = (method, contraction, lambda_, epsilon)
        if saved["set"]["type"] == "level_set":
            self._use(restore_level_projection(self._set, words, saved["set"], saved["anchor"]))
        else:
            self._set = _restored(json.dumps(saved["set"]), self._set.learned())
            self._use(_make_projection(self._set, words, saved["anchor"]))
        self._words = words
        self._no_upper = self._refusal_of_upper()

    @torch.jit.unused
    def _load_from_state_dict(self, state_dict: Dict[str, Any], prefix: str, *more: Any) -> None:
        if self.cap is not None and prefix + "upper" in state_dict:
            state_dict[prefix + "cap"] = state_dict.pop(prefix + "upper")
        super()._load_from_state_dict(state_dict, prefix, *more)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        """Also reads old pickles, from before layers had a set and caps were called `cap`."""
        super().__setstate__(state)
        self._use(self.projection)
        if "_set" in self.__dict__:
            return
        projection = self.projection
        self._set = projection.set if isinstance(projection, LevelProjection) else set_of(projection.set)
        places = self.__dict__ if "upper" in self.__dict__ else self._parameters
        has_cap = "cap" in self.data_of_calls()
        if "cap" not in self._parameters:
            self.register_parameter("cap", None)
        if has_cap and places.get("upper") is not None:
            learned = places.pop("upper")
            self.register_parameter("upper", None)
            self.cap = learned
        self._no_upper = self._refusal_of_upper()


class SoftRadial(_Radial):
    """Soft-radial projection: one-to-one from R^n onto the interior of the set, with a Jacobian that is never singular.

        x = u0 + r(|d|^2) min(1, 1/gamma(d)) d,   d = u - u0,   gamma: the gauge of the set seen from the anchor u0

    set             from softradial.Simplex(...), ..., softradial.LevelSet(function, ...), softradial.load_set("set.json")
    contraction     r: "rational", "exponential" or "hyperbolic"
    lambda_         r's scale, > 0: |d|^2 at which r is halfway from epsilon to 1 (rational); "auto": the square of the set's
                    reach from its anchor, so that the map scales with the set. The paper uses 1. In float32 keep |d| below
                    300 sqrt(lambda_): beyond it the gradient along the ray drowns in rounding
    epsilon         r at the anchor, in (0, 1)
    anchor          "auto", "chebyshev", "analytic" or a point inside
    check_finite    raise on NaN and infinities in u, naming the row, instead of marking it in `status`
    anchor_gradient pass gradients through the analytic centres that anchor per-sample polyhedra
    """

    def __init__(
        self,
        set: Set,
        contraction: str = "rational",
        lambda_: Union[float, str] = "auto",
        epsilon: float = 0.01,
        anchor: Any = "auto",
        check_finite: bool = False,
        anchor_gradient: bool = False,
    ) -> None:
        words = ("soft_radial", contraction, number_or_auto(lambda_), float(epsilon))
        super().__init__(set, words, anchor, check_finite, anchor_gradient)

    @torch.jit.unused
    def _options(self) -> List[str]:
        return [f"contraction={self._words[1]}", f"lambda_={self._words[2]:g}", f"epsilon={self._words[3]:g}"]


class HardRadial(_Radial):
    """Hard-radial projection: the identity inside the set; outside, the point where the ray to u leaves the set. There its
    Jacobian is singular."""

    def __init__(
        self, set: Set, anchor: Any = "auto", check_finite: bool = False, anchor_gradient: bool = False
    ) -> None:
        super().__init__(set, ("hard_radial", "rational", 1.0, 0.01), anchor, check_finite, anchor_gradient)


class GaugeMap(_Radial):
    """x = u0 + s(gamma(d)) / gamma(d) d: one-to-one like SoftRadial, and smooth across the boundary of the set."""

    def __init__(
        self,
        set: Set,
        contraction: str = "rational",
        lambda_: float = 1.0,
        anchor: Any = "auto",
        check_finite: bool = False,
        anchor_gradient: bool = False,
    ) -> None:
        words = ("gauge_map", contraction, float(lambda_), 0.01)
        super().__init__(set, words, anchor, check_finite, anchor_gradient)

    @torch.jit.unused
    def _options(self) -> List[str]:
        return [f"contraction={self._words[1]}", f"lambda_={self._words[2]:g}"]
