"""All that is measured, by name: `against.py` compares WORKS, `test_suite.py` times everything."""

from __future__ import annotations

import kernels
import play
import startup
import texts
from measuring import Work

WORKS: dict[str, Work] = {**kernels.WORKS, **texts.WORKS, **play.WORKS, **startup.WORKS}
EVERYTHING: dict[str, Work] = {**WORKS, **play.SCALES}
