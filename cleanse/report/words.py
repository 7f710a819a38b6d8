"""The words of the summary and the report in both languages. Keys, reasons and error ids are never translated."""

WORDS = {
    "why_rows": ("Why rows left", "剔除原因"),
    "why_files": ("Why files left", "文件剔除原因"),
    "skew": ("Skew", "倾斜"),
    "gates": ("Gates", "质量门禁"),
    "fail": ("FAIL", "未通过"),
    "warn": ("WARN", "警告"),
    "skip": ("SKIP", "跳过"),
    "pass": ("PASS", "通过"),
    "failed": ("FAILED", "未通过"),
    "warned": ("WARNED", "警告"),
    "passed": ("PASSED", "通过"),
    "limit": ("limit", "界限"),
    "in": ("in", "输入"),
    "out": ("out", "输出"),
    "rejected": ("rejected", "剔除"),
    "report": ("report", "报告"),
    "config": ("config", "配置"),
    "files": ("{n} file(s)", "{n} 个文件"),
    "seed": ("seed", "种子"),
    "workers": ("{n} worker(s)", "{n} 个进程"),
    "more": ("more, see the report", "项，见报告"),
    "of_gates": ("of {n} gates", "/ {n} 项门禁"),
    "n_passed": ("{n} passed", "{n} 项通过"),
    "lists_them": ("-v lists them", "-v 列出"),
    "warnings": ("{n} warning(s)", "{n} 项警告"),
    "no_gates": (
        "warning: no gates: only an empty result can fail this run", "警告：没有门禁，只有空结果会使运行失败"
    ),
    "no_baseline": (
        "warning: no baseline: gates that compare with one were skipped", "警告：没有基线，相关门禁已跳过"
    ),
}  # fmt: skip


def word(name: str, lang: str, n: int | None = None) -> str:
    """The word in that language, `{n}` filled in.

    >>> word("failed", "zh-CN"), word("n_passed", "en", 6)
    ('未通过', '6 passed')
    >>> word("files", "en", 1), word("files", "en", 2)
    ('1 file', '2 files')
    """
    text = WORDS[name][lang == "zh-CN"]
    return text if n is None else text.format(n=f"{n:,}").replace("(s)", "" if n == 1 else "s")
