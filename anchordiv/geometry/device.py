"""Where to compute: the devices torch can see, and the best of them."""

import torch

from anchordiv.errors import InputError


def devices_present() -> tuple[str, ...]:
    """Return the kinds of device that can be used here, the best first; ``cpu`` is always the last."""
    found = [("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available())]
    return (*(kind for kind, present in found if present), "cpu")


def device_of(name: str = "auto") -> torch.device:
    """Return the device of a name: ``auto`` (the best one present), ``cpu``, ``cuda``, ``cuda:1`` or ``mps``.

    Raises:
        InputError: for a name that is none, or a device that is not present.
    """
    if name == "auto":
        return torch.device(devices_present()[0])
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise InputError(f'"{name}" is no device; "auto", "cpu", "cuda" and "mps" are.') from error
    if device.type not in ("cpu", "cuda", "mps"):
        raise InputError(f'"{name}" is no device to compute on; "auto", "cpu", "cuda" and "mps" are.')
    if device.type not in devices_present() or (
        device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count()
    ):
        raise InputError(f'There is no "{name}" on this machine; "auto" takes what is there.')
    return device


def exact_device(device: torch.device) -> torch.device:
    """Return where float64 is computed for work on ``device``: there, or on the CPU where it has no float64."""
    return torch.device("cpu") if device.type == "mps" else device


def device_name(device: torch.device) -> str:
    """Return what people call a device: ``CPU``, ``NVIDIA H200 (CUDA)`` or ``Apple GPU (MPS)``."""
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)} (CUDA)"
    return "Apple GPU (MPS)" if device.type == "mps" else "CPU"
