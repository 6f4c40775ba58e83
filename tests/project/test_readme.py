"""What the README shows is what happens."""

import doctest

from tests.support.paths import ROOT

README = ROOT / "README.md"


def test_the_python_example_runs():
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 6
    assert results.failed == 0


def test_linked_files_exist():
    text = README.read_text()
    for part in text.split("](")[1:]:
        assert (README.parent / part.split(")")[0]).exists()
