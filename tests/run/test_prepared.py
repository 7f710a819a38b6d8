"""What is set in a process before anything else is loaded."""

import subprocess
import sys

FAULTS = """
{first}
import resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    blocks = [b"x" * (4 << 20) for _ in range(3)]  # of 1,024 pages each
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(first: str) -> int:
    program = [sys.executable, "-c", FAULTS.format(first=first)]
    return int(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def test_blocks_of_a_file_are_not_new_to_the_process_each_time() -> None:
    kept, given_back = faults("import cleanse.run.engines.prepared"), faults("")
    assert kept < 10_000 < given_back


def test_what_a_user_has_set_stays() -> None:
    name = "OPENBLAS_NUM_THREADS"
    code = f"import os; os.environ['{name}'] = '3'; import cleanse.run.engines.prepared; print(os.environ['{name}'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "3\n"
