"""Every error id in words, for `cleanse explain`. The message itself says what was there; this says what it means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`exit_code` of the family; `en`, `zh`: what it means; `todo`: what to do about it."""

    exit_code: int
    en: str
    zh: str
    todo: str


_USAGE = {
    "usage": Fault(2, "arguments that do not fit the command", "命令参数有误", "cleanse COMMAND --help"),
    "config-unknown-key": Fault(2, "a key that no section has", "未知的配置键", "cleanse config show lists all keys"),
    "config-type": Fault(
        2, "a value of the wrong type or out of bounds", "配置值类型或范围有误", "cleanse config schema"
    ),
    "config-duplicate-key": Fault(2, "a key stands twice; YAML would take the last", "配置键重复", "remove one"),
    "config-syntax": Fault(2, "the file is no YAML that cleanse takes", "YAML 语法错误", "mend the line named"),
    "config-unreadable": Fault(3, "the config file cannot be read", "无法读取配置文件", "check --config"),
    "metric-unknown": Fault(
        2, "a gate names a number that metrics.json never holds", "未知的指标名", "see docs/gate.md"
    ),
    "gate-duplicate": Fault(2, "the same gate stands twice", "门禁重复", "remove one"),
    "reason-unknown": Fault(2, "a reason that cleanse never gives", "未知的剔除原因", "cleanse explain lists them"),
    "explain-unknown": Fault(2, "neither a reason nor an error id", "既不是剔除原因也不是错误代码", "cleanse explain"),
    "extra-missing": Fault(2, "an optional package is not installed", "缺少可选依赖", "pip install 'cleanse[EXTRA]'"),
    "extractor-missing": Fault(
        2, "the extractor's package is not installed", "缺少正文提取依赖", "pip install 'cleanse[extract]'"
    ),
    "facts-unreadable": Fault(
        2, "a file of saved facts is not there or not ours", "已保存的统计文件不可读", "check its path"
    ),
    "rule-faulty": Fault(2, "the SQL of an own rule is no condition", "自定义规则的 SQL 有误", "mend check.rules"),
    "rule-column": Fault(
        2, "an own rule names a column that is not there", "自定义规则引用了不存在的列", "mend check.rules"
    ),
    "cluster-unlike": Fault(
        2, "a node of the cluster has other versions", "集群节点的软件版本不一致", "the same environment everywhere"
    ),
    "ray-address": Fault(2, "an address that is not HOST:PORT", "Ray 地址格式应为 HOST:PORT", "--ray-address"),
    "tokenizer": Fault(
        2, "no tokenizer, or its package is not installed", "缺少分词器", "pip install 'cleanse[tokens]'"
    ),
    "out-in-input": Fault(
        2, "output and input lie in each other", "输出目录与输入目录相互包含", "choose another --out"
    ),
    "out-not-empty": Fault(2, "files that cleanse did not write", "输出目录含有其他文件", "choose another --out"),
    "from-unfinished": Fault(
        2,
        "a stage before --from is not whole, or not made from this input and settings",
        "--from 之前的阶段不完整或已过期",
        "leave --from out",
    ),
    "source-clash": Fault(2, "two sources would get one name in the ledger", "两个来源同名", "rename one of them"),
    "init-exists": Fault(2, "cleanse.yaml is there already", "cleanse.yaml 已存在", "--force writes it anew"),
    "uri-invalid": Fault(2, "a URI that cannot be understood", "无法解析的 URI", "see docs/remote.md"),
    "write-format": Fault(2, "--write wants FORMAT=PATH", "--write 的格式应为 FORMAT=PATH", "--write junit=gate.xml"),
}
_INPUT = {
    "input-not-found": Fault(3, "no file matches", "找不到输入文件", "check the path or the glob"),
    "input-unreadable": Fault(3, "a file cannot be opened", "无法读取输入文件", "check permissions and file types"),
    "input-empty": Fault(3, "no record in the input", "输入中没有任何记录", "check the path, or pass --allow-empty"),
    "input-changed": Fault(
        3, "a file changed while it was read", "读取期间文件被修改", "run again when it is complete"
    ),
    "input-foreign": Fault(
        3, "a table without _id: cleanse did not write it", "不是 cleanse 写出的表", "cleanse decode"
    ),
    "input-unfinished": Fault(3, "a stage folder that was never finished", "阶段目录未完成", "run that stage again"),
    "column-missing": Fault(
        3, "a column that was named is not there", "缺少指定的列", "--title-col, --body-col, --label-col"
    ),
    "column-reserved": Fault(3, "a user column begins with _", "列名不能以 _ 开头", "rename it before the run"),
    "not-a-run": Fault(3, "the folder holds no finished run", "该目录不是一次完整的运行", "cleanse run INPUT -o OUT"),
    "no-baseline": Fault(3, "the baseline is not there or not readable", "基线不存在或不可读", "check --baseline"),
    "id-unknown": Fault(3, "no row of the run has this _id", "没有该 _id 的记录", "cleanse show OUT lists rows"),
    "resample-no-label": Fault(3, "no classes to even out", "没有标签列", "--label-col NAME, or --method none"),
    "resample-no-split": Fault(
        3, "resampling before the split leaks", "没有划分列，重采样会泄漏", "--split-col or --all-train"
    ),
    "resample-no-border": Fault(3, "a class that is nowhere near others", "该类别附近没有其他类别", "--kind smote"),
    "resample-many-classes": Fault(3, "more classes than smote can raise", "类别过多", "--method weights or over"),
    "resample-one-class": Fault(3, "fewer than two classes", "训练集少于两个类别", "--method none"),
    "column-type": Fault(3, "a column of another type than the work needs", "列的类型不符", "name another column"),
    "resample-has-split": Fault(3, "a split is to be made where there is one", "已有划分列", "--split-col, or drop it"),
    "resample-unknown-label": Fault(
        3, "a target names a label that is not there", "目标中有未知标签", "check --target"
    ),
    "resample-leak": Fault(
        3, "copies or synthetic rows outside train", "训练集之外有复制或合成样本", "split first, then resample"
    ),
    "resample-small-class": Fault(
        3, "a class too small for its neighbours", "类别样本太少", "--small-class shrink or copy"
    ),
    "resample-text-feature": Fault(2, "text cannot be interpolated", "文本不能插值", "--features svd"),
    "resample-no-features": Fault(2, "the method needs vectors", "该方法需要向量特征", "--features svd"),
    "resample-bad-vector": Fault(
        3, "null, NaN or unequal lengths in vectors", "向量含空值或长度不一", "mend the vectors"
    ),
    "resample-too-large": Fault(4, "more memory than allowed would be needed", "预计内存超过上限", "--memory-mb"),
}
_MACHINE = {
    "disk-full": Fault(
        4, "no space, quota or file-size limit", "磁盘空间不足", "another disk; the same command goes on"
    ),
    "out-not-writable": Fault(4, "the output cannot be written", "无法写入输出目录", "choose another --out"),
    "remote-failed": Fault(
        4, "a store failed again and again", "远程存储多次失败", "the same command resumes once it answers"
    ),
    "out-locked": Fault(4, "another run works in this folder", "另一个运行正在使用该目录", "wait for it to end"),
    "no-memory": Fault(4, "out of memory", "内存不足", "--workers 1, or a machine with more memory"),
    "no-processes": Fault(4, "worker processes cannot be started", "无法启动工作进程", "--workers 1"),
    "worker-died": Fault(
        4,
        "a part killed three workers, most likely for lack of memory",
        "工作进程多次被终止",
        "more memory, or a smaller run.part_mb",
    ),
    "worker-crashed": Fault(
        70, "a part crashed three workers", "某个分片使工作进程多次崩溃", "report it with run.json"
    ),
    "cluster-lost": Fault(
        4, "the Ray cluster cannot be reached any more", "无法连接 Ray 集群", "the same command goes on"
    ),
    "cluster-out": Fault(
        4, "a node of the cluster cannot read --out", "集群节点无法读取输出目录", "a shared file system"
    ),
    "open-files": Fault(4, "too many open files", "打开的文件过多", "ulimit -n 4096, or fewer --workers"),
    "ledger-unbalanced": Fault(
        70, "records neither kept nor rejected: a bug", "账目不平：程序缺陷", "report it with run.json"
    ),
    "bug": Fault(70, "a fault in cleanse itself", "cleanse 自身的缺陷", "report it with the crash file"),
}
FAULTS = {**_USAGE, **_INPUT, **_MACHINE}
