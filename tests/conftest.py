"""Makes `tables` importable under import mode `importlib`; laws have no deadline: a busy machine is no failure."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("timeless", deadline=None)
settings.load_profile("timeless")
