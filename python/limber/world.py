"""A world to run step by step."""
from __future__ import annotations

import os
from typing import Any, Dict, Optional

import numpy as np

from ._limber import ffi, lib
from .contacts import Contacts, Hit
from .errors import Errors, text_of
from .inputs import Cache, Changes, Path, Texts, Watcher, assignments, cache_folder
from .parts import Body, Constraint, Joint, Motor, Parts, Point, names
from .views import Array, vec3, vector, view


class World:
    """A scene with its state and its stepper.

    Arrays of a world show its own memory: after a step they hold the new numbers, and they keep the
    world alive. All are read-only but `tau`, which is an input. A world is for one thread at a time.
    """

    def __init__(self, c: Any, errors: Errors):
        if not c:
            raise errors.exception(errors.c.status)
        self._c = ffi.gc(c, lib.lb_world_close)
        self._wanted = 0
        self._make_views(lib.lb_world_read(self._c, 0))
        self._index = {kind: names(self._c, kind) for kind in range(lib.LB_PART_COUNT)}

    @classmethod
    def open(cls, path: Path, *, set: Optional[Changes] = None, cache: Cache = True) -> "World":
        """From a scene file, at its start; `set` changes values: {"bodies.rod.mass": "2 kg"}."""
        return cls._create({"name": os.fspath(path)}, set, cache)

    @classmethod
    def from_text(cls, text: str, name: str = "scene.yaml", *, set: Optional[Changes] = None,
                  cache: Cache = True) -> "World":
        """From the text of a scene; `name` stands for the file in messages."""
        return cls._create({"name": name, "text": text}, set, cache)

    @classmethod
    def _create(cls, texts: Dict[str, str], changes: Optional[Changes], cache: Cache) -> "World":
        errors, watcher, kept = Errors(), Watcher(), Texts()
        origin = ffi.new("lb_scene_origin*", {key: kept.one(texts[key]) for key in texts})
        origin.length = len(os.fsencode(texts.get("text", "")))
        origin.set, origin.nset = kept.many(assignments(changes)), len(changes or {})
        scene = ffi.new("lb_scene*")
        status = lib.lb_scene_open(origin, ffi.NULL, scene, errors.c)
        if status != lib.LB_OK:
            raise errors.exception(status)
        scene.making.cache = kept.one(cache_folder(cache))
        watcher.attach(scene.making.progress)
        c = lib.lb_world_create(scene, ffi.NULL, errors.c)
        lib.lb_scene_release(scene)
        watcher.reraise()
        return cls(c, errors)

    def _make_views(self, a: Any) -> None:
        def rows(pointer: Any, count: int, first: int, width: int, every: int) -> Array:
            start = ffi.cast("double*", pointer) + first
            return view(self._c, start, (count, width), every=every)

        self._q, self._qd = view(self._c, a.q, (a.nq,)), view(self._c, a.qd, (a.nv,))
        self._rotations = rows(a.pose, a.nbody, 0, 4, 7)
        self._positions = rows(a.pose, a.nbody, 4, 3, 7)
        self._angular = rows(a.velocity, a.nbody, 0, 3, 6)
        self._linear = rows(a.velocity, a.nbody, 3, 3, 6)
        self._points = rows(a.point, a.npoint, 0, 3, 3)
        self._motor_forces = view(self._c, a.motor_force, (a.nmotor,))
        self._forces = rows(a.reaction, a.njoint, 0, 3, 6)
        self._moments = rows(a.reaction, a.njoint, 3, 3, 6)
        self._tau = view(self._c, a.tau, (lib.lb_world_nv(self._c),), writable=True)

    # --- parts by name ---

    @property
    def bodies(self) -> Parts[Body]:
        """Bodies by name."""
        return Parts(self, Body)

    @property
    def joints(self) -> Parts[Joint]:
        """Joints by name: those that move, then those that close loops."""
        return Parts(self, Joint)

    @property
    def motors(self) -> Parts[Motor]:
        """Motors by name."""
        return Parts(self, Motor)

    @property
    def points(self) -> Parts[Point]:
        """The scene's markers by name."""
        return Parts(self, Point)

    @property
    def constraints(self) -> Parts[Constraint]:
        """Prescribed points and frames, floors, couplings and limits by name."""
        return Parts(self, Constraint)

    # --- errors and what is read ---

    def _check(self) -> None:
        if lib.lb_world_status(self._c) != lib.LB_OK:
            errors = Errors()
            raise errors.exception(lib.lb_world_check(self._c, errors.c))

    def _refresh(self) -> None:
        if self._wanted:
            lib.lb_world_read(self._c, self._wanted)

    def _show(self, what: int, array: Array) -> Array:
        """An array that is kept up to date from now on."""
        if not self._wanted & what:
            self._wanted |= what
            self._refresh()
        return array

    def _motion(self, array: Array) -> Array:
        return self._show(lib.LB_READ_MOTION, array)

    def _exerted(self, array: Array) -> Array:
        return self._show(lib.LB_READ_FORCES, array)

    # --- time ---

    @property
    def time(self) -> float:
        """[s]"""
        return float(lib.lb_world_time(self._c))

    def step(self, dt: float = 0.0, count: int = 1) -> None:
        """Advance by `count` steps of `dt` seconds; 0: of the scene's step."""
        for _ in range(count):
            if lib.lb_world_step(self._c, dt) != lib.LB_OK:
                break
        self._refresh()
        self._check()

    def reset(self) -> None:
        """Back to the start, with all motors on their profiles."""
        lib.lb_world_reset(self._c)
        self._refresh()

    def save(self) -> Array:
        """The state as numbers, for `restore` in this world or in another one of the same scene."""
        state = np.zeros(lib.lb_world_state_size(self._c))
        lib.lb_world_save(self._c, ffi.from_buffer("double[]", state))
        return state

    def restore(self, state: Array) -> None:
        """Go on from a saved state, with the same steps to the last bit."""
        lib.lb_world_restore(self._c, vector(state, lib.lb_world_state_size(self._c)))
        self._refresh()

    # --- arrays ---

    @property
    def q(self) -> Array:
        """Coordinates of all joints, (nq,)."""
        return self._motion(self._q)

    @property
    def qd(self) -> Array:
        """Velocities of all joints, (nv,)."""
        return self._motion(self._qd)

    @property
    def tau(self) -> Array:
        """Further generalised forces, (nv,): write what joints are to get from the next step on."""
        return self._tau

    @property
    def positions(self) -> Array:
        """Origins of bodies in the world, (nbody, 3)."""
        return self._motion(self._positions)

    @property
    def rotations(self) -> Array:
        """Quaternions w, x, y, z of bodies, (nbody, 4)."""
        return self._motion(self._rotations)

    @property
    def velocities(self) -> Array:
        """Velocities of bodies' origins in the world's axes, (nbody, 3)."""
        return self._motion(self._linear)

    @property
    def angular_velocities(self) -> Array:
        """In the world's axes, (nbody, 3)."""
        return self._motion(self._angular)

    @property
    def point_positions(self) -> Array:
        """Where the scene's markers are, (npoint, 3)."""
        return self._motion(self._points)

    @property
    def motor_forces(self) -> Array:
        """Forces or torques that motors exert, (nmotor,)."""
        return self._exerted(self._motor_forces)

    @property
    def reaction_forces(self) -> Array:
        """What joints pass to the bodies they carry, along these bodies' axes, (njoint, 3)."""
        return self._exerted(self._forces)

    @property
    def reaction_moments(self) -> Array:
        """The moments of that about the joints' origins, (njoint, 3)."""
        return self._exerted(self._moments)

    # --- contact ---

    @property
    def contacts(self) -> Contacts:
        """Where bodies touch, with the forces of the last step."""
        count = lib.lb_world_contacts(self._c, ffi.NULL, 0)
        points = ffi.new("lb_body_contact[]", count)
        lib.lb_world_contacts(self._c, points, count)
        model = lib.lb_world_model(self._c)
        return Contacts.read(points, count, lambda i: text_of(lib.lb_model_toucher(model, int(i))))

    def ray(self, origin: Array, direction: Array, most: float = np.inf) -> Optional[Hit]:
        """The first solid shape on a ray, up to `most` times the direction's length."""
        ray = ffi.new("lb_ray*", {"origin": vec3(origin), "direction": vec3(direction), "most": most})
        hit = ffi.new("lb_world_hit*")
        if not lib.lb_world_ray(self._c, ray, hit):
            return None
        return Hit.read(hit, list(self._index[lib.LB_PART_BODY]))

    def distance(self, a: Optional[str], b: Optional[str]) -> float:
        """Between the solid shapes of two bodies by name, None: of scenery; negative: they overlap."""
        return float(lib.lb_world_distance(self._c, self._number(a), self._number(b)).distance)

    def overlap(self, a: Optional[str], b: Optional[str]) -> bool:
        """Whether solid shapes of two bodies, or of scenery, have a point in common."""
        return bool(lib.lb_world_overlap(self._c, self._number(a), self._number(b)))

    def _number(self, body: Optional[str]) -> int:
        return -1 if body is None else self.bodies[body].index

    def __repr__(self) -> str:
        name = text_of(lib.lb_world_model(self._c).name)
        return f"<limber.World {name!r} at {self.time:g} s: {len(self.bodies)} bodies>"
