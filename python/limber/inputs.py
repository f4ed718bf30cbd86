"""What a caller hands in with a scene: changes, the cache, and somebody who watches."""
from __future__ import annotations

import os
from typing import Any, Callable, List, Mapping, Optional, Sequence, Union

from ._limber import ffi, lib
from .errors import text_of

Path = Union[str, "os.PathLike[str]"]
#: Told the fraction that is done (NaN: unknown), and what is being done; False ends the work.
Progress = Callable[[float, str], Optional[bool]]
#: Values of a scene to be others: {"bodies.rod.mass": "2 kg", "gravity": [0, 0, -1.62]}
Changes = Mapping[str, Any]
#: Values that numbers of a scene may have: {"bodies.rod.mass": "1kg:3kg:5", "gravity.2": [-9.81, 0]}
Ranges = Mapping[str, Union[str, Sequence[float]]]
#: A folder where elastic bodies are kept for other runs; True: the program's, False: none.
Cache = Union[Path, bool]


def cache_folder(cache: Cache) -> Optional[Path]:
    """The folder that is meant."""
    if cache is not True:
        return cache or None
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "limber") if os.path.isabs(home) else None


def assignments(changes: Optional[Changes]) -> List[str]:
    """As the program's `--set` has them."""
    return [f"{path}={value}" for path, value in (changes or {}).items()]


def ranges(over: Ranges) -> List[str]:
    """As the program's `--over` has them."""
    return [f"{path}={values if isinstance(values, str) else ','.join(repr(float(x)) for x in values)}"
            for path, values in over.items()]


class Texts:
    """Texts for the library, alive as long as this is."""

    def __init__(self) -> None:
        self._kept: List[Any] = []

    def one(self, value: Optional[Path]) -> Any:
        """A C string, or NULL."""
        if value is None:
            return ffi.NULL
        self._kept.append(ffi.new("char[]", os.fsencode(value)))
        return self._kept[-1]

    def many(self, values: Sequence[str]) -> Any:
        """An array of them."""
        self._kept.append(ffi.new("const char*[]", [self.one(value) for value in values]))
        return self._kept[-1]


class Watcher:
    """Who is told of progress. What is raised meanwhile, as by Ctrl-C, ends the work."""

    def __init__(self, progress: Optional[Progress] = None):
        self.progress = progress
        self.stopped = False
        self.raised: Optional[BaseException] = None
        self._handle = ffi.new_handle(self)

    def attach(self, c: Any) -> None:
        """Be an `lb_progress`."""
        c.report, c.context = lib.limber_progress, self._handle

    def tell(self, fraction: float, what: Optional[str]) -> bool:
        """Whether to go on."""
        if self.progress is not None and what is not None:
            self.stopped = self.progress(fraction, what) is False
        return not self.stopped

    def reraise(self) -> None:
        """Raise what was raised."""
        if self.raised is not None:
            raise self.raised


def _remember(kind: Any, raised: BaseException, trace: Any) -> None:
    ffi.from_handle(trace.tb_frame.f_locals["context"]).raised = raised


@ffi.def_extern(error=False, onerror=_remember)
def limber_progress(context: Any, fraction: float, what: Any) -> bool:
    """The library's way to a watcher."""
    return bool(ffi.from_handle(context).tell(fraction, text_of(what)))
