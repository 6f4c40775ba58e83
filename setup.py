"""The package map: api/ installs as masons, and engine/, ai/, cli/ as packages inside it.

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
