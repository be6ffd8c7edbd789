"""What a reader and an importer may count on: short functions, and torch as the only heavy import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import anchordiv.geometry

MODULES = sorted(Path(anchordiv.geometry.__file__).parent.glob("*.py"))
LONGEST = 25


def lines_without_docstring(function: ast.FunctionDef) -> int:
    said = 0
    if ast.get_docstring(function) is not None:
        said = function.body[0].end_lineno - function.body[0].lineno + 1
    return function.end_lineno - function.lineno + 1 - said


@pytest.mark.parametrize("module", MODULES, ids=[module.stem for module in MODULES])
def test_every_function_fits_into_one_look(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert module.stem == "__init__" or functions
    too_long = {node.name: n for node in functions if (n := lines_without_docstring(node)) > LONGEST}
    assert not too_long


def test_importing_the_geometry_loads_torch_and_nothing_heavier():
    def loaded(statement: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", f"{statement}\nimport sys; print(*sys.modules)"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return {name.split(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names

    beyond_torch = loaded("import anchordiv.geometry") - loaded("import torch")
    assert beyond_torch == {"anchordiv"}


def test_the_geometry_alone_is_the_whole_package_that_loads():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import anchordiv.geometry"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    ours = {line.split("|")[-1].strip() for line in done.stderr.splitlines() if "anchordiv" in line}
    assert "anchordiv.geometry" in ours
    assert {name.split(".")[1] for name in ours if "." in name} == {"geometry", "errors", "lazy"}
