"""DICOM files become upright grey or colour pictures; nothing of their header goes further than this module.

The order is that of the standard (DICOM PS3.3 C.11 and PS3.4 N.2): modality transformation, values of
interest, then inversion of MONOCHROME1. Of several frames the middle one is taken.
"""

import io
import logging
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anchordiv.errors import RejectedFile

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

_PREAMBLE, _MARK = 128, b"DICM"
# A file without preamble begins with the length of its file meta group, an explicit UL.
_BARE_START = b"\x02\x00\x00\x00UL\x04\x00"
_FLOATS = ("FloatPixelData", "DoubleFloatPixelData")
_EVERYTHING = 1e30


def is_dicom(data: bytes) -> bool:
    """Tell by its first bytes whether a file is DICOM, with or without the preamble."""
    return data[_PREAMBLE : _PREAMBLE + 4] == _MARK or data.startswith(_BARE_START)


def read_dicom(data: bytes, name: str, max_pixels: int) -> NDArray[np.uint8]:
    """Return the picture of a DICOM file as it is meant to be seen: ``(h, w)`` grey or ``(h, w, 3)`` colour.

    Args:
        data: the file's content.
        name: the file's name, for the refusal.
        max_pixels: how many pixels a frame may have.

    Raises:
        RejectedFile: if it holds no picture, claims more than it holds, is too large, or is compressed by a
            method no installed decoder knows; the reason quotes nothing of its header but that method.
    """
    _hush_pydicom()
    dataset = _parsed(data, name)
    values = _decoded(dataset, name, _checked_frame(dataset, name, max_pixels))
    try:
        return _shown(dataset, values)
    except MemoryError:
        raise
    except Exception:
        raise RejectedFile(name, "its DICOM header says how to show it in a way that cannot be followed") from None


def _hush_pydicom() -> None:
    """Silence warnings and log of pydicom: they quote what it stumbles over, which may be a patient's name.

    Asked for at each file and for good: a filter for a while is not safe where several threads read, and
    whoever else sets one for a while takes ours away with it.
    """
    warnings.filterwarnings("ignore", module=r"pydicom\b|anchordiv\.collection\.dicom")
    logging.getLogger("pydicom").setLevel(logging.CRITICAL + 1)


def _parsed(data: bytes, name: str) -> "Dataset":
    from pydicom import dcmread

    try:
        return dcmread(io.BytesIO(data), force=data[_PREAMBLE : _PREAMBLE + 4] != _MARK)
    except MemoryError:
        raise
    except Exception:
        raise RejectedFile(name, "it is a DICOM file that is damaged or cut off") from None


def _checked_frame(dataset: "Dataset", name: str, max_pixels: int) -> int:
    """Return which frame to decode, after holding what the header claims against what is there."""
    if not any(keyword in dataset for keyword in ("PixelData", *_FLOATS)):
        raise RejectedFile(name, "it is a DICOM file without a picture")
    rows, columns = _whole(dataset, "Rows"), _whole(dataset, "Columns")
    if rows < 1 or columns < 1:
        raise RejectedFile(name, "it is a DICOM file that does not say how large its picture is")
    if rows * columns > max_pixels:
        size = f"{columns} x {rows}"
        raise RejectedFile(name, f"it has more than {max_pixels // 1_000_000} million pixels a frame ({size})")
    frames = max(1, _whole(dataset, "NumberOfFrames", 1))
    _refuse_missing_decoder(dataset, name)
    held = _frames_held(dataset, rows * columns)
    if held is not None and held < frames:
        said = "one frame" if frames == 1 else f"{frames:,} frames"
        raise RejectedFile(name, f"it is cut off: it claims {said} and holds {held:,}")
    return frames // 2


def _refuse_missing_decoder(dataset: "Dataset", name: str) -> None:
    from pydicom.pixels import get_decoder

    syntax = getattr(getattr(dataset, "file_meta", None), "TransferSyntaxUID", None)
    if syntax is None:
        raise RejectedFile(name, "it is a DICOM file that does not say how its pixels are stored")
    try:
        known = get_decoder(syntax)
    except NotImplementedError:
        known = None
    method = f"{syntax.name} ({syntax})" if syntax.name != str(syntax) else "an unknown transfer syntax"
    if known is None:
        raise RejectedFile(name, f"its pixels are stored as {method}, which cannot be decoded")
    if not known.is_available:
        way_out = 'install anchordiv with its extra "dicom"'
        raise RejectedFile(name, f"its pixels are stored as {method}, for which no decoder is installed; {way_out}")


def _frames_held(dataset: "Dataset", pixels: int) -> int | None:
    """Return how many whole frames uncompressed pixel data hold; None where only decoding tells."""
    if dataset.file_meta.TransferSyntaxUID.is_encapsulated:
        return None
    keyword = next(key for key in ("PixelData", *_FLOATS) if key in dataset)
    data, samples = dataset[keyword].value or b"", _whole(dataset, "SamplesPerPixel", 1)
    bits = {"FloatPixelData": 32, "DoubleFloatPixelData": 64}.get(keyword, _whole(dataset, "BitsAllocated", 0))
    frame_bits = pixels * samples * bits
    if dataset.get("PhotometricInterpretation") == "YBR_FULL_422":
        frame_bits = frame_bits * 2 // 3
    return 0 if frame_bits <= 0 else 8 * len(data) // frame_bits


def _decoded(dataset: "Dataset", name: str, frame: int) -> NDArray[Any]:
    from pydicom.pixels import pixel_array

    try:
        return np.asarray(pixel_array(dataset, index=frame))
    except MemoryError:
        raise
    except Exception:
        raise RejectedFile(name, "its pixels are damaged or cut off and cannot be decoded") from None


def _shown(dataset: "Dataset", values: NDArray[Any]) -> NDArray[np.uint8]:
    kind = str(dataset.get("PhotometricInterpretation", "MONOCHROME2"))
    if kind == "PALETTE COLOR":
        from pydicom.pixels import apply_color_lut

        coloured = apply_color_lut(values, dataset)
        return _eight_bits(coloured, 8 * coloured.dtype.itemsize)
    if values.ndim == 3:
        return _eight_bits(values[..., :3], _whole(dataset, "BitsStored", 8))
    grey = _grey(dataset, values)
    return 255 - grey if kind == "MONOCHROME1" else grey


def _eight_bits(values: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    scaled = values.astype(np.float32) * (255.0 / (2**bits - 1))
    eight: NDArray[np.uint8] = np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
    return eight


def _grey(dataset: "Dataset", values: NDArray[Any]) -> NDArray[np.uint8]:
    """Return 0 to 255 before any inversion: through the first window or table given, else by the range."""
    from pydicom.pixels import apply_modality_lut, apply_voi, apply_windowing

    measured = np.asarray(apply_modality_lut(values, dataset))
    if "VOILUTSequence" in dataset and dataset.VOILUTSequence:
        looked_up = np.asarray(apply_voi(measured, dataset))
        return _spread(looked_up, 0.0, float(2 ** int(dataset.VOILUTSequence[0].LUTDescriptor[2]) - 1))
    if _has_window(dataset):
        windowed = np.asarray(apply_windowing(measured.astype(np.float64), dataset))
        # The window ends where the values' own range does; what lies beyond all of them shows where.
        low, high = apply_windowing(np.array([-_EVERYTHING, _EVERYTHING]), dataset)
        return _spread(windowed, float(low), float(high))
    return _by_range(measured.astype(np.float32), values == dataset.get("PixelPaddingValue"))


def _by_range(values: NDArray[np.float32], left_out: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Spread values over 0..255 by the lowest and highest that count; those left out and NaN become 0."""
    counts = np.isfinite(values) & ~left_out
    low, high = (float(values[counts].min()), float(values[counts].max())) if counts.any() else (0.0, 0.0)
    return _spread(np.where(counts, values, low), low, high)


def _spread(values: NDArray[Any], low: float, high: float) -> NDArray[np.uint8]:
    if not high > low:
        return np.zeros(values.shape, np.uint8)
    share = (values.astype(np.float64) - low) / (high - low)
    return np.clip(np.rint(255 * share), 0, 255).astype(np.uint8)


def _has_window(dataset: "Dataset") -> bool:
    """Tell whether a usable window is given; some scanners write a width of 0."""
    try:
        widths, centres = dataset.get("WindowWidth"), dataset.get("WindowCenter")
        first = [float(np.atleast_1d(np.asarray(value, dtype=object))[0]) for value in (widths, centres)]
    except (TypeError, ValueError, IndexError):
        return False
    exact = dataset.get("VOILUTFunction", "LINEAR") != "LINEAR"
    return all(np.isfinite(first)) and (first[0] > 0 if exact else first[0] >= 1)


def _whole(dataset: "Dataset", keyword: str, absent: int = 0) -> int:
    """Return a whole number of the header; one that is none counts as absent."""
    try:
        return int(dataset.get(keyword, absent))
    except (TypeError, ValueError):
        return absent
