"""The wheel holds everything the app needs to start on a machine that has no checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from anchordiv.places import app_file, assets_dir

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> set[str]:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(made).namelist())


def test_the_front_door_pages_and_settings_are_inside(wheel):
    front = "anchordiv/front/"
    assert {f"{front}app.py", f"{front}.streamlit/config.toml"} <= wheel
    assert {f"{front}pages/{page.name}" for page in (ROOT / "pages").glob("*.py")} <= wheel


@pytest.mark.parametrize("folder", ["assets", "anchordiv"])
def test_every_tracked_file_of_the_folder_is_inside(wheel, folder):
    place = {"assets": "anchordiv/front/assets", "anchordiv": "anchordiv"}[folder]
    there = {
        f"{place}/{path.relative_to(ROOT / folder).as_posix()}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert there
    assert there <= wheel


def test_nothing_of_the_tests_is_inside(wheel):
    assert not [name for name in wheel if "test" in name.lower().split("/")[0]]


def test_places_are_found_in_the_checkout():
    assert app_file().is_file()
    assert assets_dir().is_dir()


def test_assets_stay_small():
    assert sum(path.stat().st_size for path in assets_dir().rglob("*") if path.is_file()) <= 50 * 2**20


def test_geometry_loads_torch_and_nothing_heavier():
    code = "import sys, anchordiv.geometry; print(*sorted(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "torch" in loaded
    assert not {"streamlit", "open_clip", "umap", "pandas", "plotly", "PIL", "torchvision"} & set(loaded)


@pytest.mark.parametrize("module", ["anchordiv", "anchordiv.encoders", "anchordiv.contexts.ready"])
def test_importing_is_light(module):
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"torch", "numpy", "pandas", "streamlit"} & set(loaded)
