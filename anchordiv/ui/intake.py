"""Bringing one's own pictures: the dialog, the progress with Cancel, and the report of what was left out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal

import streamlit as st

from anchordiv.ui import resources
from anchordiv.ui.jobs import Job, start
from anchordiv.ui.session import Session, current_session, told
from anchordiv.ui.waiting import wait_for

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from anchordiv.collection.sources import Source
    from anchordiv.ui.thumbnails import OpenedCollection

_STAGE_WORDS: Final = {"encode": "Encoding", "encoding": "Encoding", "read": "Reading", "reading": "Reading"}
_LISTED: Final = 200


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
        session.open(resources.sample())


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
    st.caption("They stay on this computer: they are kept in memory and are gone when you close the page.")
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
    _take_in(pairs, pairs[0][0] if len(pairs) == 1 else "Your files")


def _take_place() -> None:
    place = str(told("place") or "").strip()
    if place:
        _take_in(place, None)


def _take_in(source: Source, name: str | None) -> None:
    session = current_session()
    session.bringing = False
    session.intake = start(resources.intake_job(source, name))


def show_intake(session: Session) -> None:
    """Show a running intake with its progress, or what came of the last one."""
    job = session.intake
    if job is None:
        return
    if job.pending:
        _progress(session, job)
    elif job.state == "done" and job.result is not None:
        session.intake = None
        session.open(job.result)
        session.arrived = not job.result.is_sample
        st.rerun()
    elif job.state == "failed":
        with st.container(horizontal=True, vertical_alignment="center"):
            st.error(job.problem, icon=":material/error:")
            st.button("Close", on_click=_forget, key="close-failure")
    else:
        session.intake = None


def _progress(session: Session, job: Job[OpenedCollection]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="intake"):
        session.intake_watch = wait_for("intake-wait", session.intake_watch, [job], lambda: _how_far(job))
        st.button("Cancel", on_click=job.cancel, key="cancel-intake")


def _how_far(job: Job[OpenedCollection]) -> tuple[str, float]:
    stage = _STAGE_WORDS.get(job.stage, job.stage.capitalize() or "Getting ready")
    words = f"{stage} · {job.done:,} of {job.total:,}" if job.total else f"{stage} …"
    left = job.seconds_left()
    if left is not None:
        words += f" · about {_duration(left)} left"
    return words, min(job.done / job.total, 1.0) if job.total else 0.0


def _forget() -> None:
    current_session().intake = None


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"


def show_report(session: Session) -> None:
    """Say what of the brought pictures arrived and what was left out, until it is closed."""
    if not session.arrived or session.opened is None:
        return
    report = session.opened.collection.report
    if report is None:
        return
    left_out = [*report.rejected, *((name, "the same picture is already in") for name in report.duplicates)]
    with st.container(border=True, key="report"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f":material/check_circle: **{report.accepted:,}** pictures are in.")
            st.button("Close", on_click=_read, type="tertiary", key="close-report")
        if left_out:
            with st.expander(f"Left out: {len(left_out):,}", expanded=len(left_out) <= 3):
                for name, reason in left_out[:_LISTED]:
                    st.text(f"{name}: {reason}")
                if len(left_out) > _LISTED:
                    st.caption(f"… and {len(left_out) - _LISTED:,} more")


def _read() -> None:
    current_session().arrived = False


def open_sample() -> None:
    """Go back to the sample collection."""
    session = current_session()
    session.arrived = False
    session.open(resources.sample(), resources.ready())


def bring_button(label: str, *, key: str, width: Literal["content", "stretch"] = "content") -> None:
    """Offer the dialog, and keep it open while background work draws the page again."""
    st.button(label, icon=":material/add_photo_alternate:", key=key, width=width, on_click=_start_bringing)
    if current_session().bringing:
        _bring_pictures()
