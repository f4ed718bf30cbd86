"""What the library says went wrong, as exceptions."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._limber import ffi, lib


class Message(NamedTuple):
    """One thing that is wrong, and where; lines and columns count from 1, and 0 is unknown."""

    text: str
    file: Optional[str]
    line: int
    column: int


class Error(Exception):
    """A call of the library failed. Its text has a line `file:line:column: text` for each message.

    `status` says of which kind it is ("the input is not valid"), `messages` has its parts.
    """

    def __init__(self, status: str, messages: "tuple[Message, ...]", lines: "list[str]"):
        super().__init__("\n".join(lines) if lines else status)
        self.status = status
        self.messages = messages


def text_of(pointer: Any) -> Optional[str]:
    """A C string, or None."""
    return ffi.string(pointer).decode(errors="replace") if pointer else None


class Errors:
    """An `lb_error` to hand to the library, and the exception made of it."""

    def __init__(self) -> None:
        self.c = ffi.gc(ffi.new("lb_error*"), lib.lb_error_clear)
        self.c[0] = lib.lb_error_make(ffi.NULL)

    def _line(self, i: int) -> str:
        size = lib.lb_error_format(self.c, i, ffi.NULL, 0) + 1
        out = ffi.new("char[]", size)
        lib.lb_error_format(self.c, i, out, size)
        return text_of(out) or ""

    def _message(self, i: int) -> Message:
        m = self.c.message[i]
        return Message(text_of(m.text) or "", text_of(m.place.file), m.place.line, m.place.column)

    def exception(self, status: int) -> Error:
        """What to raise for a status that is not LB_OK."""
        count = range(self.c.count)
        return Error(text_of(lib.lb_status_text(status)) or "",
                     tuple(self._message(i) for i in count), [self._line(i) for i in count])
