"""The CAP intruder as a scikit-learn classifier. Only this module needs scikit-learn; it is imported on first use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.individual import individual_cap
from capstats.cap.neighbours import Convention, rows_used
from capstats.codes.column import Column, Places
from capstats.codes.distinct import count
from capstats.sources.columns import column_of
from capstats.tables.aligned import Aligned
from capstats.tables.axes import coords_of, join_columns
from capstats.tables.table import Array, Floats
from capstats.tables.ties import reaches

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
except ImportError as error:  # the class and its documentation exist without scikit-learn; creating an instance raises
    _BASES: tuple[Any, ...] = ()
    _LACKING: ImportError | None = error
else:
    _BASES = (ClassifierMixin, BaseEstimator)
    _LACKING = None


@contextmanager
def _no_types() -> Iterator[None]:
    """Remove the advice to pass `types` from errors about labels: a classifier has no such parameter."""
    try:
        yield
    except TypeError as error:
        raise TypeError(re.sub(r", or say types=.*", ".", str(error))) from error


def _places(columns: int) -> list[str]:
    return [f"x{v}" for v in range(columns)]


class CAPClassifier(*_BASES):  # type: ignore[misc]
    """The CAP intruder as a scikit-learn classifier: the probability of a class is its share among the equal fitted rows.

    It looks up a person's key in the release and uses the targets found there as probabilities.

    Parameters
    ----------
    unmatched : {"zero", "drop", "nearest"}
        Probabilities of a row without an equal fitted row: zeros, NaN, or those from the fitted rows that differ from it in the fewest
        columns.
    radius : int
        Number of columns in which a fitted row may differ from a row and still be used for it; from 0 to the number of columns.

    Attributes
    ----------
    classes_ : array
        The classes, in order.
    n_features_in_ : int
        The number of columns.

    Raises
    ------
    ImportError
        Without scikit-learn (extra ``learn``).

    See Also
    --------
    individual_cap : the same number from tables of counts. model_attack : the attack with any classifier.

    Notes
    -----
    See theory/attacks.md#model-attack. Columns may hold numbers, strings or missing values (a level of their own). ``predict`` returns the
    most probable class, the first one in case of a tie, and the most frequent fitted class for a row without probabilities.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 1.

    Examples
    --------
    A sick and a healthy smoker, when 8 sick and 25 healthy smokers are released:

    >>> intruder = CAPClassifier().fit([["smoker"]] * 33, ["sick"] * 8 + ["healthy"] * 25)
    >>> intruder.classes_.tolist(), intruder.predict_proba([["smoker"], ["other"]]).round(4).tolist()
    (['healthy', 'sick'], [[0.7576, 0.2424], [0.0, 0.0]])
    """

    def __init__(self, *, unmatched: Convention = "zero", radius: int = 0):
        if _LACKING is not None:
            raise ImportError("CAPClassifier needs scikit-learn. Install capstats[learn].") from _LACKING
        self.unmatched = unmatched
        self.radius = radius

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CAPClassifier:  # noqa: N803
        """Count the rows of each class.

        Parameters
        ----------
        X : array-like or data frame, shape (rows, columns)
            The keys of the released records.
        y : array-like, shape (rows)
            Their targets.
        sample_weight : array-like, shape (rows), optional
            Weight of each row, 0 or more. Default: 1.

        Returns
        -------
        CAPClassifier
            Itself.
        """
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import _check_sample_weight, validate_data

        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")  # noqa: N806
        check_classification_targets(y)
        self.classes_, target = np.unique(y, return_inverse=True)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        columns = self._columns(X)
        rows, (counts,) = count([*columns, Column(target, range(len(self.classes_)))], () if weights is None else [weights])
        *keys, classes = (codes.astype(np.int64) for codes in rows.codes)
        self._keys = [Column(codes, column.labels) for codes, column in zip(keys, columns, strict=True)]
        self._classes, self._counts = classes, counts
        rows_used(Aligned({"s": self._released()[0]}), self.unmatched, self.radius)  # raises an error for an unknown convention
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Probability of each class for each row.

        Parameters
        ----------
        X : array-like or data frame, shape (rows, columns)
            The keys to predict.

        Returns
        -------
        array, shape (rows, classes)
            From 0 to 1. Each row adds up to 1, except rows without an equal fitted row (see `unmatched`).
        """
        from sklearn.utils.validation import check_is_fitted, validate_data

        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite="allow-nan")  # noqa: N806
        s, (asked,) = self._released(self._columns(X))
        q: Array = individual_cap(s, s, unmatched=self.unmatched, radius=self.radius).values
        return q[:, asked].T

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like or data frame, shape (rows, columns)
            The keys to predict.

        Returns
        -------
        array, shape (rows)
            Classes.
        """
        q = np.nan_to_num(self.predict_proba(X))
        of_all = np.bincount(self._classes, self._counts, minlength=len(self.classes_))
        best = reaches(q, q.max(axis=1, keepdims=True)).argmax(axis=1)  # the first of those that tie
        found: Array = self.classes_[np.where(q.any(axis=1), best, reaches(of_all, of_all.max()).argmax())]
        return found

    @_no_types()
    def _released(self, *asked: list[Column]) -> tuple[xr.DataArray, list[Places]]:
        """The fitted rows as a table of counts over their keys and the requested keys, and the positions of the requested keys."""
        axis, (fitted, *places) = join_columns([self._keys, *asked], self._names(), ["the fitted X", "X"][: 1 + len(asked)])
        s = np.zeros((len(self.classes_), len(axis)), self._counts.dtype)
        np.add.at(s, (self._classes, fitted), self._counts)
        return xr.DataArray(s, coords_of("key", axis.set_names(_places(len(self._keys)))), ("target", "key")), places

    def _names(self) -> list[str]:
        """Names of the columns: as in the data frame, or x0, x1, ..."""
        return list(getattr(self, "feature_names_in_", _places(self.n_features_in_)))

    @_no_types()
    def _columns(self, x: Array) -> list[Column]:
        """The columns of X as codes that start at 0."""
        found = [column_of(x[:, v], name, "X") for v, name in enumerate(self._names())]
        return [Column(c.codes.astype(np.int64) - c.first, c.labels) for c in found]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags
