"""The front door: pictures at once, what the app does in one try, and the way into Explore.

Started with ``streamlit run app.py``, this file is read twice: once by the server, which finds
``app`` and its picture routes here, and once per visit as the page itself.
"""

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.scriptrunner import get_script_run_ctx

from anchordiv.ui.chrome import plain_errors, set_page, unexpected
from anchordiv.ui.front import front_door, go_on_if_asked
from anchordiv.ui.keeping import keep
from anchordiv.ui.session import current_session
from anchordiv.ui.thumbnails import picture_routes
from anchordiv.ui.visitors import VisitorCookie
from anchordiv.ui.waiting import waiting_routes

app = st.App(
    __file__,
    routes=[*picture_routes(), *waiting_routes()],
    middleware=[Middleware(VisitorCookie)],
    on_script_error=unexpected,
)

if get_script_run_ctx(suppress_warning=True) is not None:
    session = current_session()
    go_on_if_asked(session)
    set_page("")
    with plain_errors():
        front_door(session)
    keep(session)
