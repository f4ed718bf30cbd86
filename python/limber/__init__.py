"""Limber simulates and designs the motion of articulated characters.

>>> world = limber.World.open("arm.yaml")
>>> world.motors["elbow"].set(0.3)
>>> world.step(1e-3)
>>> world.joints["elbow"].q
array([0.01])

`World` goes step by step, for control and learning. `simulate`, `retarget`, `optimize` and others do
what the verbs of the program do, and give arrays. SI units, radians, z up; quaternions are (w, x, y, z).
"""
from ._limber import ffi as _ffi
from ._limber import lib as _lib
from .contacts import Contacts, Hit
from .errors import Error, Message
from .jobs import (Fitting, Inversion, Optimization, Recording, Results, Retargeting, Sweep, check,
                   compare, fit, inverse, optimize, reduce, replay, retarget, simulate, sweep)
from .parts import Body, Constraint, Joint, Motor, Parts, Point
from .world import World

__version__: str = _ffi.string(_lib.lb_version()).decode()
__all__ = [
    "Body", "Constraint", "Error", "Fitting", "Inversion", "Joint", "Message", "Motor",
    "Optimization", "Parts", "Point", "Recording", "Results", "Retargeting", "Sweep", "World",
    "check", "compare", "fit", "inverse", "optimize", "reduce", "replay", "retarget", "simulate",
    "sweep",
]
