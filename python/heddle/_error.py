"""What goes wrong."""

from __future__ import annotations


class Error(Exception):
    """What the simulator refuses: bad input, with the text that the program prints.

    The text says what is wrong and where, and what to do about it; ``message`` and ``advice`` are these two parts.

    >>> try:
    ...     heddle.Machine("v100", set={"l1.latncy": 33})
    ... except heddle.Error as e:
    ...     print(e.advice)
    """

    message: str
    advice: str

    def __init__(self, text: str, message: str = "", advice: str = ""):
        super().__init__(text)
        self.message = message or text
        self.advice = advice

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self):
        return (type(self), (self.args[0], self.message, self.advice))


Error.__module__ = "heddle"


def error(message: str, advice: str = "") -> Error:
    """With its text as C++ makes it."""
    return Error(message + (f"\n  {advice}" if advice else ""), message, advice)


class NoSuchName(Error, KeyError):
    """A name that there is not; a KeyError, as mappings raise it."""
