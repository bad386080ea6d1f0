"""The examples in docstrings are run as tests."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import corefine
from corefine.errors import MissingExtraError

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
ROOT = Path(corefine.__file__).parent
MODULES = sorted(
    ".".join(("corefine", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


def test_modules_are_found():
    assert "corefine.errors" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name, tmp_path, monkeypatch):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "corefine":
            raise
        pytest.skip(f"needs {missing.name}, which is not installed")
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0
