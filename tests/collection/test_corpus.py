"""Every odd file of the corpus and of the failure cases ends as a picture or as a refusal with a reason."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from anchordiv.collection import Collection, read_image, thumbnail
from anchordiv.errors import RejectedFile

SHARED = Path(__file__).resolve().parents[3] / "shared"
CORPUS = SHARED / "corpus"
CASES = SHARED / "cases" / "make_cases.py"
READABLE = {"JPEG", "MPO", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "HEIF"}


# Pillow warns about what it finds in them; that is what they are there for.
@pytest.mark.filterwarnings("ignore::UserWarning:PIL", "ignore::PIL.Image.DecompressionBombWarning")
def test_every_odd_file_becomes_a_picture_or_a_refusal():
    if not (CORPUS / "expected.csv").is_file():
        pytest.skip("the corpus of odd files is not beside this checkout")
    with (CORPUS / "expected.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    wrongly_refused = []
    for row in rows:
        refusal = refusal_of(CORPUS / row["file"])
        if refusal is not None and row["result"] == "ok" and row["format"] in READABLE:
            wrongly_refused.append((row["file"], refusal.reason))
        assert refusal is None or (refusal.name == row["file"].rpartition("/")[2] and refusal.reason)
    assert wrongly_refused == []


def refusal_of(path):
    """Read a file to its end; return its refusal, or None if it is a picture."""
    try:
        image = read_image(path.read_bytes(), path.name)
    except RejectedFile as refusal:
        return refusal
    assert image.mode == "RGB"
    assert thumbnail(image)
    return None


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    if not CASES.is_file():
        pytest.skip("the failure cases are not beside this checkout")
    folder = tmp_path_factory.mktemp("cases")
    numbers = [str(n) for n in (1, 3, 5, 6, 7, 9, 13, 14, 15, 16, 17, 18, 19, 20, 27, 35, 37, 45, 46, 48, 50)]
    subprocess.run([sys.executable, str(CASES), str(folder), *numbers], check=True, capture_output=True)
    return folder


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_the_cases_end_as_their_manifest_says(cases):
    wrong = []
    for case in json.loads((cases / "manifest.json").read_text(encoding="utf-8")):
        path = cases / case["path"]
        # Whether a path may be opened at all (19) is no question of its content.
        if case["expect"] not in ("accept", "reject") or case["case"] == 19:
            continue
        if path.name in ("no_preamble.dcm", "codec_jpegls.dcm"):  # may be read, or refused where a decoder is missing
            continue
        try:
            result = "accept", list(read_image(path.read_bytes(), case["path"]).size)
        except RejectedFile as refusal:
            result = "reject", refusal.reason
        if result[0] != case["expect"] or (result[0] == "accept" and case.get("size", result[1]) != result[1]):
            wrong.append((case["path"], case["expect"], result))
    assert wrong == []


@pytest.mark.parametrize(
    ("path", "items"),
    [
        ("14_same_names/duplicate_members.zip", 2),
        ("14_same_names/two_folders.zip", 2),
        ("15_zip_slip/slip.zip", 6),
        ("16_clutter/mac.zip", 2),
        ("16_clutter/folder", 2),
        ("17_zips/zeros_200mb.zip", 1),
        ("17_zips/false_size.zip", 1),
        ("17_zips/encrypted_member.zip", 1),
        ("17_zips/corrupt_members.zip", 1),
        ("17_zips/nested.zip", 1),
        ("17_zips/20000_members.zip", 0),
        ("17_zips/cut.zip", 0),
        ("17_zips/not_a_zip.zip", 0),
        ("18_names/cp932.zip", 1),
        ("19_folders/root", 2),
        ("20_markup/names.zip", 19),
        ("27_few/n0", 0),
        ("27_few/n4", 4),
        ("37_pickle", 0),
    ],
)
def test_sources_of_the_cases_give_their_items(cases, encoder, path, items, monkeypatch):
    monkeypatch.chdir(cases)
    before = sorted(p for p in cases.rglob("*"))
    collection = Collection.open(path, encoder=encoder)
    assert len(collection) == items
    assert sorted(p for p in cases.rglob("*")) == before
    if path.startswith("16"):
        assert collection.report.skipped == 5
        assert not collection.report.rejected


def test_a_file_swapped_for_another_of_the_same_name_size_and_time_is_noticed(cases, encoder):
    before, after = (Collection.open(cases / "35_swap" / when, encoder=encoder) for when in ("before", "after"))
    assert before.items[0].name == after.items[0].name
    assert before.items[0].id != after.items[0].id
