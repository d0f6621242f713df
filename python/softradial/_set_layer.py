"""The base of all layers on a set: the set, a state_dict that contains it, an anchor by name or as a point."""

import json
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, cast

import torch
from torch import Tensor, nn

from ._numbers import Numbers, to_tensor
from .sets import LibrarySet, Set, set_of

_EXTRA_STATE = "_extra_state"


def anchor_words(anchor: Any) -> Tuple[str, Optional[Tensor]]:
    """The name of the search for an anchor, and the point if one is given instead."""
    if isinstance(anchor, str):
        return anchor, None
    return "auto", None if anchor is None else to_tensor("anchor", anchor)


def given_data(
    A: Optional[Tensor],
    b: Optional[Tensor],
    E: Optional[Tensor],
    f: Optional[Tensor],
    lower: Optional[Tensor],
    upper: Optional[Tensor],
    cap: Optional[Tensor],
    sum: Optional[Tensor],
    center: Optional[Tensor],
    radius: Optional[Tensor],
    scale: Optional[Tensor],
    anchor: Optional[Tensor],
    others: Optional[Dict[str, Tensor]],
) -> Dict[str, Tensor]:
    """The data of the set in a call, by name. TorchScript compiles it and knows no dictionary of optional tensors."""
    data: Dict[str, Tensor] = {} if others is None else others.copy()
    for name, given in [
        ("A", A), ("b", b), ("E", E), ("f", f), ("lower", lower), ("upper", upper), ("cap", cap), ("sum", sum),
        ("center", center), ("radius", radius), ("scale", scale), ("anchor", anchor),
    ]:
        if given is not None:
            data[name] = given
    return data


def data_of_calls(set: Set) -> List[str]:
    """The names of the data that a call of a layer on this set may replace for each sample."""
    own = set._row["sample_data"] if isinstance(set, LibrarySet) else []
    return [*own, "scale", "anchor"]


class SetLayer(nn.Module):
    """A layer on a set.

    The set is saved with the weights: a checkpoint restores the constraint that the model was trained with. It is stored as
    a tensor, the bytes of a JSON text, because exporters and safe loaders accept nothing else in a state_dict.
    """

    # Version 2: every layer's state_dict contains its set; learned caps are called `cap`.
    _version = 2

    # TorchScript knows the set as an attribute of the library's object.
    __jit_unused_properties__ = ["set"]

    if TYPE_CHECKING:  # hidden from TorchScript, which would look for a type of its own
        _set: Set

    def __init__(self, set: Any) -> None:
        super().__init__()
        self._set = set_of(set)

    @torch.jit.unused
    def start_at(self, x: Numbers, linear: nn.Linear, gain: float = 0.0) -> Tensor:
        """Makes a model begin at the decision x, for layers with an inverse: sets the bias of its last linear layer to
        inverse(x) and multiplies its weight by `gain`; with 0 the model starts at x for every input. Returns the bias.
        """
        if not hasattr(self, "inverse"):
            raise NotImplementedError(f"start_at: {type(self).__name__} has no inverse")
        bias: Tensor = cast(Any, self).inverse(to_tensor("x", x))
        if bias.isnan().any():
            raise ValueError("start_at: x is not inside the set")
        if linear.bias is None or linear.bias.shape != bias.shape:
            raise ValueError(f"start_at: the linear layer needs a bias of shape {tuple(bias.shape)}")
        with torch.no_grad():
            linear.bias.copy_(bias)
            linear.weight.mul_(gain)
        return linear.bias

    @property
    def set(self) -> Set:
        """The set as it was given."""
        return self._set

    # Looking up a method of a TorchScript object takes a microsecond, a fifth of a small call. So layers keep the methods
    # that they call, under these names. Copies do not contain them.
    _BOUND = ("_project", "_project_samples")

    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self._BOUND}

    @torch.jit.unused
    def _saved(self) -> Dict[str, Any]:
        """The layer without its set, as plain data."""
        raise NotImplementedError

    @torch.jit.unused
    def _restore(self, saved: Dict[str, Any]) -> None:
        """Turns this layer into the saved one. ValueError for another kind of layer."""
        raise NotImplementedError

    @torch.jit.unused
    def get_extra_state(self) -> Tensor:
        text = json.dumps({"set": json.loads(self._set.to_json()), **self._saved()})
        return torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)

    @torch.jit.unused
    def set_extra_state(self, state: Tensor) -> None:
        saved = json.loads(bytes(state.cpu().tolist()).decode())
        if saved != json.loads(bytes(self.get_extra_state().tolist()).decode()):
            self._restore(saved)

    @torch.jit.unused
    def _load_from_state_dict(
        self,
        state_dict: Dict[str, Any],
        prefix: str,
        local_metadata: Dict[str, Any],
        strict: bool,
        missing_keys: List[str],
        unexpected_keys: List[str],
        error_msgs: List[str],
    ) -> None:
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )
        # A state_dict from before version 2 has no set: the layer keeps its own.
        if (local_metadata.get("version") or 1) < 2 and prefix + _EXTRA_STATE in missing_keys:
            missing_keys.remove(prefix + _EXTRA_STATE)
