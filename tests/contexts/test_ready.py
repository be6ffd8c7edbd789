"""Ready contexts speak of exactly the values the sample's labels have."""

from anchordiv.contexts import ready_contexts
from anchordiv.samples import atelier


def test_the_ateliers_contexts_name_its_labels():
    ready = ready_contexts("atelier")
    assert set(ready["style"]) == set(atelier.STYLES)
    assert set(ready["object"]) == set(atelier.OBJECTS)
    assert set(ready["colour"]) == set(atelier.COLOURS)
    assert all(prompts for groups in ready.values() for prompts in groups.values())


def test_an_unknown_sample_has_none():
    assert ready_contexts("nowhere") == {}
