"""What studies made of Python objects consist of: parts with the keys of the study file, which write themselves down.

The modules ``studies``, ``systems``, ``figures`` and ``analyses`` declare the parts. What a key takes is noted as a
*kind*: ``text``, ``number``, ``integer``, ``boolean``, ``formula`` (a number, or a text that is one), ``names`` (a text
or several), ``[k]``, ``{k}`` (by name), ``(k, k)``, ``#type`` or ``#type=A|B`` (a part that fits the type, or one of
the words), ``any``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, ClassVar

from . import _slipstick
from ._ron import number, quoted

__all__ = ["Part"]

#: How wide a line may become before its keys go on lines of their own.
WIDTH = 100


class Part:
    """A part of a study: keys with values, or values alone.

    Keys that are not given, or ``None``, are left out, so that they have their defaults.
    """

    _written: ClassVar[str]
    _fits: ClassVar[frozenset[str]]
    _keys: ClassVar[Mapping[str, str]] = {}
    _values: ClassVar[tuple[str, ...]] = ()

    _content: dict[str, Any]

    def __new__(cls, *values: Any, **keys: Any) -> Any:
        for key in keys:
            _check_key(cls, key)
        return super().__new__(cls)

    def _fill(self, arguments: dict[str, Any]) -> None:
        content: dict[str, Any] = {}
        object.__setattr__(self, "_content", content)
        for key in self._keys:
            value = arguments.get(_argument(key))
            if value is not None:
                setattr(self, _argument(key), value)

    def _take(self, *values: Any) -> None:
        object.__setattr__(self, "_content", {})
        for place, (kind, value) in enumerate(zip(self._values, values)):
            _write(kind, value, f"value {place + 1} of {self._written}", 0)
            self._content[str(place)] = value

    def __setattr__(self, name: str, value: Any) -> None:
        _check_key(type(self), name)
        key = name.rstrip("_")
        if value is None:
            self._content.pop(key, None)
            return
        if isinstance(value, Iterable) and not isinstance(value, (str, Mapping, list, tuple)):
            value = list(value)
        _write(self._keys[key], value, f"`{key}` of {self._written}", 0)
        self._content[key] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            _check_key(type(self), name)
        except TypeError as error:
            raise AttributeError(str(error)) from None
        return self._content.get(name.rstrip("_"))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(_argument(key) for key in self._keys)]

    def to_ron(self) -> str:
        """The part as a study file writes it."""
        return self._text(0)

    def _text(self, indent: int) -> str:
        if self._values:
            parts = [
                _write(kind, self._content[str(place)], self._written, indent)
                for place, kind in enumerate(self._values)
            ]
            return f"{self._written}({', '.join(parts)})"
        parts = [
            f"{key}: {_write(kind, self._content[key], f'`{key}` of {self._written}', indent + 4)}"
            for key, kind in self._keys.items()
            if key in self._content
        ]
        return _enclosed(self._written + "(", parts, ")", indent)

    def __repr__(self) -> str:
        if self._values:
            values = ", ".join(repr(self._content[str(place)]) for place in range(len(self._values)))
        else:
            values = ", ".join(f"{_argument(key)}={value!r}" for key, value in self._content.items())
        return f"{type(self).__name__}({values})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and type(self) is type(other) and self._content == other._content

    __hash__ = None  # type: ignore[assignment]


def _argument(key: str) -> str:
    return f"{key}_" if key == "from" else key


def _check_key(of: type[Part], name: str) -> None:
    known = [_argument(key) for key in of._keys]
    if of._values and not known:
        raise TypeError(f"{of.__name__} has no key `{name}`: what it holds is written without one, {of.__name__}(...)")
    if name not in known:
        near = _slipstick.nearest(name, known)
        hint = f"did you mean `{near}`? " if near else ""
        raise TypeError(f"{of.__name__} has no key `{name}`; {hint}it has: {', '.join(known) or 'no keys'}")


def _enclosed(opened: str, parts: list[str], closed: str, indent: int) -> str:
    line = opened + ", ".join(parts) + closed
    if indent + len(line) <= WIDTH and "\n" not in line:
        return line
    space = " " * (indent + 4)
    return opened + "\n" + "".join(f"{space}{part},\n" for part in parts) + " " * indent + closed


@lru_cache(maxsize=None)
def _inner(kind: str) -> tuple[str, ...]:
    """The kinds inside brackets."""
    depth, parts = 0, [""]
    for c in kind[1:-1]:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return tuple(part.strip() for part in parts)


def _refused(where: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"{where}: {wanted} is needed, not {value!r}")


def _write(kind: str, value: Any, where: str, indent: int) -> str:
    """A value of this kind as a study writes it.

    Raises:
        TypeError: if it is of another kind.
    """
    if kind[0] == "[":
        if isinstance(value, (str, Mapping, Part)) or not isinstance(value, Iterable):
            raise _refused(where, "a list", value)
        parts = [_write(kind[1:-1], one, where, indent + 4) for one in value]
        return _enclosed("[", parts, "]", indent)
    if kind[0] == "{":
        if not isinstance(value, Mapping):
            raise _refused(where, "a dictionary", value)
        parts = [
            f"{quoted(str(name))}: {_write(kind[1:-1], one, f'{where}, {name!r}', indent + 4)}"
            for name, one in value.items()
        ]
        return _enclosed("{", parts, "}", indent)
    if kind[0] == "(":
        kinds = _inner(kind)
        values = list(value) if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)) else []
        if len(values) != len(kinds):
            raise _refused(where, f"a tuple of {len(kinds)}", value)
        return "(" + ", ".join(_write(one, v, where, indent) for one, v in zip(kinds, values)) + ")"
    if kind[0] == "#":
        return _write_part(kind, value, where, indent)
    return _write_plain(kind, value, where, indent)


def _write_part(kind: str, value: Any, where: str, indent: int) -> str:
    wanted, _, words = kind[1:].partition("=")
    known = words.split("|") if words else []
    if isinstance(value, Part) and wanted in value._fits:
        return value._text(indent)
    if isinstance(value, str) and value in known:
        return value
    name = wanted.split(".")[1].removesuffix("Spec")
    if isinstance(value, str) and known:
        near = _slipstick.nearest(value, known)
        hint = f"; did you mean {near!r}?" if near else ""
        raise TypeError(f"{where}: there is no {value!r}; the words are: {', '.join(map(repr, known))}{hint}")
    raise _refused(
        where, f"a part for {name}" + (f", or one of {', '.join(map(repr, known))}," if known else ""), value
    )


def _write_plain(kind: str, value: Any, where: str, indent: int) -> str:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if kind == "text" and isinstance(value, str):
        return quoted(value)
    if kind == "boolean" and (isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")):
        return "true" if value else "false"
    if kind == "integer" and isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if kind in ("number", "formula", "any") and is_number:
        return number(float(value))
    if kind in ("formula", "names") and isinstance(value, str):
        return quoted(value)
    if kind == "names" and isinstance(value, Iterable):
        return _write("[text]", value, where, indent)
    if kind == "any":
        if isinstance(value, str):
            return value if re.fullmatch(r"[A-Z]\w*", value) else quoted(value)
        if isinstance(value, Part):
            return value._text(indent)
        if isinstance(value, Mapping):
            return _write("{any}", value, where, indent)
        if isinstance(value, Iterable):
            return _write("[any]", value, where, indent)
    wanted = {"text": "a text", "boolean": "True or False", "integer": "an integer", "number": "a number"}
    raise _refused(where, wanted.get(kind, "a number or a text"), value)
