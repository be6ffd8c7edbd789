"""Training of the starter: the small dual encoder that ships with Anchordiv, made by one command.

    python -m anchordiv.encoders.starter train --work FOLDER --out assets/starter

Two towers of other people's making are brought together on public material whose licences allow the derived
weights to be shipped; the list with versions, SHA-256 and licences is ``sources.SOURCES``:

- the image tower is EfficientNet-Lite0 with its published ImageNet weights (Apache-2.0);
- the text tower is small and new; it learns from all-MiniLM-L6-v2 (Apache-2.0) what sentences mean;
- pictures with words are emoji (Noto, Apache-2.0; Twemoji, CC BY 4.0; Fluent, MIT), Open Clip Art (public domain),
  redrawings of these in other styles, and our own drawings;
- words without pictures are WordNet's nouns and glosses (WordNet licence), emoji keywords (MIT), ImageNet's class
  names, and sentences of our own grammar.

The rooms, in the order of the work: ``sources`` (what is downloaded, by name, version and SHA-256), ``concepts``
(what the emoji show, and the split), ``stylise`` and ``pictures`` (the training pictures), ``drawings`` (our own),
``styles``, ``words`` and ``captions`` (the sentences), ``teacher`` and ``distil`` (the text tower), ``features`` (the
image tower's features), ``photographs`` (what the classifier knows of photographs), ``pairs``, ``align`` and
``refine`` (the projection into the text tower's space, and the image tower's last stage), ``evaluate`` (figures),
``export`` (the model's folder), ``training`` (all of it).

Nothing that is downloaded is part of the project; only the weights in ``assets/starter`` are.
"""
