"""Bringing one's own pictures: the dialog, the progress with Cancel, and the report of what was left out."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import streamlit as st

from anchordiv.ui import resources
from anchordiv.ui.jobs import Job, start
from anchordiv.ui.keeping import own_collection, recall_choices, remembered_collection, turn_to
from anchordiv.ui.session import Session, current_session, told
from anchordiv.ui.waiting import Bar, Progress, wait_for

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from anchordiv.collection import IngestReport
    from anchordiv.collection.sources import Source
    from anchordiv.ui.thumbnails import OpenedCollection

_STAGE_WORDS: Final = {"reading": "Reading", "encoding": "Encoding"}
_LISTED: Final = 200
_CALLED_OFF: Final = (
    "You called the rest off. Bring the same files again to go on: what is in is not encoded a second time."
)


def first_collection(session: Session) -> None:
    """Open what the server was started with, or else the sample, when a session has nothing yet."""
    if session.opened is not None:
        return
    source = os.environ.get("ANCHORDIV_SOURCE", "").strip()
    if source and session.intake is None:
        session.intake = resources.folder_job(source)
        if session.intake.state == "cancelled":
            # Somebody called it off; whoever comes next may have it anew.
            resources.folder_job.clear(source)
            session.intake = resources.folder_job(source)
    if not source or not session.intake or session.intake.state in ("failed", "cancelled"):
        session.open(remembered_collection(session) or resources.sample())
        recall_choices(session)


def follow(session: Session) -> None:
    """Turn to what is in so far of a running intake, or to what came of it."""
    job = session.intake
    if job is None or job.state == "failed":
        return
    come = job.result if job.state == "done" else job.partial
    if job.state == "cancelled":
        session.intake = None
        if come is not None:
            come = resources.keep_partial(come, session.owner)
            session.arrived, session.report = True, replace(come.collection.report, warning=_CALLED_OFF)
    elif job.state == "done":
        session.intake = None
        session.arrived = come is not None and not come.is_sample
        session.report = come.collection.report if come is not None else None
    if come is None or come is session.opened:
        return
    if session.opened is not None and not len(come.collection):
        # Nothing could be read: what was there before stays, with the reasons above it.
        return
    if session.opened is not None and session.opened.token == come.token:
        session.grow(come)
    elif session.memory is None:
        turn_to(session, come)
    else:
        session.open(come)
        recall_choices(session)


def fits_encoder(session: Session) -> bool:
    """Tell whether words and pictures share a space; if they do not, the sample is encoded again."""
    encoder, opened = resources.encoder(), session.opened
    if encoder is None or opened is None or opened.collection.encoder_identity == encoder.identity:
        return True
    if opened.is_sample and session.intake is None:
        session.intake = resources.sample_again_job(encoder.identity)
    return False


def _start_bringing() -> None:
    current_session().bringing = True


def _stop_bringing() -> None:
    current_session().bringing = False


@st.dialog("Bring your own pictures", width="medium", on_dismiss=_stop_bringing)
def _bring_pictures() -> None:
    """Ask for files, a folder or a place on this computer.

    What a click asks for is done in its callback: a run that background work cuts short forgets the
    click, but its callback has run before.
    """
    if not current_session().bringing:
        st.rerun()
    st.caption(
        "They stay on this computer. Small versions and their vectors are kept in your store, "
        "so that no picture is encoded twice."
    )
    files, folder, place = st.tabs(["Files or a zip", "A folder", "A place on this computer"])
    with files:
        chosen = st.file_uploader(
            "Pictures or a zip of pictures", accept_multiple_files=True, key="files", label_visibility="collapsed"
        )
        _offer(chosen, "open-files")
    with folder:
        chosen = st.file_uploader(
            "A folder of pictures", accept_multiple_files="directory", key="folder", label_visibility="collapsed"
        )
        _offer(chosen, "open-folder")
    with place:
        path = st.text_input("Folder, zip, or CSV with a path column", placeholder="~/Pictures", key="place")
        st.button("Open", type="primary", disabled=not path.strip(), key="open-place", on_click=_take_place)


def _offer(chosen: list[UploadedFile] | None, key: str) -> None:
    count = len(chosen or [])
    label = f"Open {count} file{'s' if count != 1 else ''}" if count else "Open"
    st.button(label, type="primary", disabled=not count, key=key, on_click=_take_files, args=(chosen or [],))


def _take_files(chosen: list[UploadedFile]) -> None:
    pairs = [(file.name, file.getvalue()) for file in chosen]
    _take_in(pairs, pairs[0][0] if len(pairs) == 1 else f"{pairs[0][0]} and {len(pairs) - 1:,} more")


def _take_place() -> None:
    place = str(told("place") or "").strip()
    if place:
        _take_in(place, None)


def _take_in(source: Source, name: str | None) -> None:
    session = current_session()
    session.bringing = False
    session.intake = start(resources.intake_job(source, name, owner=session.owner))


def show_intake(session: Session) -> None:
    """Show a running intake with a bar for each stage, or the sentence that ended it."""
    job = session.intake
    if job is None:
        return
    if job.pending:
        with st.container(border=True, key="intake"), st.container(horizontal=True, vertical_alignment="center"):
            session.intake_watch = wait_for("intake-wait", session.intake_watch, [job], lambda: _how_far(job))
            st.button("Cancel", on_click=job.cancel, key="cancel-intake")
    elif job.state == "failed":
        with st.container(horizontal=True, vertical_alignment="center"):
            st.error(job.problem, icon=":material/error:")
            st.button("Close", on_click=_forget, key="close-failure")
    else:
        # It ended while the page was being drawn.
        st.rerun()


def _how_far(job: Job[OpenedCollection]) -> Progress:
    """Return a bar for each stage that has begun, and what can be done meanwhile."""
    if job.stopping:
        return Progress("", (Bar("Stopping", "…", None),))
    bars = []
    for name, stage in list(job.stages.items()):
        if name not in _STAGE_WORDS:
            continue
        words = f"{stage.done:,} of {stage.total:,}" if stage.total else "…"
        left = stage.seconds_left()
        if left is not None:
            words += f" · about {_duration(left)} left"
        bars.append(Bar(_STAGE_WORDS[name], words, min(stage.done / stage.total, 1.0) if stage.total else None))
    if not bars:
        return Progress("", (Bar("Waking up the encoder", "…", None),))
    there = 0 if job.partial is None else len(job.partial.collection)
    return Progress(
        f"{there:,} are there already; go on exploring while the rest comes in." if there else "", tuple(bars)
    )


def _forget() -> None:
    current_session().intake = None


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"


def show_report(session: Session) -> None:
    """Say what of the brought pictures arrived and what was left out, until it is closed."""
    if not session.arrived or session.opened is None:
        return
    report = session.report or session.opened.collection.report
    left_out = [*report.rejected, *((name, "the same picture is already in") for name in report.duplicates)]
    with st.container(border=True, key="report"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(_arrived(report))
            st.button("Close", on_click=_read, type="tertiary", key="close-report")
        if report.warning:
            st.warning(report.warning, icon=":material/warning:")
        if left_out:
            with st.expander(f"Left out: {len(left_out):,}", expanded=len(left_out) <= 3):
                for name, reason in left_out[:_LISTED]:
                    st.text(f"{name}: {reason}")
                if len(left_out) > _LISTED:
                    st.caption(f"… and {len(left_out) - _LISTED:,} more")


def _arrived(report: IngestReport) -> str:
    if not report.accepted:
        return ":material/error: **No picture** came in; what was here before is still here."
    said = f":material/check_circle: **{report.accepted:,}** picture{' is' if report.accepted == 1 else 's are'} in."
    passed = f" {report.skipped:,} hidden files or links were passed over." if report.skipped else ""
    return said + passed


def _read() -> None:
    session = current_session()
    session.arrived, session.report = False, None


def open_sample() -> None:
    """Go back to the sample collection."""
    session = current_session()
    session.arrived, session.report = False, None
    turn_to(session, resources.sample(), resources.ready())


def open_own(collection_id: str) -> None:
    """Go back to a collection the person brought earlier."""
    session, encoder = current_session(), resources.encoder()
    if encoder is None:
        return
    opened = own_collection(session, collection_id, encoder.identity)
    session.arrived, session.report = False, None
    if opened is not None:
        turn_to(session, opened)


def bring_button(label: str, *, key: str, width: Literal["content", "stretch"] = "content") -> None:
    """Offer the dialog, and keep it open while background work draws the page again."""
    st.button(label, icon=":material/add_photo_alternate:", key=key, width=width, on_click=_start_bringing)
    if current_session().bringing:
        _bring_pictures()
