"""Where bodies of a world touch, and what a ray hits."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ._limber import ffi
from .views import Array

_POINT = np.dtype([("body", "i4", 2), ("id", "u8"), ("point", "f8", 3), ("normal", "f8", 3),
                   ("force", "f8", 3), ("slip", "f8", 3), ("gap", "f8"),
                   ("time", "f8")])


def _name(bodies: List[str], index: int) -> Optional[str]:
    return None if index < 0 else bodies[index]


@dataclass
class Contacts:
    """Points of contact, an entry or a row for each. Vectors are in the world."""

    bodies: List[Tuple[Optional[str], Optional[str]]]  #: names of bodies, ropes, deformables; None: scenery
    ids: Array  #: that stay from step to step
    points: Array  #: (n, 3), midway between the surfaces
    normals: Array  #: (n, 3), from the second body to the first
    forces: Array  #: (n, 3), on the first body
    slips: Array  #: (n, 3), velocities of the first over the second
    gaps: Array  #: (n,), negative where they overlap

    @classmethod
    def read(cls, points: Any, count: int, name: Callable[[int], str]) -> "Contacts":
        rows = np.frombuffer(ffi.buffer(points), _POINT, count).copy() if count else np.zeros(0, _POINT)
        pairs = [(None if a < 0 else name(a), None if b < 0 else name(b)) for a, b in rows["body"]]
        return cls(pairs, rows["id"], rows["point"], rows["normal"], rows["force"], rows["slip"],
                   rows["gap"])

    def __len__(self) -> int:
        return len(self.bodies)


@dataclass
class Hit:
    """What a ray hits first."""

    body: Optional[str]  #: its name; None: scenery
    t: float  #: the hit is at origin + t * direction
    point: Array  #: (3,)
    normal: Array  #: (3,), outward

    @classmethod
    def read(cls, hit: Any, bodies: List[str]) -> "Hit":
        point, normal = (np.array([v.x, v.y, v.z]) for v in (hit.point, hit.normal))
        return cls(_name(bodies, hit.body), float(hit.t), point, normal)
