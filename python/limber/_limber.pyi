# The library's functions, as include/limber declares them (made by binding.py).
from typing import Any

ffi: Any
lib: Any
