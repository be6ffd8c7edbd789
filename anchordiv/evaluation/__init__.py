"""Evidence: does a context find what it is meant to find?"""

from anchordiv.evaluation.evaluate import Report, evaluate
from anchordiv.evaluation.metrics import average_precision

__all__ = ["Report", "average_precision", "evaluate"]
