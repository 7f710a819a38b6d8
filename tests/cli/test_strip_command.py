from pathlib import Path

import pytest
from commands import call


@pytest.fixture
def decoded(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text('{"body": "<p>a</p>"}\n{"body": "b"}\n')
    assert call(tmp_path, "decode", "a.jsonl", "-o", "d", "-q").returncode == 0
    return tmp_path


def test_a_preview_is_written_to_the_terminal_alone(decoded: Path) -> None:
    done = call(decoded, "strip", "d", "--preview", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["-<p>a</p>", "+a"]
    assert sorted(path.name for path in decoded.iterdir()) == ["a.jsonl", "d"]


@pytest.mark.parametrize(
    ("args", "code", "word"),
    [
        *[
            ((), 2, "--preview N"),
            (("--preview", "0"), 2, "--preview"),
            (("--columns", "note", "-o", "s"), 3, "'note'"),
        ],
        (("--set", "strip.rules=[{name: a}]", "-o", "s"), 2, "strip.rules"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(
    decoded: Path, args: tuple[str, ...], code: int, word: str
) -> None:
    done = call(decoded, "strip", "d", *args)
    assert (done.returncode, word in done.stderr) == (code, True)
    assert not (decoded / "s").exists()


def test_a_second_strip_says_that_it_has_nothing_to_do(decoded: Path) -> None:
    assert "warning" not in call(decoded, "strip", "d", "-o", "s", "-q").stderr
    again = call(decoded, "strip", "s", "-o", "t", "-q")
    assert again.stderr == "warning: 2 rows were stripped before and passed untouched\n"
    assert call(decoded, "strip", "s", "-o", "u", "-qq").stderr == ""
