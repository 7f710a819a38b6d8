"""Makes `tables` importable under import mode `importlib`; a busy machine fails no law."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
