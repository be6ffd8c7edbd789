"""Packages whose public names are imported on first use, so that importing a package stays light."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def public_names(
    package: str, home: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package (PEP 562).

    Args:
        package: the package's name, for the error of an unknown attribute.
        home: public name -> the module it lives in.
    """

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home[name]), name)

    return get, lambda: sorted(home), sorted(home)
