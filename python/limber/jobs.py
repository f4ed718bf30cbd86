"""What the verbs of the program do, with arrays as results."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from typing import Any, Dict, List, Optional, TypeVar

import numpy as np

from ._limber import ffi, lib
from .errors import Errors, text_of
from .inputs import (Cache, Changes, Path, Progress, Ranges, Texts, Watcher, assignments,
                     cache_folder, ranges)
from .views import Array, view


class Recording:
    """Frames of a motion. Arrays show the library's memory, frame by frame, and keep it alive."""

    def __init__(self, owner: Any, c: Any):
        m, n = c.model, c.nframe
        self.name = text_of(m.name)
        self.bodies = [text_of(m.body.name[i]) for i in range(m.nbody)]
        self.joints = [text_of(m.joint.name[i]) for i in range(m.njoint)]
        self.motors = [text_of(m.motor.name[i]) for i in range(m.nmotor)]
        pose = ffi.cast("double*", c.pose)
        #: [s], (nframe,)
        self.time: Array = view(owner, c.time, (n,))
        #: coordinates, (nframe, nq), and velocities, (nframe, nv)
        self.q: Array = view(owner, c.q, (n, m.nq))
        self.qd: Array = view(owner, c.qd, (n, m.nv))
        #: of bodies in the world: quaternions, (nframe, nbody, 4), and origins, (nframe, nbody, 3)
        self.rotations: Array = view(owner, pose, (n, m.nbody, 4), every=7)
        self.positions: Array = view(owner, pose + 4 if pose else pose, (n, m.nbody, 3), every=7)
        #: forces or torques of motors, (nframe, nmotor)
        self.motor_forces: Array = view(owner, c.motor, (n, m.nmotor))
        #: what acts, by name as in forces.csv ("spring.force"), (nframe,) each
        forces = view(owner, c.force, (n, c.nchannel))
        self.forces: Dict[str, Array] = {
            f"{text_of(c.channel[i].name)}.{text_of(c.channel[i].what)}": forces[:, i]
            for i in range(c.nchannel)}
        #: energies [J], (nframe,)
        self.kinetic: Array = view(owner, c.kinetic, (n,))
        self.potential: Array = view(owner, c.potential, (n,))
        #: figures of the run, and the lines that the program prints
        self.summary: Dict[str, Any] = {}
        self.report: List[str] = []

    def position(self, body: str) -> Array:
        """Path of a body's origin, (nframe, 3)."""
        return self.positions[:, self.bodies.index(body)]

    def __repr__(self) -> str:
        kind = type(self).__name__
        end = self.time[-1] if len(self.time) else 0
        return f"<limber.{kind} {self.name!r}: {len(self.time)} frames, {end:g} s>"


class Retargeting(Recording):
    """Motor curves that do not shake, and the motion that they give.

    `target`, `before` and `after` are recordings; `was` and `now` say how far the motion is from
    its target: peak and rms [m], angle [rad], torque.
    """

    def __init__(self, owner: Any, c: Any, result: Any):
        super().__init__(owner, c)
        self._owner, self._curves, self._what = owner, result.curves, result.what
        self.target = Recording(owner, result.target)
        self.before = Recording(owner, result.before)
        self.after = Recording(owner, result.after)
        self.was, self.now = figures(result.was.all), figures(getattr(result, "is").all)
        self.history: Array = np.array([result.history[i].objective
                                        for i in range(result.nhistory)])

    def curve(self, motor: str, time: Any) -> Array:
        """Value, velocity and acceleration of a motor's curve at times, (..., 3)."""
        changed = [self._what.motor[i] for i in range(self._what.nmotor)]
        which = changed.index(self.motors.index(motor))
        times = np.asarray(time, dtype=np.float64)
        out = np.empty((times.size, 3))
        for i, t in enumerate(times.reshape(-1)):
            lib.lb_curves_evaluate(self._curves, which, t, ffi.from_buffer("double[3]", out[i]))
        return out.reshape(times.shape + (3,))


class Optimization(Recording):
    """Numbers that reach goals, `parameters` by name, and the motion that they give."""

    def __init__(self, owner: Any, c: Any, result: Any):
        super().__init__(owner, c)
        first = result.optimization.first
        what = result.optimization.scene.optimize
        self.parameters: Dict[str, Array] = {
            text_of(what.parameter[i].name) or "":
            view(owner, result.x + first[i], (first[i + 1] - first[i],))
            for i in range(what.nparameter)}
        #: objective at the start and after each iteration
        self.history: Array = view(owner, result.history, (result.nhistory,))


class Fitting(Recording):
    """Numbers of materials found from measured markers, and the motion that they give.

    `values` are by name ("spring-steel young"): `start`, `value`, `low` and `high`, which hold the
    true one with 95 % probability, and whether it is `determined`, with the `verdict` in words.
    """

    def __init__(self, owner: Any, c: Any, result: Any):
        super().__init__(owner, c)
        #: distance of the markers from their simulated places before and after [m]
        self.rms_start: float = result.rms_start
        self.rms: float = result.rms
        self.explained: float = result.explained
        self.converged: bool = result.converged
        self.values: Dict[str, Dict[str, Any]] = {}
        for v in (result.value[i] for i in range(result.nvalue)):
            material = text_of(result.model.look.material[v.material].name) if v.material >= 0 else ""
            name = f"{material} {text_of(lib.lb_fit_quantity_name(v.quantity))}".strip()
            self.values[name] = {"start": v.start, "value": v.value, "low": v.low, "high": v.high,
                                 "determined": v.doubt == lib.LB_FIT_SURE,
                                 "verdict": text_of(lib.lb_fit_doubt_text(v.doubt))}


class Inversion(Recording):
    """What a measured motion needs."""

    def __init__(self, owner: Any, c: Any):
        super().__init__(owner, c)
        n, count = c.nframe, c.model.njoint + c.model.constraint.npair
        numbers = ffi.cast("double*", c.reaction)
        #: torques and forces along the velocities, (nframe, nv)
        self.torques: Array = view(owner, c.torque, (n, c.model.nv))
        #: what joints pass to the bodies that they carry, along the bodies' axes, then constraints:
        #: forces and moments, (nframe, njoint + constraints, 3)
        self.reaction_forces: Array = view(owner, numbers, (n, count, 3), every=6)
        self.reaction_moments: Array = view(owner, numbers + 3 if numbers else numbers,
                                            (n, count, 3), every=6)


class Results:
    """Files of a job whose results are no motion: the folder, its figures and the printed lines."""

    def __init__(self, out: Path, report: List[str]):
        self.out = os.fspath(out)
        self.report = report
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            #: as in summary.json
            self.summary: Dict[str, Any] = json.load(file)


class Sweep(Results):
    """Runs of a scene for all combinations of values, in the order of sweep.csv."""

    def __init__(self, out: Path, report: List[str]):
        super().__init__(out, report)
        with open(os.path.join(self.out, "sweep.csv"), encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        #: columns of sweep.csv by name, (runs,) each; of runs that failed there are no numbers
        self.table: Dict[str, Any] = {
            name: _column([row[i] if i < len(row) else "" for row in rows])
            for i, name in enumerate(head)}


def _column(cells: List[str]) -> Any:
    """Numbers, or texts where there are any; an empty cell is not a number."""
    try:
        return np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        return np.array(cells)


def figures(c: Any) -> Dict[str, Any]:
    """The numbers of a C struct, by name."""
    fields = [(name, f.type) for name, f in ffi.typeof(c).fields]
    return {name: getattr(c, name) for name, kind in fields if kind.kind == "primitive"}


class _Job(Watcher):
    """A job with the options that it needs, and who watches it."""

    def __init__(self, kind: str, options: Dict[str, Any], progress: Optional[Progress]):
        super().__init__(progress)
        self.errors = Errors()
        self.writes = options.get("out") is not None
        texts = Texts()  # which the library copies
        o = ffi.new("lb_job_options*", lib.lb_job_default())
        for name, value in dict(options, kind=kind).items():
            if value is not None:
                _set(o, name, value, texts)
        self.attach(o.progress)
        out = ffi.new("lb_job**")
        self.require(lib.lb_job_create(o, ffi.NULL, out, self.errors.c))
        self.c = ffi.gc(out[0], lib.lb_job_release)

    def require(self, status: int) -> None:
        if status != lib.LB_OK:
            raise self.errors.exception(status)

    def run(self) -> None:
        """Load, run and write. What was done is written even when the job does not come to its end."""
        loaded = lib.lb_job_load(self.c, self.errors.c)
        self.reraise()
        self.require(loaded)
        status = lib.lb_job_run(self.c, self.errors.c)
        written = lib.lb_job_write(self.c, self.errors.c)
        self.reraise()
        if status != lib.LB_INTERRUPTED or not lib.lb_job_recording(self.c):
            self.require(status)
        self.require(written)

    def required(self, result: Any) -> Any:
        """A result, which a job that was stopped early may not have."""
        if not result:
            raise self.errors.exception(lib.LB_INTERRUPTED)
        return result

    def report(self) -> List[str]:
        """Title, figures and tables; files are named where there are any."""
        count = ffi.new("int*")
        sections = lib.lb_job_sections(self.c, count)
        told = [sections[i] for i in range(count[0])]
        texts = [(text_of(s.name), text_of(s.text) or "") for s in told
                 if self.writes or s.kind != lib.LB_SECTION_FILE]
        return [f"{name}: {text}" if name else text for name, text in texts]


METHODS = [text_of(lib.lb_retarget_method_name(i)) for i in range(lib.LB_RETARGET_METHOD_COUNT)]
FIELDS = dict(ffi.typeof("lb_job_options").fields)


def _set(o: Any, name: str, value: Any, texts: Texts) -> None:
    """An option: a number, a text, a list of texts or the name of a method."""
    kind = FIELDS[name].type if name in FIELDS else None
    if kind is None or kind.kind not in ("primitive", "pointer", "enum"):
        raise TypeError(f"there is no option {name!r}")
    if kind.cname.endswith("* *"):
        setattr(o, "n" + name, len(value))
        value = texts.many(value)
    elif kind.kind == "pointer":
        value = texts.one(value)
    elif kind.kind == "enum":
        value = METHODS.index(value)
    setattr(o, name, value)


def _run(kind: str, scene: Optional[Path], text: Optional[str], progress: Optional[Progress],
         changes: Optional[Changes], cache: Cache, options: Dict[str, Any]) -> _Job:
    if scene is None and text is None:
        raise TypeError("a job needs a scene or its text")
    options.update(scene=scene or "scene.yaml", text=text, set=assignments(changes),
                   cache=cache_folder(cache))
    job = _Job(kind, options, progress)
    job.run()
    return job


Result = TypeVar("Result", bound=Recording)


def _finish(job: _Job, result: Result) -> Result:
    result.summary = figures(lib.lb_job_summary(job.c)[0])
    result.report = job.report()
    return result


def simulate(scene: Optional[Path] = None, *, text: Optional[str] = None,
             out: Optional[Path] = None, duration: Optional[float] = None,
             step: Optional[float] = None, threads: int = 1, full: bool = False,
             parameters: Optional[Path] = None, progress: Optional[Progress] = None,
             set: Optional[Changes] = None, cache: Cache = True, **options: Any) -> Recording:
    """Simulate a scene: a file, or its text. With `out` all result files are written there.

    `set` changes values of the scene: {"bodies.rod.mass": "2 kg"}. Further options are those of
    `lb_job_options` in limber/job.h.
    """
    options.update(out=out, duration=duration, step=step, threads=threads, full=full,
                   parameters=parameters)
    job = _run("simulate", scene, text, progress, set, cache, options)
    return _finish(job, Recording(job.c, lib.lb_job_recording(job.c)))


def retarget(scene: Optional[Path] = None, *, text: Optional[str] = None,
             out: Optional[Path] = None, step: Optional[float] = None, threads: int = 1,
             method: str = "gauss-newton", resume: bool = False,
             progress: Optional[Progress] = None, set: Optional[Changes] = None,
             cache: Cache = True, **options: Any) -> Retargeting:
    """Find motor curves with which a flexible character does not shake."""
    options.update(out=out, step=step, threads=threads, method=method, resume=resume)
    job = _run("retarget", scene, text, progress, set, cache, options)
    result = job.required(lib.lb_job_summary(job.c).retarget)
    return _finish(job, Retargeting(job.c, lib.lb_job_recording(job.c), result))


def optimize(scene: Optional[Path] = None, *, text: Optional[str] = None,
             out: Optional[Path] = None, resume: bool = False,
             progress: Optional[Progress] = None, set: Optional[Changes] = None,
             cache: Cache = True, **options: Any) -> Optimization:
    """Find the numbers with which a scene reaches its goals."""
    options.update(out=out, resume=resume)
    job = _run("optimize", scene, text, progress, set, cache, options)
    result = job.required(lib.lb_job_summary(job.c).optimize)
    return _finish(job, Optimization(job.c, lib.lb_job_recording(job.c), result))


def fit(scene: Optional[Path] = None, markers: Optional[Path] = None, *,
        text: Optional[str] = None, out: Optional[Path] = None, duration: Optional[float] = None,
        step: Optional[float] = None, threads: int = 1, progress: Optional[Progress] = None,
        set: Optional[Changes] = None, cache: Cache = True, **options: Any) -> Fitting:
    """Find numbers of materials from measured markers, a table as of `limber fit`."""
    options.update(table=_needed(markers, "markers"), out=out, duration=duration, step=step,
                   threads=threads)
    job = _run("fit", scene, text, progress, set, cache, options)
    result = job.required(lib.lb_job_summary(job.c).fit)
    return _finish(job, Fitting(job.c, lib.lb_job_recording(job.c), result))


def inverse(scene: Optional[Path] = None, motion: Optional[Path] = None, *,
            text: Optional[str] = None, out: Optional[Path] = None, forces: Optional[Path] = None,
            cutoff: Optional[float] = None, force_cutoff: Optional[float] = None,
            progress: Optional[Progress] = None, set: Optional[Changes] = None,
            cache: Cache = True, **options: Any) -> Inversion:
    """Find the forces that a motion needs, a table as of `limber inverse`."""
    options.update(table=_needed(motion, "motion"), out=out, forces=forces, cutoff=cutoff,
                   force_cutoff=force_cutoff)
    job = _run("inverse", scene, text, progress, set, cache, options)
    return _finish(job, Inversion(job.c, lib.lb_job_recording(job.c)))


def replay(scene: Path, curves: Path, *, out: Optional[Path] = None, step: Optional[float] = None,
           threads: int = 1, full: bool = False, progress: Optional[Progress] = None,
           set: Optional[Changes] = None, cache: Cache = True, **options: Any) -> Retargeting:
    """Play the curves that `retarget` left in the folder `curves`, beside the scene's own."""
    options.update({"from": curves}, out=out, step=step, threads=threads, full=full)
    job = _run("replay", scene, None, progress, set, cache, options)
    result = job.required(lib.lb_job_summary(job.c).retarget)
    return _finish(job, Retargeting(job.c, lib.lb_job_recording(job.c), result))


def reduce(scene: Optional[Path] = None, *, out: Path, text: Optional[str] = None,
           run: Optional[Path] = None, modes: Optional[int] = None, missed: Optional[float] = None,
           duration: Optional[float] = None, step: Optional[float] = None, threads: int = 1,
           keep: bool = False, progress: Optional[Progress] = None, set: Optional[Changes] = None,
           cache: Cache = True, **options: Any) -> Results:
    """Make bases of elastic bodies from a run with every node, or from that in the folder `run`.

    `simulate(scene, basis=out)` takes them.
    """
    options.update({"from": run}, out=out, modes=modes, missed=missed, duration=duration, step=step,
                   threads=threads, keep=keep)
    return Results(out, _run("reduce", scene, text, progress, set, cache, options).report())


def sweep(scene: Path, over: Ranges, *, out: Optional[Path] = None, runs: int = 0,
          duration: Optional[float] = None, step: Optional[float] = None, full: bool = False,
          keep: bool = False, progress: Optional[Progress] = None, set: Optional[Changes] = None,
          cache: Cache = True, **options: Any) -> Sweep:
    """Simulate a scene for all values that numbers of it may have.

    `over` has them by path: {"bodies.rod.mass": "1kg:3kg:5"}, or a list of numbers.
    """
    with tempfile.TemporaryDirectory() as aside:
        options.update(out=out or aside, over=ranges(over), runs=runs, duration=duration, step=step,
                       full=full, keep=keep)
        job = _run("sweep", scene, None, progress, set, cache, options)
        return Sweep(out or aside, job.report())


def compare(a: Path, b: Path, out: Path = "out/compare") -> str:
    """Two runs on one page, from their folders of results; the page's path."""
    errors, texts = Errors(), Texts()
    status = lib.lb_comparison_write(texts.one(a), texts.one(b), texts.one(out), ffi.NULL, ffi.NULL, errors.c)
    if status != lib.LB_OK:
        raise errors.exception(status)
    return os.path.join(os.fspath(out), "compare.html")


def _needed(table: Optional[Path], name: str) -> Path:
    if table is None:
        raise TypeError(f"a file of {name} is needed")
    return table


def check(scene: Optional[Path] = None, *, text: Optional[str] = None,
          set: Optional[Changes] = None) -> List[str]:
    """Look at a scene alone: the lines that `limber check` prints. Mistakes raise `Error`."""
    return _run("check", scene, text, None, set, True, {}).report()
