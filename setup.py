"""The package map: engine/, ai/ and cli/ install as masons.engine, masons.ai and masons.cli.

Everything else about the project stands in pyproject.toml.
"""

from setuptools import setup

FOLDERS = {
    "masons": "api",
    "masons.engine": "engine",
    "masons.ai": "ai",
    "masons.cli": "cli",
}

setup(packages=list(FOLDERS), package_dir=FOLDERS)
