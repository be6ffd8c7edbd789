"""Explore: what is similar to this picture, once you have said what similar means."""

from anchordiv.ui.chrome import plain_errors, set_page
from anchordiv.ui.explore import explore
from anchordiv.ui.keeping import keep
from anchordiv.ui.session import current_session

session = current_session()
set_page("Explore")
with plain_errors():
    explore(session)
keep(session)
