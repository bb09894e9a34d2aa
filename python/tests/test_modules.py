"""Modules of the wheel that need other libraries are imported on first use, and say what to install."""

import subprocess
import sys

import pytest
import raytwin as rt

ON_USE = {"mujoco": "raytwin[mujoco]", "ray": "raytwin[ray]", "table": "raytwin[arrow]"}
# As where none of the libraries is installed.
WITHOUT_LIBRARIES = "import sys; sys.modules.update(mujoco=None, ray=None, pyarrow=None); import raytwin as rt; "


def answer(program):
    """Returns what a program prints in a process of its own."""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_raytwin_alone_reaches_a_module_on_first_use():
    before = "print(sorted(name for name in ('mujoco', 'ray', 'pyarrow', 'raytwin.table') if name in sys.modules))"
    program = f"import raytwin as rt, sys; {before}; print(callable(rt.table.cast_table)); print('raytwin.table' in sys.modules)"
    assert answer(program).split("\n") == ["[]", "True", "True"]
    assert answer("from raytwin import table; print(table.__name__)") == "raytwin.table"


@pytest.mark.parametrize("module", ON_USE)
@pytest.mark.parametrize("use", ["rt.{}", "from raytwin import {}", "import raytwin.{}"])
def test_a_missing_library_is_named_with_its_extra(module, use):
    program = f"{WITHOUT_LIBRARIES}\ntry: {use.format(module)}\nexcept ImportError as error: print(error)"
    assert f"pip install '{ON_USE[module]}'" in answer(program)


def test_what_is_listed_can_be_reached():
    assert "table" in dir(rt) and set(rt.__all__) <= set(dir(rt))
    # help() reads all that is listed.
    program = f"{WITHOUT_LIBRARIES} import inspect; print({set(ON_USE)} & {{name for name, _ in inspect.getmembers(rt)}})"
    assert answer(program) == "set()"


def test_an_unknown_name_is_no_module():
    assert not hasattr(rt, "daft")
    with pytest.raises(AttributeError, match="module 'raytwin' has no attribute 'tabel'"):
        rt.tabel
