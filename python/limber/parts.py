"""Parts of a world by name: bodies, joints, motors, points and constraints."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, Mapping, Optional, Type, TypeVar

import numpy as np

from ._limber import ffi, lib
from .errors import text_of
from .views import Array, vec3, vector

if TYPE_CHECKING:
    from .world import World


def names(c: Any, kind: int) -> Dict[str, int]:
    """Numbers of the parts of one kind that have names."""
    found = [text_of(lib.lb_world_name(c, kind, i)) for i in range(lib.lb_world_count(c, kind))]
    return {name: i for i, name in enumerate(found) if name is not None}


class Part:
    """What has a name in a world, and its number among its kind."""

    _kind: int

    def __init__(self, world: "World", index: int, name: str):
        self._world = world
        self.index = index
        self.name = name

    def __repr__(self) -> str:
        return f"<limber.{type(self).__name__} {self.name!r}>"


Kind = TypeVar("Kind", bound=Part)


class Parts(Mapping[str, Kind], Generic[Kind]):
    """Parts of one kind, by name and in the library's order."""

    def __init__(self, world: "World", kind: Type[Kind]):
        self._world, self._kind = world, kind
        self._index = world._index[kind._kind]

    def __getitem__(self, name: str) -> Kind:
        if name not in self._index:
            lib.lb_world_find(self._world._c, self._kind._kind, name.encode())
            self._world._check()
        return self._kind(self._world, self._index[name], name)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"<limber.Parts {list(self._index)}>"


class Body(Part):
    """A body: where it is, how it moves, and what pushes it."""

    _kind = lib.LB_PART_BODY

    @property
    def position(self) -> Array:
        """Of its frame in the world, (3,)."""
        return self._world.positions[self.index]

    @property
    def rotation(self) -> Array:
        """Quaternion w, x, y, z, (4,)."""
        return self._world.rotations[self.index]

    @property
    def velocity(self) -> Array:
        """Of its frame's origin in the world's axes, (3,)."""
        return self._world.velocities[self.index]

    @property
    def angular_velocity(self) -> Array:
        """In the world's axes, (3,)."""
        return self._world.angular_velocities[self.index]

    def push(self, force: Any, at: Any = (0, 0, 0)) -> None:
        """A force in the world's axes during the coming step, on a point in the body's frame."""
        lib.lb_world_push(self._world._c, self.index, vec3(force), vec3(at))
        self._world._check()

    def twist(self, torque: Any) -> None:
        """A torque in the world's axes during the coming step."""
        lib.lb_world_twist(self._world._c, self.index, vec3(torque))
        self._world._check()

    def jacobian(self, at: Any = (0, 0, 0)) -> Array:
        """J, (6, nv): J @ qd is the angular velocity, then the velocity of a point of the body."""
        J = np.empty((6, lib.lb_world_nv(self._world._c)))
        lib.lb_world_jacobian(self._world._c, self.index, vec3(at),
                              ffi.from_buffer("double[]", J))
        self._world._check()
        self._world._refresh()
        return J


class Joint(Part):
    """A joint: its coordinates, and what passes through it. One that closes a loop has none."""

    _kind = lib.LB_PART_JOINT

    def __init__(self, world: "World", index: int, name: str):
        super().__init__(world, index, name)
        c = world._c
        model = lib.lb_world_model(c)
        moves = index < model.njoint
        nq, nv = (model.joint.nq[index], model.joint.nv[index]) if moves else (0, 0)
        q = lib.lb_world_q(c, index) - lib.lb_world_q(c, 0) if nq else 0
        v = lib.lb_world_qd(c, index) - lib.lb_world_qd(c, 0) if nv else 0
        first = model.joint.v[index] if moves else 0
        self._q, self._v, self._tau = slice(q, q + nq), slice(v, v + nv), slice(first, first + nv)

    @property
    def q(self) -> Array:
        """Coordinates."""
        return self._world.q[self._q]

    @property
    def qd(self) -> Array:
        """Velocities."""
        return self._world.qd[self._v]

    @property
    def tau(self) -> Array:
        """Further generalised forces, to be written; they stay until they are written again."""
        return self._world.tau[self._tau]

    @tau.setter
    def tau(self, value: Any) -> None:
        self._world.tau[self._tau] = value

    @property
    def force(self) -> Array:
        """What it passes to the body that it carries, along that body's axes, (3,)."""
        return self._world.reaction_forces[self.index]

    @property
    def moment(self) -> Array:
        """The moment of that about the joint's origin, (3,)."""
        return self._world.reaction_moments[self.index]

    def place(self, q: Any = None, qd: Any = None) -> None:
        """Put it elsewhere; None: as it is."""
        def numbers(values: Any, range: slice) -> Any:
            return ffi.NULL if values is None else vector(values, range.stop - range.start)

        lib.lb_world_place(self._world._c, self.index, numbers(q, self._q), numbers(qd, self._v))
        self._world._check()
        self._world._refresh()


class Motor(Part):
    """A motor. Until it is set it plays the scene's profile."""

    _kind = lib.LB_PART_MOTOR

    @property
    def force(self) -> float:
        """The force or torque that it exerts."""
        return float(self._world.motor_forces[self.index])

    def set(self, value: float, velocity: Optional[float] = None) -> None:
        """Its force or torque from now on; of a prescribed motion the position, and if you like the
        velocity, at the end of the coming step."""
        if velocity is None:
            lib.lb_world_set_motor(self._world._c, self.index, value)
        else:
            lib.lb_world_set_motion(self._world._c, self.index, value, velocity)
        self._world._check()

    def release(self) -> None:
        """Back to the scene's profile."""
        lib.lb_world_free_motor(self._world._c, self.index)
        self._world._check()


class Point(Part):
    """One of the scene's markers."""

    _kind = lib.LB_PART_POINT

    @property
    def position(self) -> Array:
        """In the world, (3,)."""
        return self._world.point_positions[self.index]


class Constraint(Part):
    """A prescribed point or frame, a floor, a coupling or a limit."""

    _kind = lib.LB_PART_CONSTRAINT

    @property
    def force(self) -> Array:
        """What it passes to its body, along the body's axes, (3,); of a coupling or a limit the
        first number is the Lagrange multiplier."""
        f = lib.lb_world_constraint_force(self._world._c, self.index).force
        self._world._refresh()
        return np.array([f.x, f.y, f.z])
