"""Where the front door and the shipped assets lie, in a checkout and in an installed wheel alike."""

from pathlib import Path

from anchordiv.errors import AnchordivError


def front_dir() -> Path:
    """Return the folder that holds ``app.py``, ``pages`` and ``assets``.

    Raises:
        AnchordivError: if neither the wheel's folder nor the checkout's is there.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "front", package.parent):
        if (folder / "app.py").is_file():
            return folder
    raise AnchordivError(
        "app.py and assets were not found beside the package; install anchordiv again with pip to bring them back."
    )


def app_file() -> Path:
    """Return the path of the Streamlit front door."""
    return front_dir() / "app.py"


def assets_dir() -> Path:
    """Return the folder of the starter model and the sample collections."""
    return front_dir() / "assets"
