"""Devices: the best one present is found and named, and what is not there is refused with a way out."""

import pytest
import torch

from anchordiv.errors import InputError
from anchordiv.geometry import device_name, device_of, devices_present, exact_device


def test_the_best_device_comes_first_and_the_processor_is_always_there():
    present = devices_present()
    assert present[-1] == "cpu"
    assert device_of() == device_of("auto") == torch.device(present[0])


@pytest.mark.parametrize("kind", devices_present())
def test_each_present_device_can_compute_and_has_a_name(kind):
    device = device_of(kind)
    assert float(torch.ones(3, device=device).sum()) == 3
    assert float(torch.ones(3, dtype=torch.float64, device=exact_device(device)).sum()) == 3
    assert device_name(device)


@pytest.mark.parametrize("name", ["gpu", "", "cpu;", "meta", "xpu", "cuda:99", *{"cuda", "mps"} - {*devices_present()}])
def test_a_device_that_is_none_or_not_here_is_refused(name):
    with pytest.raises(InputError, match="auto"):
        device_of(name)


def test_what_people_read(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA H200")
    assert device_name(torch.device("cuda")) == "NVIDIA H200 (CUDA)"
    assert device_name(torch.device("mps")) == "Apple GPU (MPS)"
    assert device_name(torch.device("cpu")) == "CPU"


def test_where_there_is_no_float64_the_processor_computes_it():
    assert exact_device(torch.device("mps")) == torch.device("cpu")
    assert exact_device(torch.device("cuda", 1)) == torch.device("cuda", 1)
