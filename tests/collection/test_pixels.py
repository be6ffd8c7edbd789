import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, features

from anchordiv.collection.pixels import MAX_PIXELS, read_image, thumbnail
from anchordiv.errors import RejectedFile
from tests.collection.conftest import encoded, picture, png

TURNS = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
LOSSLESS = {"PNG": {}, "WEBP": {"lossless": True}, "TIFF": {}, "BMP": {}, "GIF": {}}


def upright():
    image = Image.new("RGB", (20, 60), "white")
    image.paste((220, 0, 0), (0, 0, 20, 20))
    image.paste((0, 0, 200), (0, 40, 20, 60))
    image.paste((0, 160, 0), (0, 20, 8, 40))
    return image


def with_orientation(image, value, form, **options):
    exif = Image.Exif()
    exif[0x0112] = value
    return encoded(image, form, exif=exif.tobytes(), **options)


def mean_difference(one, other):
    return np.abs(np.asarray(one, float) - np.asarray(other, float)).mean()


@pytest.mark.parametrize("form", LOSSLESS)
def test_lossless_formats_come_back_exactly(form):
    image = picture(1)
    read = read_image(encoded(image, form, **LOSSLESS[form]), "x")
    assert type(read) is Image.Image
    assert read.mode == "RGB"
    assert read.info == {}
    assert mean_difference(read, image) == 0


@pytest.mark.parametrize("name", ["x.png", "x.txt", "x", "x.eps"])
def test_the_content_alone_tells_the_format(name):
    assert read_image(encoded(picture(2), "JPEG", quality=95), name).size == (48, 36)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("value", TURNS)
def test_pictures_stand_upright_whatever_the_camera_did(value, form):
    turn = TURNS[value]
    stored = upright() if turn is None else upright().transpose(turn)
    options = {"quality": 95, "subsampling": 0} if form == "JPEG" else LOSSLESS[form]
    read = read_image(with_orientation(stored, value, form, **options), "x")
    assert read.size == (20, 60)
    assert mean_difference(read, upright()) < 2


def test_an_orientation_that_does_not_exist_is_ignored():
    assert mean_difference(read_image(with_orientation(upright(), 99, "PNG"), "x"), upright()) == 0


@pytest.mark.parametrize("form", ["HEIF", "AVIF"])
def test_phone_pictures_are_turned_exactly_once(form):
    import pillow_heif

    if form == "AVIF" and not features.check("avif"):
        pytest.skip("this Pillow writes no AVIF")
    pillow_heif.register_heif_opener()
    stored = upright().resize((80, 240), Image.Resampling.NEAREST).transpose(TURNS[6])
    read = read_image(with_orientation(stored, 6, form, quality=90), "x")
    assert read.size == (80, 240)
    assert mean_difference(read.resize((20, 60)), upright()) < 6


@pytest.mark.parametrize("highest", [65535, 4095])
@pytest.mark.parametrize("form", ["PNG", "TIFF"])
def test_deep_grey_is_scaled_by_its_range(highest, form):
    side = 256 if highest == 65535 else 64
    ramp = np.arange(highest + 1, dtype=np.uint16).reshape(side, side)
    grey = np.asarray(read_image(encoded(Image.fromarray(ramp), form), "x"))[..., 0].ravel().astype(int)
    counts = np.bincount(grey, minlength=256)
    assert (counts > 0).sum() >= 200
    assert (np.diff(grey) >= 0).all()
    assert counts.max() <= 0.02 * grey.size


@pytest.mark.parametrize("value", [0, 200, 60000])
def test_flat_deep_grey_has_no_range_and_still_opens(value):
    flat = Image.fromarray(np.full((9, 9), value, np.uint16))
    grey = np.asarray(read_image(encoded(flat, "PNG"), "x"))
    assert np.unique(grey).tolist() == [value if value < 256 else round(value / 257)]


def test_floating_point_with_holes_opens():
    values = np.linspace(-3, 5, 400, dtype=np.float32).reshape(20, 20)
    values[0, 0], values[1, 1] = np.nan, np.inf
    grey = np.asarray(read_image(encoded(Image.fromarray(values), "TIFF"), "x"))[..., 0]
    assert grey.max() == 255
    assert grey[0, 0] == 0
    assert grey[1, 1] == 0
    assert grey[19, 19] == 255


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparency_lies_on_white(mode):
    glyph = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    glyph.paste((0, 0, 0, 255), (8, 8, 24, 24))
    read = read_image(encoded(glyph.convert(mode)), "x")
    assert read.getpixel((0, 0)) == (255, 255, 255)
    assert read.getpixel((16, 16)) == (0, 0, 0)


def test_half_transparency_is_mixed_with_white():
    half = Image.new("RGBA", (4, 4), (255, 0, 0, 128))
    red, green, blue = read_image(encoded(half), "x").getpixel((1, 1))
    assert red == 255
    assert abs(green - 127) <= 1
    assert abs(blue - 127) <= 1


@pytest.mark.parametrize("mode", ["P", "L", "1", "RGB"])
def test_a_declared_transparent_colour_is_white(mode):
    image = Image.new("RGB", (8, 8), "black")
    image.paste("white", (0, 0, 4, 8))
    image = image.convert(mode)
    dark = image.getpixel((6, 6))
    assert read_image(encoded(image, transparency=dark), "x").getpixel((6, 6)) == (255, 255, 255)


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "L", "1", "P", "RGBA"])
def test_every_common_mode_becomes_rgb(mode):
    form = "TIFF" if mode in ("CMYK", "YCbCr") else "PNG"
    assert (
        mean_difference(
            read_image(encoded(picture(3).convert(mode), form), "x"), picture(3).convert(mode).convert("RGB")
        )
        < 2
    )


def test_the_first_frame_stands_for_all():
    frames = [picture(4), picture(5)]
    for form, options in [("GIF", {}), ("WEBP", {"lossless": True}), ("TIFF", {}), ("PNG", {})]:
        data = encoded(frames[0], form, save_all=True, append_images=frames[1:], **options)
        assert mean_difference(read_image(data, "x"), frames[0]) < 1
    views = encoded(frames[0], "MPO", save_all=True, append_images=frames[1:], quality=95)
    assert mean_difference(read_image(views, "x"), frames[0]) < 6


def test_metadata_stays_behind():
    exif = Image.Exif()
    exif[0x010E] = "SENTINEL"
    read = read_image(encoded(picture(1), "JPEG", exif=exif.tobytes(), comment=b"SENTINEL"), "x")
    assert not read.getexif()
    assert b"SENTINEL" not in thumbnail(read)


def whole_files():
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8))
    files = {form: encoded(noise, form) for form in ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF")}
    files["progressive"] = encoded(noise, "JPEG", progressive=True)
    files["deflated TIFF"] = encoded(noise, "TIFF", compression="tiff_adobe_deflate")
    if features.check("avif"):
        files["AVIF"] = encoded(noise, "AVIF")
    return files


@pytest.mark.parametrize("form", whole_files())
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.8])
@pytest.mark.filterwarnings("ignore:Corrupt EXIF data:UserWarning")
def test_cut_files_are_refused(form, share):
    data = whole_files()[form]
    assert read_image(data, "whole").size == (80, 60)
    with pytest.raises(RejectedFile, match=r"^cut was left out: "):
        read_image(data[: int(len(data) * share)], "cut")


def test_a_jpeg_without_its_last_two_bytes_is_refused():
    data = encoded(picture(6, (200, 150)), "JPEG")
    with pytest.raises(RejectedFile, match="cut off"):
        read_image(data[:-2], "x")
    assert read_image(data + b"some padding", "x").size == (200, 150)


def blank_png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes(64))
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(13000, 13000), (20000, 20000), (200_000, 600)])
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_the_pixel_budget_is_held_against_the_header(size):
    before = Image.MAX_IMAGE_PIXELS
    assert size[0] * size[1] > MAX_PIXELS
    with pytest.raises(RejectedFile, match="million pixels"):
        read_image(blank_png(*size), "x")
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 40 40\n", "PostScript"),
        (b"%PDF-1.4\n", "PDF"),
        (b'<svg xmlns="x"/>', "vector"),
        (b"this is not a picture\n" * 20, "not a picture"),
        (bytes(128) + b"DICM" + bytes(50), "DICOM"),
        (b"PK\x03\x04" + bytes(50), "archive"),
        (b"\x89PNG\r\n\x1a\n", "damaged or cut off"),
        (b"\0\0\0\x18ftypmp42" + bytes(60), "video"),
    ],
)
def test_what_is_no_picture_is_named(data, reason):
    with pytest.raises(RejectedFile, match=reason):
        read_image(data, "x.png")


def test_formats_off_the_list_are_refused_even_if_pillow_reads_them():
    for form in ("TGA", "PCX", "PPM", "ICO", "JPEG2000", "DDS"):
        with pytest.raises(RejectedFile):
            read_image(encoded(picture(1), form), "x.png")


@pytest.mark.parametrize(("size", "wanted"), [((600, 300), (224, 112)), ((30, 20), (30, 20)), ((5000, 2), (224, 1))])
def test_thumbnails_fit_the_square(size, wanted):
    small = Image.open(io.BytesIO(thumbnail(Image.new("RGB", size, (10, 200, 30)))))
    assert small.format == "WEBP"
    assert small.size == wanted
    assert mean_difference(small.convert("RGB"), Image.new("RGB", wanted, (10, 200, 30))) < 6


def test_thumbnails_are_the_same_on_every_run():
    assert thumbnail(read_image(png(1), "a")) == thumbnail(read_image(png(1), "b"))
