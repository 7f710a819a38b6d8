"""Over-long bodies in tokens of a tokenizer that was trained here: it reads most characters as several bytes."""

import json
from pathlib import Path
from typing import Any

import pytest
from checking import BODY, TITLE, checked, text
from hypothesis import given
from hypothesis import strategies as st
from tables import records

from cleanse.errors import ConfigError
from cleanse.run import markers
from cleanse.run.manifest import head, stage_head
from cleanse.settings import CheckSettings, Settings
from cleanse.stages import check, overlong, tokens
from cleanse.text.cutting import pieces

tokenizers = pytest.importorskip("tokenizers")
PIECES = st.lists(
    st.sampled_from(["今天天气很好", "龘", "。", "，", " is fine", "e\u0301", "👍🏽", "the weather", "\n"])
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tokenizer.json that cuts and fills up what it reads, and puts a special token before it."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<s>"], initial_alphabet=letters, show_progress=False
    )
    made.train_from_iterator([text(50), "the weather is fine"], trainer)
    made.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    made.enable_truncation(8)
    made.enable_padding(length=20)
    target = str(tmp_path_factory.mktemp("tokens") / "tokenizer.json")
    made.save(target)
    return target


def size(body: str, path: str) -> int:
    """How many tokens a body has."""
    return len(tokens.ends(body, path))


def settings(path: str, limit: int, **more: Any) -> dict[str, Any]:
    off = {"body_min": 0, "max_symbol_share": None, "max_repeated_share": None}
    return {"over_long_unit": "token", "tokenizer": path, "over_long_limit": limit, **off, **more}


@pytest.mark.parametrize(("more", "want"), [(-1, "body_over_long"), (0, None), (1, None)])
def test_a_body_may_have_as_many_tokens_as_the_limit_special_ones_apart(path: str, more: int, want: str | None) -> None:
    for body in (BODY, "龘" * 9, "the weather is fine"):  # fewer, as many and more characters than tokens
        outcome = checked({"title": [TITLE], "body": [body]}, **settings(path, size(body, path) + more))
        assert outcome.kept["_flags"].item() == want


def test_an_empty_or_null_body_is_not_over_long(path: str) -> None:
    frame = records({"title": [TITLE] * 2, "body": ["", None]})
    assert overlong.long_rows(frame, CheckSettings(**settings(path, 1))).to_list() == [False, False]


@given(parts=PIECES, limit=st.integers(9, 40))
def test_pieces_add_up_and_hold_no_more_tokens_than_the_limit(path: str, parts: list[str], limit: int) -> None:
    body = "".join(parts) + "。"
    outcome = checked({"title": [TITLE], "body": [body]}, over_long="split", **settings(path, limit))
    assert "".join(outcome.kept["body"]) == body
    assert all(0 < size(piece, path) <= limit for piece in outcome.kept["body"])
    cut = checked({"title": [TITLE], "body": [body]}, over_long="truncate", **settings(path, limit)).kept["body"].item()
    assert body.startswith(cut)
    assert 0 < size(cut, path) <= limit


def test_a_body_is_cut_after_a_sentence_within_the_tokens(path: str) -> None:
    body = f"{text(22)}。{text(22)}。"
    limit = size(text(22) + "。" + text(6), path)
    cut = checked({"title": [TITLE], "body": [body]}, over_long="truncate", **settings(path, limit))
    assert cut.kept["body"].item() == f"{text(22)}。"
    split = checked({"title": [TITLE], "body": [body]}, over_long="split", **settings(path, limit))
    assert split.kept["body"].to_list() == [f"{text(22)}。"] * 2


def test_a_character_of_more_tokens_than_the_limit_stays_whole(path: str) -> None:
    outcome = checked({"title": [TITLE], "body": ["龘龘"]}, over_long="split", **settings(path, 1))
    assert outcome.kept["body"].to_list() == ["龘", "龘"]


def test_a_long_text_is_read_in_windows(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"{text(30)}。" * 40
    whole = pieces(body, 64, tokens.ends(body, path))
    monkeypatch.setattr(tokens, "WINDOW", 31)
    assert pieces(body, 64, tokens.ends(body, path)) == whole


def test_what_is_no_tokenizer_is_an_error_before_any_row_is_read(path: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text(Path(path).read_text()[:-9])
    (tmp_path / "empty.json").touch()
    (tmp_path / "other.json").write_text(json.dumps({"version": "1.0", "model": None}))
    for name in ("none.json", "broken.json", "empty.json", "other.json", "."):
        s = Settings(check=CheckSettings(**settings(str(tmp_path / name), 9)))
        with pytest.raises(ConfigError, match=rf"error\[tokenizer\]: cannot read .*{name}"):
            check.accepts(s, {})
    check.accepts(Settings(check=CheckSettings(**settings(path, 9))), {})


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(ConfigError, match=r"pip install 'cleanse\[tokens\]'"):
        check.accepts(Settings(check=CheckSettings(**settings("none.json", 9))), {})


def test_manifests_hold_the_digest_of_the_file_and_parts_depend_on_it(path: str, tmp_path: Path) -> None:
    copy = tmp_path / "tokenizer.json"
    copy.write_bytes(Path(path).read_bytes())
    s = Settings(check=CheckSettings(**settings(str(copy), 9)))
    before = markers.basis(check.STAGE, s, {}, {})
    (digest,) = head(s)["files"].values()
    assert stage_head("check", s)["files"] == {"check.tokenizer": digest}
    assert head(s)["versions"]["tokenizers"]
    assert "files" not in stage_head("strip", s)
    assert "files" not in head(Settings())
    copy.write_bytes(Path(path).read_bytes() + b"\n")
    assert markers.basis(check.STAGE, s, {}, {}) != before
    assert head(s)["files"] != {"check.tokenizer": digest}
