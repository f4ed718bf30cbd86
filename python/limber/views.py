"""Arrays that are memory of the library: nothing is copied, and what they show stays alive."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ._limber import ffi

Array = NDArray[np.float64]


class _Memory:
    """Numbers of a C object, in numpy's protocol. Arrays keep this, and so the object."""

    def __init__(self, owner: Any, interface: "dict[str, Any]"):
        self.owner = owner
        self.__array_interface__ = interface


def view(owner: Any, pointer: Any, shape: Sequence[int], *, every: Optional[int] = None,
         writable: bool = False) -> Array:
    """Doubles at `pointer`. `every`: the last axis is the first part of records of so many."""
    shape = tuple(shape)
    if not pointer or 0 in shape:
        return np.zeros(shape)
    steps = [8]
    for n in ((every or shape[-1],) + shape[-2:0:-1] if len(shape) > 1 else ()):
        steps.insert(0, steps[0] * n)
    address = int(ffi.cast("uintptr_t", pointer))
    return np.asarray(_Memory(owner, {
        "version": 3, "typestr": "<f8", "shape": shape, "strides": tuple(steps),
        "data": (address, not writable)}))


def vector(values: Any, count: int) -> Any:
    """So many numbers of the caller's, for the library."""
    array = np.ascontiguousarray(values, dtype=np.float64).reshape(-1)
    if array.size != count:
        raise ValueError(f"{count} numbers are needed, not {array.size}")
    return ffi.from_buffer("double[]", array)


def vec3(values: Any) -> Any:
    """An `lb_vec3`."""
    x, y, z = values
    return (float(x), float(y), float(z))
