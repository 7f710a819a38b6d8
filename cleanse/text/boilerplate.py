"""Lines of a page that say nothing of its matter: licences, rights, share rows, labels, stray code.

A line goes whole or stays whole. Patterns run the same in Rust's regex and in Python's `re`; where prose may hold the
words of a rule, length, place in the line or punctuation decide.
"""

from typing import NamedTuple


class LineRule(NamedTuple):
    """A line that `pattern` finds goes, when it has at most `max_chars` characters and `unless` finds nothing.

    `keys`: patterns that are a search for bytes; every line that the rule takes holds one of them, so no others need be
    looked at. None: the pattern begins where the line does, and most lines fail at their first character.
    """

    name: str
    keys: tuple[str, ...]
    pattern: str
    unless: str = ""
    max_chars: int | None = None


_PROVINCE = "[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼港澳台]"
_LICENSED = "增值电信业务经营|互联网新闻信息服务|信息网络传播视听节目|广播电视节目制作经营|网络文化经营"
_SENTENCE_END = "[。！？]"
_SHARE = (
    "分享[到至]?|转发|轉發|微信(?:好友)?|朋友圈|(?:新浪|腾讯)?微博|QQ(?:空间|好友)?|人人网|豆瓣|复制链接|複製鏈接|收藏|点赞|點讚|赞|评论|評論|举报|打赏"
    "|打印|列印|关闭|關閉|扫一扫|(?:返回|回到)(?:顶部|頂部)|[上下]一[篇页頁章]|相关阅读|相關閱讀|更多|首页|首頁|登录|登入|注册|註冊"
)
_SHARE_ENGLISH = (
    "share(?: this)?(?: (?:on|via))?|tweet|e-?mail|print|facebook|twitter|linkedin|whatsapp|reddit|telegram"
    "|(?:sign|log) ?in|subscribe|skip to (?:main )?content|(?:cookie|privacy) policy|terms of use|back to top"
    "|read more|advertisement"
)
_SEPARATOR = r"[ |·>»/•:：,，、\[\]()（）【】｜\-]"
_OPENING = r"^[（(【\[]?"
_LABELS = (
    "[上下]一[篇页頁章]|原标题|原標題|本文链接|本文鏈接|本文連結|本文地址|来源网址|來源網址|转载请注明(?:出处|来源)?"
    "|轉載請註明(?:出處|來源)?|免责声明|免責聲明|特别声明|特別聲明"
)
_PLACES = "当前位置|當前位置|您(?:现在|現在)?的位置|所在位置"
_EDITORS = "责任编辑|責任編輯|责编|責編|编辑|編輯|校对|校對|监制|監製"
_NAME = r"[A-Za-z_$][A-Za-z0-9_$]*"
_PROPERTY = r"[a-z-]+ ?: ?[^;:{}]+"
_SELECTOR = (
    r"(?:[.#*@:\[][ -z|~]*|(?:a|p)(?:[.#:\[,][ -z|~]*)?"
    r"|(?:body|html|div|ul|ol|li|span|img|table|t[dhr]|h[1-6]|input|form|button|em|strong)(?:[.#:\[, >+~][ -z|~]*)?)"
)
_CODE_SHAPES = "|".join(
    [
        rf"(?:var|let|const) +{_NAME} *[=;,]",
        rf"[(!;]*(?:async )?function ?(?:{_NAME})? ?\([^)]*\) ?\{{",
        r"[(!;]*(?:window|document|navigator|location|console|jQuery)[.(\[]",
        r"\$(?:\(|\.[a-z])",
        rf"(?:{_NAME}\.)+push\(",
        r"\}? ?(?:else )?(?:if|for|while|switch) ?\(.*\) ?\{",
        r"\}? ?(?:else|try) ?\{",
        r"return[ (][^。！？]*;",
        r"@(?:media|import|font-face|charset|keyframes)[^A-Za-z-]",
        rf"{_SELECTOR}\{{ ?(?:(?:{_PROPERTY})?[;}}]|\z)",
        rf"(?:{_PROPERTY}; ?){{2,}}\z",
    ]
)
RULES = (
    LineRule(
        "licence",
        ("(?i:icp)", "公网安备", "公網安備", "网文", "许可证", "举报电话"),
        rf"{_PROVINCE} ?ICP ?[备证備證]|ICP ?(?:备案|備案)|{_PROVINCE} ?(?:公网安备|公網安備)"
        rf"|{_PROVINCE} ?网文 ?[(（〔\[【]|(?:{_LICENSED})许可证|(?:违法|不良)(?:[和与及、]?不良)?信息举报电话",
        _SENTENCE_END,
    ),
    LineRule(
        "copyright",
        ("©", r"(?i:copyright|\(c\)|all rights reserved)", "版权所有", "版權所有", "著作权所有", "著作權所有"),
        r"(?i)^(?:©|copyright|\(c\)).{0,20}?(?:19|20)[0-9][0-9]"
        r"|^.{0,40}(?:版权所有|版權所有|著作权所有|著作權所有)[^。！？!?，,]*\z|all rights reserved",
    ),
    LineRule(
        "reprint",
        ("未经", "未經"),
        "(?:未经|未經).*(?:授权|许可|允许|同意|书面|授權|許可|允許|書面).*(?:转载|轉載|摘编|摘編|镜像|鏡像)",
        rf"{_SENTENCE_END}[^。！？”』」）)]",
        80,
    ),
    LineRule(
        "share",
        (),
        rf"(?i)^{_SEPARATOR}*(?:(?:{_SHARE}|{_SHARE_ENGLISH}){_SEPARATOR}*)+\z",
    ),
    LineRule("label", (), rf"{_OPENING}(?:{_LABELS}) ?[:：]", max_chars=120),
    LineRule("label", (), rf"{_OPENING}(?:{_PLACES}) ?[:：]", "。", 100),
    LineRule("label", (), rf"{_OPENING}(?:{_EDITORS}) ?[:：]", "[。！？，]", 20),
    LineRule("code", (), rf"^(?:{_CODE_SHAPES}).*\z", r"[^;{})\],]\z"),
)
SENTENCE = r"[。！？；.!?;]"  # what prose has, for `density`
HAN = "[\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
LETTER = r"\p{L}"
MIN_HAN = 10  # Han characters in a line of prose
MIN_LETTERS = 25  # letters of any script in one
