"""The errors people see: each is one sentence that says what was got, what is wanted and a way out."""


class AnchordivError(Exception):
    """Any refusal of anchordiv; its text is written for the person who caused it."""


class InputError(AnchordivError, ValueError):
    """An argument that cannot be used: wrong shape, unknown name, empty group, numbers that are not finite."""


class ModelUnavailable(AnchordivError):
    """An encoder that cannot be loaded here: unknown name, missing file, no network."""


class RejectedFile(AnchordivError):
    """One file that cannot become a picture, with the reason.

    Args:
        name: the file's name as the person knows it.
        reason: a phrase that completes "NAME was left out: ...".
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} was left out: {reason}")
        self.name = name
        self.reason = reason


class StoreUnavailable(AnchordivError):
    """The store cannot be opened or written.

    Args:
        place: the store's file.
        reason: a phrase that completes "The store PLACE cannot be used: ...".
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            f"The store {place} cannot be used: {reason}. Name another one with --store FILE or ANCHORDIV_STORE, "
            "or keep nothing with :memory:."
        )
        self.reason = reason
