"""The installed command, called as a shell calls it."""

import os
import subprocess
import sys
from pathlib import Path

CLEANSE = str(Path(sys.executable).with_name("cleanse"))
OWN = ("FORCE_COLOR", "NO_COLOR", "CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "LANG", "LC_ALL", "LC_MESSAGES")


def environment(**env: str) -> dict[str, str]:
    """The environment without what changes how cleanse speaks, and with `env`."""
    return {**{name: value for name, value in os.environ.items() if name not in OWN}, **env}


def call(cwd: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run to its end, streams as UTF-8 text with the line ends that were written."""
    done = subprocess.run(
        [CLEANSE, *args], cwd=cwd, env=environment(**env), capture_output=True, timeout=120, check=False
    )
    out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(done.returncode)
"""


def peak_mib(*args: str) -> int:
    """The most memory that a call holds, MiB. From a small process: a child begins with the peak of its parent."""
    small = [sys.executable, "-S", "-c", PEAK, CLEANSE, *args]
    return int(subprocess.run(small, env=environment(), capture_output=True, timeout=120, check=True).stdout)
