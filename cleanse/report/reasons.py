"""Every reason for which a record or file is rejected, in words: the one list that `explain`, the report, the gate and
the docs read. A reason that a stage gives and that is not here fails a test.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """`stages`: who gives it; `en`, `zh`: what it means; `todo`: what to do about it."""

    stages: tuple[str, ...]
    en: str
    zh: str
    todo: str


_FILE = {
    "undecodable": Reason(
        ("decode",), "the bytes are no text in any encoding known", "无法解码：不是任何已知编码的文本",
        "look at the file; name its encoding with --encoding",
    ),
    "unsupported": Reason(
        ("decode",), "a kind of input that cannot be read", "不支持的输入类型", "unpack or convert it before the run"
    ),
    "bad_archive": Reason(
        ("decode",), "a compressed source is cut or broken", "压缩文件损坏或不完整", "fetch the file again"
    ),
    "too_large": Reason(
        ("decode",), "a record, or what a source unpacks to, is above its limit", "记录或解压结果超过上限",
        "raise decode.max_record_mb or decode.max_expand_ratio if it is meant to be so large",
    ),
    "empty_file": Reason(("decode",), "a file without any content", "空文件", "nothing, or leave the file out"),
    "no_records": Reason(
        ("decode",), "only headers, blank or structural lines", "没有任何记录", "check that the file is complete"
    ),
    "dialect_unclear": Reason(
        ("decode",), "no delimiter makes a table of the file", "无法判断分隔符", "--delimiter, or --format text"
    ),
    "damaged": Reason(
        ("decode",), "too many characters had to be replaced", "替换字符过多，文本已损坏",
        "fetch the source again, or raise decode.max_replaced_share",
    ),
}  # fmt: skip
_FRAMING = {
    "header_mismatch": Reason(
        ("decode", "check"), "the header does not fit the rows or the expected names", "表头与数据或预期列名不符",
        "mend the header, or give --expect",
    ),
    "fields_missing": Reason(("check",), "fewer fields than columns", "字段不足", "mend the line in the source"),
    "fields_extra": Reason(
        ("check",), "more fields than columns, and no safe place for the surplus", "字段过多，无法安全合并",
        "quote fields that hold the delimiter",
    ),
    "quote_unterminated": Reason(("check",), "a quoted field never ends", "引号未闭合", "close the quote"),
    "quote_garbage": Reason(("check",), "quotes that can be read in two ways", "引号有歧义", "double the inner quotes"),
    "delim_mismatch": Reason(("check",), "another delimiter than the file's", "分隔符与文件不一致", "mend the line"),
    "second_table": Reason(("check",), "rows of a second table in one file", "同一文件中的第二张表", "split the file"),
    "json_syntax": Reason(("check",), "a line that is no JSON", "JSON 语法错误", "mend the line"),
    "json_truncated": Reason(("check",), "the last line ends in the middle", "JSON 在结尾处被截断", "fetch it again"),
    "json_not_object": Reason(("check",), "JSON, but no object", "JSON 不是对象", "write one object a line"),
    "json_nonfinite": Reason(("check",), "NaN or Infinity in the JSON", "JSON 中含 NaN 或无穷", "write null instead"),
    "too_deep": Reason(("check",), "JSON nested deeper than 100 levels", "JSON 嵌套过深", "flatten it"),
    "too_many_fields": Reason(("check",), "more than 4,096 fields", "字段数超过 4096", "check the delimiter"),
    "key_missing": Reason(("check",), "an expected JSON key is not there", "缺少必需的键", "mend it, or --expect"),
    "value_null": Reason(("check",), "an expected JSON key is null", "必需的值为空", "mend it, or --expect"),
    "key_duplicate": Reason(("check",), "a key stands twice with two values", "键重复且值不同", "remove one"),
    "type_mismatch": Reason(
        ("check",), "title, body or label is no text", "标题、正文或标签不是文本", "write it as a string"
    ),
}  # fmt: skip
_FIELDS = {
    "columns_permuted": Reason(
        ("check",), "the values stand in each other's columns (字段错位)", "字段错位：各值放错了列",
        "look at the proposal in _detail; check.permute: repair moves the values back",
    ),
    "role_mismatch": Reason(
        ("check",), "a label column holds a long unknown text", "标签列中出现长文本", "look at the row in the source"
    ),
    "title_missing": Reason(("check",), "no visible character in the title", "标题缺失", "check.title_required: false"),
    "body_missing": Reason(("check",), "no visible character in the body", "正文缺失", "check.body_required: false"),
    "label_missing": Reason(("check",), "no label", "标签缺失", "check.label_required: false"),
    "title_placeholder": Reason(
        ("check",), "the title is a stand-in such as 无标题 or untitled", "占位标题", "check.placeholders"
    ),
    "title_short": Reason(("check",), "the title is shorter than the limit", "标题过短", "check.title_min"),
    "title_long": Reason(("check",), "the title is longer than the limit", "标题过长", "check.title_max"),
    "body_short": Reason(("check",), "the body is shorter than the limit", "正文过短", "check.body_min"),
    "body_long": Reason(("check",), "the body is longer than the limit", "正文过长", "check.body_max"),
    "body_over_long": Reason(
        ("check",), "the body is longer than a training window", "正文超出训练窗口", "check.over_long: split"
    ),
    "label_unknown": Reason(("check",), "a label that is not in the list", "未知标签", "check.label_values"),
}  # fmt: skip
_TEXT = {
    "empty_after_strip": Reason(
        ("strip",), "markup and noise only: nothing was left of the body", "噪声清洗后正文为空",
        "look at the text in rejects/; strip.lines, strip.boilerplate",
    ),
    "text_replacement": Reason(
        ("check",), "too many replacement characters U+FFFD", "替换字符（U+FFFD）过多", "check.max_replacement_share"
    ),
    "text_mojibake": Reason(("check",), "too much mojibake such as 锟斤拷", "乱码过多", "check.max_mojibake_share"),
    "text_control": Reason(("check",), "too many control characters", "控制字符过多", "check.max_control_share"),
    "text_repeated": Reason(("check",), "long runs of one character", "重复字符过多", "check.max_repeated_share"),
    "text_symbols": Reason(("check",), "more symbols than letters", "符号过多", "check.max_symbol_share"),
}  # fmt: skip
_CHOICE = {
    "undersampled": Reason(
        ("resample",), "cut by the seed's draw: its class was above the target", "欠采样：所属类别超过目标数量",
        "resample.target; it is a choice, not a fault of the row",
    ),
    "undersampled_nearmiss": Reason(("resample",), "cut by NearMiss", "欠采样（NearMiss）", "resample.under_kind"),
    "undersampled_tomek": Reason(("resample",), "cut as one of a Tomek pair", "欠采样（Tomek）", "resample.under_kind"),
    "undersampled_enn": Reason(
        ("resample",), "cut by edited nearest neighbours", "欠采样（ENN）", "resample.under_kind"
    ),
    "undersampled_cluster": Reason(("resample",), "cut by clustering", "欠采样（聚类）", "resample.under_kind"),
}  # fmt: skip
REASONS = {**_FILE, **_FRAMING, **_FIELDS, **_TEXT, **_CHOICE}
