"""The real app on a port of its own, and the browser found on this machine."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from anchordiv.places import app_file

BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # WebGL in software, so that pages which draw with it can be tested where there is no graphics card.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
PATIENCE = 180.0


def find_browser() -> str | None:
    """Return the Chromium to drive: ``ANCHORDIV_CHROMIUM`` or the first one on the path."""
    wanted = os.environ.get("ANCHORDIV_CHROMIUM")
    if wanted:
        return wanted
    return next((found for name in BROWSER_NAMES if (found := shutil.which(name))), None)


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_app(log: Path, environment: Mapping[str, str] | None = None, port: int | None = None) -> Iterator[str]:
    """Start the app as people do and yield its address; its output goes to ``log``."""
    port, front = port or free_port(), app_file()
    command = [sys.executable, "-m", "streamlit", "run", str(front)]
    command += ["--server.headless", "true", "--server.port", str(port), "--logger.level", "warning"]
    variables = {
        key: value for key, value in os.environ.items() if key not in ("ANCHORDIV_SOURCE", "ANCHORDIV_ENCODER")
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=front.parent,
            env=variables | dict(environment or {}),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_until_it_answers(f"http://localhost:{port}/_stcore/health", process, log)
            yield f"http://localhost:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=20)


def _wait_until_it_answers(address: str, process: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the app ended while starting:\n{log.read_text(errors='replace')[-3000:]}")
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"the app did not answer within {PATIENCE:.0f} s:\n{log.read_text(errors='replace')[-3000:]}")
