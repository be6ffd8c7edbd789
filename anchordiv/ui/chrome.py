"""What frames every page: its name and logo, errors as sentences, and the wait for background work."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import streamlit as st

from anchordiv.errors import AnchordivError
from anchordiv.places import assets_dir

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger(__name__)
UNEXPECTED: Final = (
    "Something went wrong here that should not have; what you chose is kept. Reload the page to go on. "
    "The details are in the server's log."
)
_SIDEBAR: Final = 316
# The only style sheet for Streamlit's own parts: its wide layout leaves more than a tenth of the page empty.
_STYLE: Final = """
<style>
[data-testid="stMainBlockContainer"] { padding-inline: clamp(1rem, 2.6vw, 3rem); }
div:has(> .st-key-atlas) { position: sticky; top: 1rem; }
[data-testid="stColumn"]:has(.st-key-atlas) > div { height: 100%; }
div:has(> .st-key-selection) { position: sticky; bottom: 0.75rem; z-index: 90; }
</style>
"""


def set_page(title: str) -> None:
    """Name the page, lay it out wide and put our logo in its corner."""
    assets = assets_dir()
    mark = str(assets / "logo-mark.svg")
    st.set_page_config(
        page_title=f"{title} · Anchordiv" if title else "Anchordiv",
        page_icon=mark,
        layout="wide",
        initial_sidebar_state=_SIDEBAR,
    )
    st.html(_STYLE)
    st.logo(str(assets / ("logo-dark.svg" if is_dark() else "logo.svg")), size="large")


def is_dark() -> bool:
    """Tell whether the page's theme is dark, as far as the browser has told."""
    return st.context.theme.type == "dark"


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence on the page."""
    try:
        yield
    except AnchordivError as error:
        st.error(str(error), icon=":material/error:")
    except Exception:
        _LOG.exception("A page failed")
        st.error(UNEXPECTED, icon=":material/error:")


def unexpected(error: Exception) -> bool:
    """Say that a script failed, in place of a traceback; for ``st.App(on_script_error=...)``."""
    _LOG.error("A script failed", exc_info=error)
    st.error(UNEXPECTED, icon=":material/error:")
    return True
