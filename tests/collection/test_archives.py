import io
import stat
import struct
import zipfile
import zlib

import pytest

from anchordiv.collection import archives
from anchordiv.collection.sources import list_source
from anchordiv.errors import RejectedFile
from tests.collection.conftest import png


def zipped(members, **options):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data, **options)
    return stream.getvalue()


def raw_zip(members):
    """Write headers that zipfile would not write: false sizes, links, wrong checksums, code pages."""
    body, directory = b"", b""
    for m in members:
        packed, data, name = m.get("packed", m["data"]), m["data"], m["name"]
        crc, size = m.get("crc", zlib.crc32(data)), m.get("size", len(data))
        common = struct.pack(
            "<HHHHHIIIHH", 20, m.get("flags", 0), m.get("method", 0), 0, 0x5021, crc, len(packed), size, len(name), 0
        )
        mode = m.get("mode", stat.S_IFREG | 0o644)
        directory += b"PK\x01\x02" + struct.pack("<H", 0x031E) + common
        directory += struct.pack("<HHHII", 0, 0, 0, mode << 16, len(body)) + name
        body += b"PK\x03\x04" + common + name + packed
    count = len(members)
    return body + directory + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def outcome(data):
    """Return what becomes of each member: its bytes or its refusal's reason."""
    listing = list_source([("x.zip", data)])
    result = dict(listing.rejected)
    for entry in listing.entries:
        try:
            result[entry.name] = entry.read()
        except RejectedFile as refusal:
            result[entry.name] = refusal.reason
    return result


def test_members_are_read_without_their_folders_or_clutter(tmp_path):
    data = zipped([("a/img.png", png(1)), ("b/img.png", png(2)), ("__MACOSX/._img.png", b"x"), ("c/", b"")])
    (tmp_path / "x.zip").write_bytes(data)
    for source in (tmp_path / "x.zip", [("x.zip", data)], [tmp_path / "x.zip"]):
        listing = list_source(source)
        assert [e.read() for e in listing.entries] == [png(1), png(2)]
        assert listing.skipped == 1
    assert list_source(tmp_path / "x.zip").columns == ("folder",)
    assert list_source(tmp_path / "x.zip").name == "x"


def test_two_members_of_one_name_are_two_pictures():
    listing = list_source(
        [("x.zip", raw_zip([{"name": b"i.png", "data": png(1)}, {"name": b"i.png", "data": png(2)}]))]
    )
    assert [entry.read() for entry in listing.entries] == [png(1), png(2)]


def test_names_that_climb_write_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [b"../../e.png", b"/a.png", b"C:\\x.png", b"..\\..\\w.png"]
    result = outcome(raw_zip([{"name": name, "data": png(i)} for i, name in enumerate(names)]))
    assert len(result) == 4
    assert all(isinstance(value, bytes) for value in result.values())
    assert list(tmp_path.iterdir()) == []


def test_bad_members_are_refused_one_by_one_and_the_good_one_stays():
    stream = bytearray(deflated(png(3)))
    stream[len(stream) // 2] ^= 0xFF
    big = bytes(40 << 20)
    result = outcome(
        raw_zip(
            [
                {"name": b"good.png", "data": png(1)},
                {"name": b"locked.png", "data": png(2), "flags": 1},
                {"name": b"link.png", "data": b"/etc/hostname", "mode": stat.S_IFLNK | 0o777},
                {"name": b"sum.png", "data": png(3), "crc": zlib.crc32(png(3)) ^ 1},
                {"name": b"stream.png", "data": png(3), "packed": bytes(stream), "method": 8},
                {"name": b"method.png", "data": png(3), "method": 99},
                {"name": b"liar.png", "data": big, "size": 1000, "packed": deflated(big), "method": 8},
                {"name": b"zeros.png", "data": big, "packed": deflated(big), "method": 8},
                {"name": b"inner.zip", "data": zipped([("a.png", png(1))])},
            ]
        )
    )
    assert result.pop("good.png") == png(1)
    reasons = {name: str(reason) for name, reason in result.items()}
    assert "password" in reasons["locked.png"]
    assert "link" in reasons["link.png"]
    assert "damaged" in reasons["sum.png"]
    assert "damaged" in reasons["stream.png"]
    assert "method" in reasons["method.png"]
    assert "damaged" in reasons["liar.png"]
    assert "100 times" in reasons["zeros.png"]
    assert "inside an archive" in reasons["inner.zip"]


def test_budgets_are_held_on_the_bytes_really_read(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 2 << 20)
    noise = bytes(range(256)) * (12 << 10)
    assert "larger than" in outcome(zipped([("a.png", noise)]))["a.png"]
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 3 << 20)
    small = noise[: 2 << 20]
    result = outcome(zipped([("a.png", small), ("b.png", small), ("c.png", small)]))
    assert result["a.png"] == small
    assert "split it" in result["b.png"]
    assert "split it" in result["c.png"]


def test_too_many_members_are_refused(monkeypatch):
    data = zipped([(f"{i}.txt", b"") for i in range(30)])
    monkeypatch.setattr(archives, "MAX_MEMBERS", 29)
    assert "more than 29 members" in outcome(data)["x.zip"]
    monkeypatch.setattr(archives, "MAX_MEMBERS", 1)
    assert "more than 1 members" in outcome(data)["x.zip"]


@pytest.mark.parametrize("data", [b"PK\x03\x04 but no more", b"PK\x05\x06", zipped([("a.png", png(1))])[:-40]])
def test_what_only_begins_like_a_zip_is_refused_as_a_whole(data):
    assert "not a whole zip" in outcome(data)["x.zip"]


def test_names_of_old_archivers_are_shown_and_do_not_change_the_content():
    name = "日本語.png"
    members = [
        {"name": name.encode("cp932"), "data": png(1)},
        {"name": name.encode(), "data": png(1), "flags": 0x800},
        {"name": name.encode(), "data": png(1)},
    ]
    listing = list_source([("x.zip", raw_zip(members))])
    assert [entry.name for entry in listing.entries][1:] == [name, name]
    assert {entry.read() for entry in listing.entries} == {png(1)}
