"""The word lists of ``words.toml``, which the captions' grammar combines."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TEXT = files("anchordiv.encoders.starter").joinpath("words.toml").read_text("utf-8")
_LISTS = {name: tuple(" ".join(words.split()).split(", ")) for name, words in tomllib.loads(_TEXT).items()}

COLOURS = _LISTS["colours"]
QUALITIES = _LISTS["qualities"]
PATTERNS = _LISTS["patterns"]
COUNTS = _LISTS["counts"]
PLACES = _LISTS["places"]
LAYOUTS = _LISTS["layouts"]
PEOPLE = _LISTS["people"]
ACTIONS = _LISTS["actions"]
SUBJECTS = _LISTS["subjects"]
DRAWING_WORDS = _LISTS["drawing_words"]
PHOTO_WORDS = _LISTS["photo_words"]
ATELIER_OBJECTS = _LISTS["atelier_objects"]
SCANS = _LISTS["scans"]
REGIONS = _LISTS["regions"]
FINDINGS = _LISTS["findings"]
MICROSCOPY = _LISTS["microscopy"]
