"""Bytes become an upright RGB picture, or a refusal with a reason."""

import io
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from anchordiv.collection.dicom import is_dicom, read_dicom
from anchordiv.errors import RejectedFile

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MAX_PIXELS: Final = 100_000_000
MAX_FILE_BYTES: Final = 256 << 20
THUMBNAIL_SIDE: Final = 224
READABLE: Final = "JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC, AVIF and DICOM"

# Chosen by content through these readers alone; MPO files are opened by the JPEG reader.
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "HEIF")
_DEEP_GREY = frozenset({"I", "F", "I;16", "I;16B", "I;16L", "I;16N"})
_WHITE = (255, 255, 255, 255)

# First bytes of what people bring by mistake, so that the refusal can name it.
_KNOWN_OTHERS = (
    (b"%PDF", "a PDF document"),
    (b"%!PS", "a PostScript drawing"),
    (b"\xc5\xd0\xd3\xc6", "a PostScript drawing"),
    (b"8BPS", "a Photoshop file"),
    (b"PK\x03\x04", "an archive; open it by itself"),
    (b"PK\x05\x06", "an empty archive"),
    (b"Rar!", "an archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "an archive; unpack it first"),
    (b"\x1f\x8b", "a compressed file; unpack it first"),
    (b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (b"\xff\x0a", "a JPEG XL picture"),
    (b"\x00\x00\x00\x0cJXL ", "a JPEG XL picture"),
    (b"\x00\x00\x01\x00", "an icon file"),
    (b"DDS ", "a DirectDraw texture"),
    (b"\x93NUMPY", "an array of numbers"),
)


def read_image(data: bytes, name: str) -> "Picture":
    """Decode a picture fully: upright, on white, 16-bit grey scaled by its range, without metadata.

    Args:
        data: the file's content; its format is told by the content alone.
        name: the file's name, for the refusal.

    Returns:
        an RGB picture as it is meant to be seen; of an animation or a stack, the first frame, of a DICOM file
        with several, the middle one.

    Raises:
        RejectedFile: if it is no picture, of a format not on the list, damaged, cut off or too large.
    """
    if not data:
        raise RejectedFile(name, "the file is empty")
    if len(data) > MAX_FILE_BYTES:
        raise RejectedFile(name, f"it is larger than {MAX_FILE_BYTES >> 20} MB")
    try:
        if is_dicom(data):
            return Image.fromarray(read_dicom(data, name, MAX_PIXELS)).convert("RGB")
        _prepare_readers()
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            _refuse_large(image, name)
            _refuse_cut_jpeg(image, data, name)
            image.load()
            return _flat_rgb(ImageOps.exif_transpose(image))
    except RejectedFile:
        raise
    except UnidentifiedImageError:
        raise RejectedFile(name, _what_it_is(data)) from None
    except Image.DecompressionBombError:
        raise RejectedFile(name, _too_large()) from None
    except MemoryError:
        raise RejectedFile(name, "there is not enough memory to decode it") from None
    except Exception:
        # Decoders raise almost any type on damaged files, and one bad file must never stop the rest.
        raise RejectedFile(name, "it is damaged or cut off and cannot be decoded") from None


def thumbnail(image: "Picture", side: int = THUMBNAIL_SIDE) -> bytes:
    """Return a picture scaled down to fit a square, as WebP bytes without metadata.

    Args:
        image: an RGB picture.
        side: the square's side in pixels; smaller pictures keep their size.
    """
    small = image.copy() if max(image.size) <= side else image
    if max(image.size) > side:
        scale = side / max(image.size)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        small = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    stream = io.BytesIO()
    small.save(stream, "WEBP", quality=82, method=2)
    return stream.getvalue()


def _prepare_readers() -> None:
    """Register the HEIC reader once; it turns pictures itself and says so in what it hands on."""
    Image.init()
    if "HEIF" not in Image.OPEN:
        import pillow_heif

        pillow_heif.register_heif_opener(thumbnails=False)
    if "AVIF" not in Image.OPEN:
        import pillow_heif

        # Pillow reads AVIF since 11.3; before that the HEIC reader brought it.
        getattr(pillow_heif, "register_avif_opener", lambda: None)()


def _too_large() -> str:
    return f"it has more than {MAX_PIXELS // 1_000_000} million pixels"


def _refuse_large(image: "Picture", name: str) -> None:
    """Hold the pixel budget against the header, before anything is decoded."""
    if image.width * image.height > MAX_PIXELS:
        raise RejectedFile(name, f"{_too_large()} ({image.width} x {image.height})")
    if min(image.size) < 1:
        raise RejectedFile(name, "it has no pixels")


def _refuse_cut_jpeg(image: "Picture", data: bytes, name: str) -> None:
    """Refuse a JPEG without its end mark: the decoder fills what is missing with grey and says nothing."""
    if image.format in ("JPEG", "MPO") and b"\xff\xd9" not in data[data.rfind(b"\xff\xda") :]:
        raise RejectedFile(name, "it is cut off: the end of the picture is missing")


def _flat_rgb(image: "Picture") -> "Picture":
    """Return opaque 8-bit RGB, without metadata: deep grey scaled by its range, transparency on white."""
    if image.mode in _DEEP_GREY:
        return _scaled_grey(image)
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        flat = Image.new("RGBA", rgba.size, _WHITE)
        flat.alpha_composite(rgba)
        rgb = flat.convert("RGB")
    else:
        rgb = image.convert("RGB")
    if rgb is image:
        rgb = image.copy()
    rgb.info = {}
    # A plain picture: file classes carry their source, their EXIF and a lazy loader along.
    return rgb if type(rgb) is Image.Image else Image.frombytes("RGB", rgb.size, rgb.tobytes())


def _scaled_grey(image: "Picture") -> "Picture":
    """Spread grey of more than 8 bits over 0..255 by its own lowest and highest value."""
    values: NDArray[np.float32] = np.asarray(image).astype(np.float32)
    finite = np.isfinite(values)
    clear = _declared_clear(image, values)
    counted = values[finite & ~clear]
    low, high = (float(counted.min()), float(counted.max())) if counted.size else (0.0, 0.0)
    if high > low:
        values -= low
        values *= 255.0 / (high - low)
    elif not 0 <= low <= 255:
        # One single value has no range; a 16-bit one is read as a share of full white.
        values *= 255.0 / 65535.0
    values[~finite] = 0.0
    values[clear] = 255.0
    grey = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return Image.fromarray(grey).convert("RGB")


def _declared_clear(image: "Picture", values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where the one grey value lies that the file declares transparent."""
    declared = image.info.get("transparency")
    return np.equal(values, declared if isinstance(declared, int) else np.nan)


def _what_it_is(data: bytes) -> str:
    """Name what a file is instead of a readable picture."""
    for start, kind in _KNOWN_OTHERS:
        if data.startswith(start):
            return f"it is {kind}"
    head = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<svg", b"<?xml", b"<!doctype svg")):
        return "it is a vector drawing or other XML; export it as PNG"
    if data.startswith((b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"II*\0", b"MM\0*", b"BM")) or (
        data.startswith(b"RIFF") and data[8:12] == b"WEBP"
    ):
        return "it begins like a picture, but is damaged or cut off"
    if data[4:8] == b"ftyp":
        return "it is a video, or a picture that no installed reader knows"
    return f"it is not a picture of a kind that can be read ({READABLE})"
