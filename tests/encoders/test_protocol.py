import subprocess
import sys

import pytest


def test_importing_the_encoders_loads_neither_torch_nor_open_clip():
    code = (
        "import sys, anchordiv.encoders as e, anchordiv.encoders.protocol, anchordiv.encoders.presets;"
        "e.Encoder, e.EncoderCard, e.load_encoder;"
        "print([m for m in ('torch', 'open_clip', 'streamlit', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    from anchordiv import encoders

    assert all(getattr(encoders, name) is not None for name in encoders.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = encoders.no_such_name


def test_a_loaded_encoder_keeps_the_protocol(encoder):
    from anchordiv.encoders import Encoder

    checked: Encoder = encoder
    assert isinstance(checked.identity, str)
    assert checked.dim == 24
    assert checked.concentration > 0
    assert checked.card.image_size == 32
    assert checked.card.context_length == 16
    assert checked.card.parameters > 1_000_000
    assert checked.card.device == "cpu"
