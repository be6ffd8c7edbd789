"""DICOM: shown as the standard says, budgets before allocations, and not a word of its header anywhere."""

import io
import logging

import numpy as np
import pytest
from PIL import Image
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.pixels import get_decoder
from pydicom.sequence import Sequence
from pydicom.uid import (
    HEVCMP51,
    CTImageStorage,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLosslessSV1,
    RLELossless,
    generate_uid,
)

from anchordiv.collection import Collection, Store, read_image
from anchordiv.collection.dicom import is_dicom
from anchordiv.errors import RejectedFile

RAMP = np.arange(4096).reshape(64, 64)
SECRET, BIRTH = "SENTINEL", "19010203"
PATIENT = {
    "PatientName": f"{SECRET}^ONE", "PatientID": f"{SECRET}-7", "PatientBirthDate": BIRTH,
    "InstitutionName": f"{SECRET} HOSPITAL", "StudyDescription": f"{SECRET} STUDY", "ImageComments": SECRET,
}  # fmt: skip


def dicom(pixels, *, syntax=ExplicitVRLittleEndian, bits=12, photo="MONOCHROME2", **tags) -> bytes:
    """Write a file: ``pixels`` (frames, h, w[, 3]) or (h, w) integers, bytes that are encapsulated, or None."""
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = syntax
    dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID = CTImageStorage
    dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID = generate_uid(entropy_srcs=["a"])
    dataset.PhotometricInterpretation = photo
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 8 if bits <= 8 else 16, bits, bits - 1
    dataset.PixelRepresentation, dataset.SamplesPerPixel = 0, 1
    dataset.Rows, dataset.Columns = 64, 64
    if isinstance(pixels, bytes):
        dataset.PixelData = encapsulate([pixels])
        dataset["PixelData"].VR = "OB"
    elif pixels is not None:
        array = np.asarray(pixels)
        if array.ndim > 2 and array.shape[-1] == 3:
            dataset.SamplesPerPixel, dataset.PlanarConfiguration = 3, 0
        elif array.ndim == 3:
            dataset.NumberOfFrames = len(array)
        dataset.Rows, dataset.Columns = array.shape[-2:] if dataset.SamplesPerPixel == 1 else array.shape[-3:-1]
        order = ">" if syntax == ExplicitVRBigEndian else "<"
        kind = f"{order}i2" if tags.get("PixelRepresentation") else f"{order}u2"
        dataset.PixelData = array.astype("u1" if bits <= 8 else kind).tobytes()
        dataset["PixelData"].VR = "OB" if bits <= 8 else "OW"
    for keyword, value in tags.items():
        setattr(dataset, keyword, value)
    stream = io.BytesIO()
    dataset.save_as(stream, implicit_vr=syntax == ImplicitVRLittleEndian, little_endian=syntax != ExplicitVRBigEndian,
                    enforce_file_format=True)  # fmt: skip
    return stream.getvalue()


def shown(data: bytes) -> np.ndarray:
    image = read_image(data, "scan.dcm")
    assert image.mode == "RGB"
    assert image.info == {}
    grey = np.asarray(image)
    return grey[..., 0].astype(int)


def refusal(data: bytes) -> str:
    with pytest.raises(RejectedFile) as refused:
        read_image(data, "scan.dcm")
    return refused.value.reason


def linear_window(values, centre, width):
    """The standard's linear function (PS3.3 C.11.2.1.2.1), from 0 to 255."""
    return np.clip((values - (centre - 0.5)) / (width - 1) + 0.5, 0, 1) * 255


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian])
def test_rescale_then_window_then_inversion(syntax):
    tags = {"RescaleSlope": 2, "RescaleIntercept": -100, "WindowCenter": 2000, "WindowWidth": 2000}
    straight = linear_window(2 * RAMP - 100, 2000, 2000)
    assert abs(shown(dicom(RAMP, syntax=syntax, **tags)) - straight).max() <= 1
    assert abs(shown(dicom(RAMP, syntax=syntax, photo="MONOCHROME1", **tags)) - (255 - straight)).max() <= 1


def test_signed_values_and_the_first_of_several_windows():
    units = RAMP - 1024
    data = dicom(units, bits=16, PixelRepresentation=1, WindowCenter=[40, 600], WindowWidth=[400, 1500],
                 RescaleSlope=1, RescaleIntercept=0)  # fmt: skip
    assert abs(shown(data) - linear_window(units, 40, 400)).max() <= 1
    assert (shown(data)[units <= -160] == 0).all()
    assert (shown(data)[units >= 240] == 255).all()


@pytest.mark.parametrize("function", ["LINEAR_EXACT", "SIGMOID"])
def test_the_other_window_functions(function):
    seen = shown(dicom(RAMP, WindowCenter=2000, WindowWidth=1000, VOILUTFunction=function)).ravel()
    assert (np.diff(seen) >= 0).all()
    assert abs(seen[2000] - 127.5) <= 1
    exact = (
        np.clip((RAMP - 2000) / 1000 + 0.5, 0, 1)
        if function == "LINEAR_EXACT"
        else 1 / (1 + np.exp(-4 * (RAMP - 2000) / 1000))
    )
    assert abs(seen - 255 * exact.ravel()).max() <= 1


def test_a_table_of_values_of_interest_goes_before_a_window():
    table = Dataset()
    table.LUTDescriptor = [4096, 0, 16]
    table.LUTData = (65535 - 16 * np.arange(4096)).astype("<u2").tobytes()
    table["LUTData"].VR = "OW"
    seen = shown(dicom(RAMP, VOILUTSequence=Sequence([table]), WindowCenter=10, WindowWidth=10))
    assert abs(seen.ravel() - (65535 - 16 * np.arange(4096)) * 255 / 65535).max() <= 1


@pytest.mark.parametrize("window", [{}, {"WindowCenter": 5, "WindowWidth": 0}, {"WindowCenter": 5}])
def test_without_a_usable_window_the_range_is_spread_and_padding_does_not_count(window):
    seen = shown(dicom(RAMP // 8 + 100, **window))
    assert (seen.min(), seen.max()) == (0, 255)
    padded = RAMP // 8 + 100
    padded[0] = 4000
    assert shown(dicom(padded, PixelPaddingValue=4000, **window))[1:].max() == 255


def test_colour_and_palettes():
    colours = np.zeros((64, 64, 3), int)
    colours[:, :32, 0], colours[:, 32:, 2] = 200, 150
    seen = np.asarray(read_image(dicom(colours, bits=8, photo="RGB"), "x"))
    assert (seen == colours).all()
    entries = {"Red": [0, 255], "Green": [255, 0], "Blue": [0, 0]}
    tags = {f"{name}PaletteColorLookupTableDescriptor": [2, 0, 16] for name in entries}
    tags |= {f"{n}PaletteColorLookupTableData": (257 * np.array(e)).astype("<u2").tobytes() for n, e in entries.items()}
    seen = np.asarray(read_image(dicom(np.eye(64, dtype=int), bits=8, photo="PALETTE COLOR", **tags), "x"))
    assert (seen[0, 0] == (255, 0, 0)).all()
    assert (seen[0, 1] == (0, 255, 0)).all()


def test_of_several_frames_the_middle_one_is_shown():
    three = np.stack([np.full((64, 64), value) for value in (500, 2000, 3500)])
    seen = shown(dicom(three, WindowCenter=2048, WindowWidth=4096))
    assert abs(seen - linear_window(2000, 2048, 4096)).max() <= 1


def test_compressed_pixels_with_a_decoder_that_is_there():
    grey = (RAMP % 256).astype("u1")
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "JPEG2000", no_jp2=True)
    seen = shown(dicom(stream.getvalue(), syntax=JPEG2000Lossless, bits=8, NumberOfFrames=1))
    assert (seen == grey).all()
    runs = dicom(grey, bits=8)
    from pydicom import dcmread

    dataset = dcmread(io.BytesIO(runs))
    dataset.compress(RLELossless)
    stream = io.BytesIO()
    dataset.save_as(stream)
    assert (shown(stream.getvalue()) == grey).all()


def test_a_file_without_the_preamble_is_known_by_its_content():
    data = dicom(RAMP, WindowCenter=2048, WindowWidth=4096)
    assert is_dicom(data[132:])
    assert (shown(data[132:]) == shown(data)).all()
    assert not is_dicom(b"\x02\x00\x00\x00 something else")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (dicom(np.stack([RAMP]), NumberOfFrames=100_000), "claims 100,000 frames and holds 1"),
        (dicom(RAMP, Rows=65535, Columns=65535), "100 million pixels a frame (65535 x 65535)"),
        (dicom(RAMP[:32], Rows=64), "cut off"),
        (dicom(RAMP, Rows=0), "how large"),
        (dicom(None), "without a picture"),
        (dicom(bytes(64), syntax=HEVCMP51, bits=8, NumberOfFrames=1), "HEVC/H.265 Main Profile / Level 5.1"),
        (dicom(bytes(64), syntax=JPEG2000Lossless, bits=8, NumberOfFrames=1), "damaged or cut off"),
        (dicom(RAMP)[:300], "it"),
    ],
)
def test_each_refusal_names_its_cause(data, reason):
    assert reason in refusal(data)


@pytest.mark.skipif(get_decoder(JPEGLosslessSV1).is_available, reason="the decoder that this test misses is installed")
def test_a_missing_decoder_is_named_with_a_way_out():
    said = refusal(dicom(bytes(64), syntax=JPEGLosslessSV1, bits=8, NumberOfFrames=1))
    assert "JPEG Lossless" in said
    assert "1.2.840.10008.1.2.4.70" in said
    assert 'extra "dicom"' in said


def test_nothing_of_the_header_is_kept_logged_or_said(encoder, tmp_path, caplog, capfd, recwarn):
    files = {
        "tags.dcm": dicom(RAMP, **PATIENT),
        "no_pixels.dcm": dicom(None, **PATIENT),
        "cut.dcm": dicom(RAMP, Rows=640, **PATIENT),
        "odd.dcm": dicom(RAMP, **PATIENT, WindowCenter=2000, WindowWidth=100, VOILUTFunction=SECRET),
        "bad_uid.dcm": dicom(RAMP, **PATIENT, FrameOfReferenceUID=f"1.2.{SECRET}"),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    recwarn.clear()
    capfd.readouterr()
    place = tmp_path / "kept" / "store.sqlite"
    with_store = Store.open(place)
    collection = Collection.open([tmp_path / name for name in files], encoder=encoder, store=with_store)
    with_store.keep_collection(collection, "someone")
    with_store.close()
    collection.save(tmp_path / "kept" / "collection.npz")
    assert len(collection) >= 1
    said = [caplog.text, repr(collection), collection.report.sentence(), str(collection.report), *capfd.readouterr()]
    said += [str(warning.message) for warning in recwarn]
    kept = [file.read_bytes() for file in (tmp_path / "kept").iterdir()]
    kept += list(collection.thumbnails)
    for text in (SECRET, BIRTH):
        assert not any(text in words for words in said)
        assert not any(text.encode() in data for data in kept)
