import os

import pytest

from anchordiv.collection.sources import is_clutter, list_source
from anchordiv.errors import InputError
from tests.collection.conftest import png


def fill(root, names):
    for number, name in enumerate(names):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(number))


def names_of(listing):
    return [entry.name for entry in listing.entries]


def test_a_folder_is_read_in_the_order_of_names_whatever_the_disk_says(tmp_path):
    fill(tmp_path, ["b.png", "a.png", "z/2.png", "z/1.png", "c/x.png"])
    assert names_of(list_source(tmp_path)) == ["a.png", "b.png", "c/x.png", "z/1.png", "z/2.png"]
    assert list_source(str(tmp_path)).name == tmp_path.name


def test_sub_folders_become_a_label_below_what_they_share(tmp_path):
    fill(tmp_path, ["train/cat/1.png", "train/dog/2.png", "train/3.png"])
    listing = list_source(tmp_path)
    assert listing.columns == ("folder",)
    assert {entry.name: entry.labels["folder"] for entry in listing.entries} == {
        "train/cat/1.png": "cat",
        "train/dog/2.png": "dog",
        "train/3.png": ".",
    }


@pytest.mark.parametrize("names", [["1.png", "2.png"], ["only/1.png", "only/2.png"], []])
def test_without_different_sub_folders_there_is_no_label(tmp_path, names):
    fill(tmp_path, names)
    assert list_source(tmp_path).columns == ()


@pytest.mark.parametrize(
    "name",
    [
        ".DS_Store",
        "a/.DS_Store",
        "__MACOSX/._a.png",
        "__MACOSX/sub/b.png",
        "Thumbs.db",
        "desktop.ini",
        ".git/x.png",
        "a/._b.png",
    ],
)
def test_clutter_is_known(name):
    assert is_clutter(name)
    assert is_clutter(name.replace("/", "\\"))


@pytest.mark.parametrize("name", ["a.png", "../a.png", "./a.png", "thumbs.png", "my__MACOSX.png", "thumbs.db/a.png"])
def test_pictures_are_no_clutter(name):
    assert not is_clutter(name)


def test_clutter_is_counted_and_not_listed(tmp_path):
    fill(tmp_path, ["a.png", ".DS_Store", "__MACOSX/._a.png", "sub/Thumbs.db", "sub/b.png"])
    listing = list_source(tmp_path)
    assert names_of(listing) == ["a.png", "sub/b.png"]
    assert listing.skipped == 3
    assert listing.rejected == []


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_links_are_left_out_so_nothing_outside_and_nothing_twice_is_read(tmp_path):
    root = tmp_path / "root"
    fill(tmp_path, ["root/a.png", "root/sub/b.png", "outside/secret.png", "root_sibling/c.png"])
    for link, target in [
        ("loop", ".."),
        ("self", "."),
        ("out", "../outside"),
        ("sub/out.png", "../../outside/secret.png"),
        ("again", "sub"),
    ]:
        (root / link).symlink_to(target)
    listing = list_source(root)
    assert names_of(listing) == ["a.png", "sub/b.png"]
    assert listing.skipped == 5


def test_pipes_are_not_read(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "pipe.png")
    listing = list_source(tmp_path)
    assert listing.entries == []
    assert listing.skipped == 1


def test_lists_of_files_and_folders(tmp_path):
    fill(tmp_path, ["a.png", "more/b.png"])
    listing = list_source([tmp_path / "a.png", str(tmp_path / "more"), tmp_path / "gone.png"])
    assert names_of(listing) == ["a.png", "b.png"]
    assert listing.rejected == [(str(tmp_path / "gone.png"), "there is no such file")]


def test_pairs_of_names_and_bytes_keep_equal_names(tmp_path):
    listing = list_source([("img.png", png(1)), ("img.png", png(2)), (".DS_Store", b"x"), ("empty.png", b"")])
    assert names_of(listing) == ["img.png", "img.png", "empty.png"]
    assert listing.entries[0].read() != listing.entries[1].read()
    assert listing.skipped == 1


@pytest.mark.parametrize("source", [3, None, b"bytes", {"a": b"b"}, [3], [("a", "text")], [("a", b"x", 1)]])
def test_other_things_are_refused(source):
    with pytest.raises(InputError):
        list_source(source)


def test_a_place_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="check the spelling"):
        list_source(tmp_path / "nothing")


@pytest.mark.parametrize("place", ["n" * 5000, "~no_such_person_here/x", "a\0b", "n" * 5000 + ".csv"])
def test_places_that_cannot_be_are_refused(place, tmp_path):
    with pytest.raises(InputError):
        list_source(place)


def test_folders_that_may_not_be_opened_are_named(tmp_path, monkeypatch):
    fill(tmp_path, ["a.png", "closed/b.png"])
    scandir = os.scandir

    def guarded(place):
        if str(place).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", guarded)
    listing = list_source(tmp_path)
    assert names_of(listing) == ["a.png"]
    assert listing.rejected[0][0].endswith("closed")


def test_names_whose_bytes_are_no_text_can_be_printed(tmp_path):
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.png")).write_bytes(png(1))
    except OSError:
        pytest.skip("this file system takes no such names")
    (entry,) = list_source(tmp_path).entries
    assert entry.name.encode("utf-8")
    assert entry.read() == png(1)


def test_uploaded_folders_are_labelled_too():
    listing = list_source([("set/cat/1.png", png(1)), ("set/dog/2.png", png(2))])
    assert [entry.labels["folder"] for entry in listing.entries] == ["cat", "dog"]
