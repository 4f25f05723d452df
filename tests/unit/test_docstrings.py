"""Public docstrings are complete as numpydoc has it: every parameter is named, and what is returned."""

import inspect
import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

import reproduction
import snakemake_logger_plugin_toprank
import toprank

PACKAGES = (toprank, reproduction, snakemake_logger_plugin_toprank)
PACKAGE_NAMES = {package.__name__ for package in PACKAGES}
NOTHING_RETURNED = ("None", "NoReturn", "Iterator[None]", "collections.abc.Iterator[None]")
FOREIGN_METHODS = {"get_metadata_routing"}
"""Methods of a protocol of scikit-learn, which documents them."""
FOREIGN_ATTRIBUTES = {"feature_names_in_"}
"""Attributes that scikit-learn sets."""


def list_modules(package):
    """Return the names of a package and of all its modules."""
    names = [module.name for module in walk_packages(package.__path__, f"{package.__name__}.")]
    return [package.__name__, *(name for name in names if not name.endswith("__main__"))]


def definitions(module):
    """Yield (name, object, class or None) of the public functions, classes and methods of a module."""
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(member):
            yield name, member, None
            for method_name, method in vars(member).items():
                method = getattr(method, "__func__", method)  # of class and static methods
                is_field = method_name in vars(member).get(
                    "__annotations__", {}
                )  # with a function by default
                if inspect.isfunction(method) and not (method_name.startswith("_") or is_field):
                    yield f"{name}.{method_name}", method, member
        elif callable(member) and hasattr(member, "__name__"):
            yield name, getattr(member, "py_func", member), None  # what numba compiled


def section(docstring, *titles):
    """Return the text of the first section with one of the titles; None if there is none."""
    for title in titles:
        match = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", docstring, re.M | re.S)
        if match:
            return match[1]
    return None


def is_override(name, owner):
    """Whether a class above documents the method already; an override then adds only what differs."""
    return any(name in vars(base) for base in owner.__mro__[1:] if base is not object)


def parameter_names(member):
    """Return the names of the parameters that a caller gives."""
    if getattr(member, "_is_protocol", False):  # nobody makes such an object
        return []
    if inspect.isclass(member) and not (
        hasattr(member, "__dataclass_fields__") or "__init__" in vars(member)
    ):
        return []
    parameters = inspect.signature(member).parameters
    return [name for name in parameters if name not in ("self", "cls") and not name.startswith("_")]


def missing_parts(name, member, owner):
    """Yield what a docstring lacks."""
    docstring = inspect.cleandoc(member.__doc__ or "")
    if owner and (is_override(member.__name__, owner) or member.__name__ in FOREIGN_METHODS):
        return
    parameters = parameter_names(member)
    titles = ("Parameters", "Attributes") if inspect.isclass(member) else ("Parameters",)
    described = section(docstring, *titles)
    if parameters and described is None:
        yield f"{name}: no section {titles[0]} for {', '.join(parameters)}"
    elif parameters:
        headings = re.findall(r"^([\w*][\w*, ]*?)(?: :.*)?$", described, re.M)
        named = {word.strip("* ") for heading in headings for word in heading.split(",")}
        for parameter in sorted(set(parameters) - named):
            yield f"{name}: {parameter} is not described"
    if inspect.isclass(member):
        return
    annotation = getattr(inspect.unwrap(member), "__annotations__", {}).get("return", "None")
    if str(annotation) not in NOTHING_RETURNED and annotation is not None:
        titles = ("Yields", "Returns") if "Iterator" in str(annotation) else ("Returns",)
        if section(docstring, *titles) is None:
            yield f"{name}: no section {titles[0]} for {annotation}"


def unknown_attributes(model):
    """Yield the names below Attributes that a class and its parents never define or set."""
    described = section(inspect.cleandoc(model.__doc__ or ""), "Attributes") or ""
    names = [
        name for line in re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", described, re.M) for name in line.split(", ")
    ]
    classes = [base for base in model.__mro__ if base.__module__.split(".")[0] in PACKAGE_NAMES]
    defined = {name for base in classes for name in (*vars(base), *vars(base).get("__annotations__", ()))}
    for base in classes:
        defined |= {*re.findall(r"\bself\.(\w+)", inspect.getsource(base))}
    yield from (f"{model.__name__}.{name}" for name in names if name not in defined | FOREIGN_ATTRIBUTES)


@pytest.mark.parametrize("module_name", [name for package in PACKAGES for name in list_modules(package)])
def test_the_docstrings_of_a_module_are_complete(module_name):
    if module_name == "reproduction.benchmarks.peer_solvers":
        pytest.importorskip("piqp")  # it is made of other packages, which no test needs
    module = import_module(module_name)
    missing = [part for entry in definitions(module) for part in missing_parts(*entry)]
    assert not missing, "\n".join(missing)
    models = [member for _, member, _ in definitions(module) if inspect.isclass(member)]
    assert not [name for model in models for name in unknown_attributes(model)]


def test_what_is_missing_is_noticed():
    def without_sections(a, b) -> float:
        """Add."""

    def without_one(a, *more, **options) -> "int":
        """Add.

        Parameters
        ----------
        a, *more : float
        """

    def complete(a, b=1) -> "float":
        """Add.

        Parameters
        ----------
        a, b : float
            Numbers.

        Returns
        -------
        float
        """

    assert len([*missing_parts("f", without_sections, None)]) == 2
    assert [*missing_parts("f", without_one, None)] == [
        "f: options is not described",
        "f: no section Returns for int",
    ]
    assert not [*missing_parts("f", complete, None)]


class _Renamed:
    """A fit.

    Attributes
    ----------
    rows, weights : ndarray
        What it was fitted on, and with which weights.
    """

    def __init__(self):
        self.rows = None


def test_an_attribute_that_does_not_exist_is_noticed(monkeypatch):
    monkeypatch.setattr("test_docstrings.PACKAGE_NAMES", {__name__})
    assert [*unknown_attributes(_Renamed)] == ["_Renamed.weights"]
