"""The examples in docstrings run, and answer as they are written."""

import doctest
import importlib
import inspect
import pkgutil

import pytest
import raytwin
from raytwin import _raytwin


# Their tests are in files of their own, because the libraries that they need are not installed everywhere.
OF_OTHER_LIBRARIES = {"mujoco", "ray"}
METHODS_OF_OTHER_LIBRARIES = {"raytwin.answers.Answers.to_pandas", "raytwin.answers.Answers.to_polars"}


def examples():
    """Returns the examples of all modules, and of the extension's classes, which no module lists as its own."""
    finder = doctest.DocTestFinder()
    modules = [module.name for module in pkgutil.iter_modules(raytwin.__path__)]
    names = ["raytwin", *(f"raytwin.{name}" for name in modules if name not in OF_OTHER_LIBRARIES)]
    of_modules = [finder.find(importlib.import_module(name), name) for name in names]
    classes = [member for member in vars(_raytwin).values() if inspect.isclass(member)]
    of_classes = [finder.find(each, f"raytwin.{each.__name__}", module=False) for each in classes]
    found = {test.name: test for tests in of_modules + of_classes for test in tests if test.examples}
    return [pytest.param(test, id=name) for name, test in sorted(found.items()) if name not in METHODS_OF_OTHER_LIBRARIES]


@pytest.mark.parametrize("example", examples())
def test_an_example_answers_as_it_is_written(example):
    failures = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(example, out=failures.append)
    assert not failures, "".join(failures)
