"""Answers: arrays by the names that Open3D gives them."""

from __future__ import annotations

from typing import Any


class Answers(dict[str, Any]):
    """A dictionary of arrays, which are attributes, too: ``hits["t_hit"]`` is ``hits.t_hit``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no array {name!r}, only {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        arrays = ", ".join(f"{name}: {value.dtype} {value.shape}" for name, value in self.items())
        return f"Answers({arrays})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Answers, (dict(self),))
