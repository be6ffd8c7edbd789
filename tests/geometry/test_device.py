"""Devices: the best one present is found and named, and what is not there is refused with a way out."""

import pytest
import torch

from anchordiv.errors import InputError
from anchordiv.geometry import (
    bregman_k_means,
    device_name,
    device_of,
    devices_present,
    exact_device,
    left_centroid,
    m_geodesic,
    natural_from_mean,
)
from tests.geometry.families import FAMILIES, around


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


@pytest.mark.parametrize("kind", devices_present())
@pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
def test_every_family_says_the_same_on_every_device(law, kind):
    device = exact_device(device_of(kind))
    p, q = around(law, 3.0, 9, seed=1), around(law, 3.0, 9, seed=2)
    for method in (law.log_partition, law.mean_parameter, law.fisher_metric, law.level_point):
        there = method(p.to(device))
        assert there.device.type == device.type
        torch.testing.assert_close(there.cpu(), method(p))
    for compare in (law.bregman, law.bhattacharyya, law.fisher_vector_product):
        torch.testing.assert_close(compare(p.to(device), q.to(device)).cpu(), compare(p, q), atol=1e-14, rtol=1e-6)
    feature_p, feature_q = law.dual_features(p.to(device))[1], law.dual_features(q.to(device))[1]
    jeffreys = law.jeffreys_of_features(feature_p, feature_q).cpu()
    torch.testing.assert_close(jeffreys, law.bregman(p, q) + law.bregman(q, p), atol=1e-14, rtol=1e-6)
    eta = law.mean_parameter(p)
    back = natural_from_mean(eta.to(device), law)
    torch.testing.assert_close(law.mean_parameter(back).cpu(), eta, atol=1e-13, rtol=0)
    path = m_geodesic(p.to(device), q.to(device), 0.3, law)
    torch.testing.assert_close(path.cpu(), m_geodesic(p, q, 0.3, law), atol=1e-6, rtol=1e-6)
    centre = left_centroid(p.to(device), law)
    torch.testing.assert_close(centre.cpu(), left_centroid(p, law), atol=1e-6, rtol=1e-6)
    clusters = bregman_k_means(p.to(device), law, 3, side="left")
    assert clusters.assignment.tolist() == bregman_k_means(p, law, 3, side="left").assignment.tolist()


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
