"""Builds the library with CMake and puts it into the wheel beside the Python package. Whatever the
processor, the loader finds the library made for it (the preset `package` in CMakePresets.json)."""
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "package"


class BuildLibrary(build_ext):
    """What setuptools would compile comes from CMake."""

    def run(self):
        stage = BUILD / "stage"
        for command in (["--preset", "package", f"-DLIMBER_PYTHON={sys.executable}"],
                        ["--build", BUILD, "--parallel", "--target", "product"],
                        ["--install", BUILD, "--prefix", stage]):
            subprocess.run(["cmake", *command], cwd=ROOT, check=True)
        to = pathlib.Path(self.build_lib) / "limber"
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy2(next(stage.rglob("_limber.abi3.so")), to)
        libraries = next(stage.rglob("liblimber.a")).parent
        for library in libraries.rglob("liblimber.so.?.?"):
            place = to / library.relative_to(libraries)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, place)


setup(
    version=re.search(r'"(.*)"', (ROOT / "include/limber/version.h").read_text()).group(1),
    ext_modules=[Extension("limber._limber", [], py_limited_api=True)],
    cmdclass={"build_ext": BuildLibrary},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
