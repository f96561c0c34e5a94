"""Checks of answers to exercises. A notebook keeps a digest of the right answer, so that it cannot be read there."""

from __future__ import annotations

from hashlib import sha256
from itertools import product


def check_answer(answer: object, digest: str, hint: str, *, step: float = 0.001) -> str:
    """The response to an answer: "Right.", "Not yet" with a hint, or "(your turn)" while the answer is `...`.

    Numbers are right to within one `step`. Several answers are a tuple.
    """
    answers = answer if isinstance(answer, tuple) else (answer,)
    if any(one is ... for one in answers):
        return "(your turn)"
    near = product(*(_roundings(one, step) for one in answers))
    return "Right." if digest in map(_digest, near) else f"Not yet: {hint}"


def digest_of(answer: object, step: float = 0.001) -> str:
    """The digest of the right answer, for authors of exercises."""
    answers = answer if isinstance(answer, tuple) else (answer,)
    return _digest(tuple(_roundings(one, step)[0] for one in answers))


def _roundings(answer: object, step: float) -> list[str]:
    """The answer in steps and its two neighbours; text as it is."""
    try:
        number = round(float(answer) / step)  # type: ignore[arg-type]  # a text raises
    except (TypeError, ValueError, OverflowError):
        return [str(answer)]
    return [str(number), str(number - 1), str(number + 1)]


def _digest(words: tuple[str, ...]) -> str:
    return sha256("\n".join(("an exercise of capstats", *words)).encode()).hexdigest()[:12]
