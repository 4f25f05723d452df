"""A fitted model as JSON, with its certificate, and as the linear model of Solr and of Elasticsearch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from toprank.certificate import Certificate
from toprank.linear_model import LinearModel, collect_model, convert_to_json_types, fold_scaling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn.preprocessing import StandardScaler

    from toprank.linear_model import ExportableModel

__all__ = ["from_json", "to_elasticsearch", "to_json", "to_solr"]

#: The values of "schema" and "schema_version" in the JSON of `to_json`.
SCHEMA, SCHEMA_VERSION = "toprank.linear-model", 1
#: What every document has beside them.
DOCUMENT_KEYS = (
    *("estimator", "n_features", "intercept", "is_scaled", "features", "certificate", "parameters"),
    "versions",
)


def to_json(
    model: ExportableModel,
    feature_names: Sequence[str] | None = None,
    *,
    scaler: StandardScaler | None = None,
    fold: bool = False,
    nonzero_only: bool = True,
) -> str:
    """Write a fitted model as JSON: weights, names, scaling, certificate, parameters and versions.

    Parameters
    ----------
    model : LinearRanker, Pipeline or LinearModel
        A fitted ranker, or a pipeline of a `StandardScaler` and a ranker.
    feature_names : sequence of str, optional
        By default those of the data frame of the fit; without them features have only their position.
    scaler : StandardScaler, optional
        The fitted scaler of the rows of the fit, if it is not in a pipeline.
    fold : bool, default=False
        Whether to divide the weights by the scales, in place of writing means and scales; the means go into
        ``intercept``.
    nonzero_only : bool, default=True
        Whether to leave out the features of weight 0.

    Returns
    -------
    str
        A JSON object. Numbers have all their digits: `from_json` returns the same weights.

    Raises
    ------
    ValueError
        If names are too few, too many or not distinct, or a step of the pipeline is no StandardScaler.
    TypeError
        If the model is none of toprank.

    Examples
    --------
    >>> import json
    >>> from toprank import TopPush
    >>> from toprank.export import to_json
    >>> model = TopPush(alpha=0.1).fit([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0]], [1, 1, 0])
    >>> document = json.loads(to_json(model, ["bm25", "age"]))
    >>> [feature["name"] for feature in document["features"]], document["certificate"]["status"]
    (['bm25', 'age'], 'certified')
    """
    linear = collect_model(model, feature_names, scaler)
    linear = fold_scaling(linear) if fold else linear
    certificate = linear.certificate_
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "estimator": linear.estimator,
        "n_features": linear.coef_.size,
        "intercept": linear.intercept_,
        "is_scaled": linear.scale_ is not None,
        "features": [_describe_feature(linear, j) for j in _list_features(linear, nonzero_only)],
        "certificate": asdict(certificate) | {"relative_gap": certificate.relative_gap},
        "parameters": linear.parameters,
        "fitted_parameters": linear.fitted_parameters,
        "versions": linear.versions,
    }
    return json.dumps(convert_to_json_types(document), indent=2, allow_nan=False, ensure_ascii=False)


def from_json(text: str | bytes | Mapping[str, Any]) -> LinearModel:
    """Read a model that `to_json` wrote.

    Parameters
    ----------
    text : str, bytes or mapping
        JSON, or what ``json.load`` made of it.

    Returns
    -------
    LinearModel
        With ``decision_function`` and ``certificate_``. Features that were left out have no name.

    Raises
    ------
    ValueError
        If it is no model of this schema.

    Examples
    --------
    >>> from toprank import TopPush
    >>> from toprank.export import from_json, to_json
    >>> model = TopPush(alpha=0.1).fit([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0]], [1, 1, 0])
    >>> from_json(to_json(model)).estimator
    'TopPush'
    """
    try:
        document = text if isinstance(text, Mapping) else json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not a model written by toprank.export.to_json: it is no JSON ({error})") from None
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise ValueError(f"not a model written by toprank.export.to_json: its schema is not {SCHEMA!r}")
    if document.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"the model has schema version {document.get('schema_version')}, but this version of toprank "
            f"reads {SCHEMA_VERSION}; read it with the version of toprank that wrote it"
        )
    missing = [key for key in DOCUMENT_KEYS if key not in document]
    if missing:
        raise ValueError(f"the model is incomplete: it has no {missing[0]!r}; write it anew by to_json")
    n_features = document["n_features"]
    columns = {"weight": np.zeros(n_features), "mean": np.zeros(n_features), "scale": np.ones(n_features)}
    names: list[str | None] = [None] * n_features
    for feature in document["features"]:
        names[feature["index"]] = feature.get("name")
        for key in columns.keys() & feature.keys():
            columns[key][feature["index"]] = feature[key]
    certificate = document["certificate"]
    bound, kkt = (
        None if certificate[key] is None else float(certificate[key]) for key in ("lower_bound", "kkt")
    )
    return LinearModel(
        coef_=columns["weight"],
        mean_=columns["mean"] if document["is_scaled"] else None,
        scale_=columns["scale"] if document["is_scaled"] else None,
        intercept_=float(document["intercept"]),
        feature_names=tuple(names) if any(names) else None,
        certificate_=Certificate(float(certificate["objective"]), certificate["status"], bound, kkt),
        estimator=document["estimator"],
        parameters=dict(document["parameters"]),
        versions=dict(document["versions"]),
        fitted_parameters=dict(document.get("fitted_parameters", {})),
    )


def to_solr(
    model: ExportableModel,
    feature_names: Sequence[str] | None = None,
    *,
    name: str = "toprank",
    store: str | None = None,
    scaler: StandardScaler | None = None,
    fold: bool = False,
    nonzero_only: bool = True,
) -> str:
    """Write a fitted model as a `LinearModel` of Solr's Learning To Rank, for its model store.

    Parameters
    ----------
    model : LinearRanker, Pipeline or LinearModel
        As in `to_json`.
    feature_names : sequence of str, optional
        As in `to_json`; the names of the features in Solr's feature store.
    name : str, default="toprank"
        Name of the model in Solr.
    store : str, optional
        The feature store, if it is not Solr's default one.
    scaler : StandardScaler, optional
        As in `to_json`. Means and scales become a ``StandardNormalizer`` of each feature.
    fold : bool, default=False
        Whether to divide the weights by the scales instead; the scores of all documents then differ by the
        same number from those of the model, and their order is the same.
    nonzero_only : bool, default=True
        Whether to leave out the features of weight 0, which Solr then need not compute.

    Returns
    -------
    str
        JSON. Solr computes scores with single precision.

    Raises
    ------
    ValueError
        As `to_json`; or if a feature has no name, all weights are 0, or a number is out of the range of
        single precision.
    TypeError
        As `to_json`.

    References
    ----------
    .. [1] Apache Solr Reference Guide, Learning To Rank; classes ``org.apache.solr.ltr.model.LinearModel``
       and ``org.apache.solr.ltr.norm.StandardNormalizer``.

    Examples
    --------
    >>> import json
    >>> from toprank import TopPush
    >>> from toprank.export import to_solr
    >>> model = TopPush(alpha=0.1).fit([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0]], [1, 1, 0])
    >>> document = json.loads(to_solr(model, ["bm25", "age"], name="shop"))
    >>> document["class"], document["features"]
    ('org.apache.solr.ltr.model.LinearModel', [{'name': 'bm25'}, {'name': 'age'}])
    """
    features = _list_named_features(model, feature_names, scaler, fold, nonzero_only)
    document: dict[str, Any] = {"class": "org.apache.solr.ltr.model.LinearModel", "name": name}
    if store is not None:
        document["store"] = store
    document["features"] = [{"name": feature["name"]} for feature in features]
    for entry, feature in zip(document["features"], features, strict=True):
        if "scale" in feature:
            params = {"avg": repr(feature["mean"]), "std": repr(feature["scale"])}  # Solr's are texts
            entry["norm"] = {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": params}
    document["params"] = {"weights": {feature["name"]: feature["weight"] for feature in features}}
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)


def to_elasticsearch(
    model: ExportableModel,
    feature_names: Sequence[str] | None = None,
    *,
    name: str = "toprank",
    scaler: StandardScaler | None = None,
    fold: bool = False,
    nonzero_only: bool = True,
) -> str:
    """Write a fitted model as ``model/linear`` of the Learning to Rank plugin of Elasticsearch or OpenSearch.

    Parameters
    ----------
    model : LinearRanker, Pipeline or LinearModel
        As in `to_json`.
    feature_names : sequence of str, optional
        As in `to_json`; the names of the features in the plugin's feature set.
    name : str, default="toprank"
        Name of the model in Elasticsearch.
    scaler : StandardScaler, optional
        As in `to_json`. Means and scales become the ``standard`` normaliser of each feature.
    fold : bool, default=False
        As in `to_solr`.
    nonzero_only : bool, default=True
        Whether to leave out the features of weight 0; the plugin gives them weight 0.

    Returns
    -------
    str
        JSON, the body of ``POST _ltr/_featureset/<feature set>/_createmodel``. The plugin computes scores
        with single precision.

    Raises
    ------
    ValueError, TypeError
        As `to_solr`.

    References
    ----------
    .. [1] Elasticsearch Learning to Rank, "Uploading A Trained Model": linear models, feature
       normalisation.

    Examples
    --------
    >>> import json
    >>> from toprank import TopPush
    >>> from toprank.export import to_elasticsearch
    >>> model = TopPush(alpha=0.1).fit([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0]], [1, 1, 0])
    >>> document = json.loads(to_elasticsearch(model, ["bm25", "age"]))
    >>> document["model"]["model"]["type"], list(json.loads(document["model"]["model"]["definition"]))
    ('model/linear', ['bm25', 'age'])
    """
    features = _list_named_features(model, feature_names, scaler, fold, nonzero_only)
    weights = {feature["name"]: feature["weight"] for feature in features}
    definition: dict[str, Any] = {"type": "model/linear"}
    if "scale" in features[0]:
        definition["feature_normalizers"] = {
            feature["name"]: {"standard": {"mean": feature["mean"], "standard_deviation": feature["scale"]}}
            for feature in features
        }
    definition["definition"] = json.dumps(weights, allow_nan=False, ensure_ascii=False)  # a text in the JSON
    return json.dumps({"model": {"name": name, "model": definition}}, indent=2, ensure_ascii=False)


def _list_features(model: LinearModel, nonzero_only: bool) -> list[int]:
    """List the features to write."""
    return np.flatnonzero(model.coef_).tolist() if nonzero_only else list(range(model.coef_.size))


def _describe_feature(model: LinearModel, j: int) -> dict[str, Any]:
    """Return position, name, weight and scaling of a feature."""
    feature: dict[str, Any] = {"index": j}
    if model.feature_names is not None and model.feature_names[j] is not None:
        feature["name"] = model.feature_names[j]
    feature["weight"] = float(model.coef_[j])
    if model.mean_ is not None and model.scale_ is not None:
        feature |= {"mean": float(model.mean_[j]), "scale": float(model.scale_[j])}
    return feature


def _list_named_features(
    model: ExportableModel,
    feature_names: Sequence[str] | None,
    scaler: StandardScaler | None,
    fold: bool,
    nonzero_only: bool,
) -> list[dict[str, Any]]:
    """Describe the features for a search engine: it knows them by name, and has single precision."""
    linear = collect_model(model, feature_names, scaler)
    linear = fold_scaling(linear) if fold else linear
    if not linear.coef_.any():
        raise ValueError(
            "all weights of the model are 0, so that all scores are equal; fit it with another parameter"
        )
    features = [_describe_feature(linear, j) for j in _list_features(linear, nonzero_only)]
    for feature in features:
        if "name" not in feature:
            raise ValueError(
                f"feature {feature['index']} has no name, but a search engine identifies features by name; "
                "give feature_names"
            )
        for key in {"weight", "mean", "scale"} & feature.keys():
            with np.errstate(over="ignore", under="ignore"):
                single = np.float32(feature[key])
            # a mean that is 0 in single precision only shifts all scores alike
            is_lost = key != "mean" and (single == 0.0) != (feature[key] == 0.0)
            if is_lost or not np.isfinite(single):
                raise ValueError(
                    f"the {key} {feature[key]:g} of {feature['name']!r} is out of the range of single "
                    "precision, in which search engines compute; change the unit of the feature"
                )
    return features
