"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (name, text, attributes) => {
    const node = document.createElement(name);
    if (text !== undefined) node.append(text);
    for (const key of Object.keys(attributes || {})) node.setAttribute(key, attributes[key]);
    return node;
  };
  const both = (name, en, zh) => {
    const node = make(name);
    node.append(make("span", en, {lang: "en"}), make("span", zh, {lang: "zh-CN"}));
    return node;
  };
  const root = document.documentElement;
  $("lang").addEventListener("click", () => root.setAttribute("lang", root.lang === "en" ? "zh-CN" : "en"));

  const data = JSON.parse($("samples-data").textContent);
  const reason = $("samples-reason"), stage = $("samples-stage"), search = $("samples-search");
  const list = $("samples-list"), more = $("samples-more"), marks = $("samples-marks");
  const STEP = 50;
  let limit = STEP;

  const hostile = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;
  const visible = (text) => {
    let seen = text.replace(hostile, (c) => {
      const code = c.charCodeAt(0);
      return code < 32 ? String.fromCharCode(0x2400 + code) : "\\u" + code.toString(16).padStart(4, "0");
    });
    if (marks.checked) seen = seen.replace(/ /g, "·").replace(/\t/g, "→\t").replace(/\n/g, "↵\n").replace(/\u3000/g, "□")
      .replace(/\ufffd/g, "[\ufffd]").replace(/[\u200b-\u200d]/g, (c) => "\\u" + c.charCodeAt(0).toString(16));
    return seen;
  };
  const KINDS = {rejected: ["rejected", "剔除"], changed: ["kept, changed", "保留，有改动"],
    near: ["kept, near a limit", "保留，接近界限"], kept: ["kept", "保留"]};
  const pane = (en, zh, sample, op, tag) => {
    const box = make("div"), pre = make("pre", undefined, {role: "group", dir: "auto"});
    pre.setAttribute("aria-label", en + " / " + zh);
    if (sample.raw !== undefined && op === "-") pre.append(visible(sample.raw));
    for (const [kind, text] of sample.diff) {
      if (kind === "=") pre.append(visible(text));
      else if (kind === op) pre.append(make(tag, visible(text)));
    }
    if (!pre.childNodes.length) pre.append("–");
    box.append(both("p", en, zh), pre);
    return box;
  };
  const card = (sample) => {
    const node = make("article"), head = make("p"), panes = make("div", undefined, {class: "panes"});
    const kind = both("span", ...KINDS[sample.kind]);
    kind.setAttribute("class", "tag");
    head.append(kind, " ", make("code", visible(sample.reason || "")), " · ", sample.field, " · ",
      visible(sample.source), " · " + sample.record + " · ", make("code", visible(sample.id)));
    panes.append(pane("before", "清洗前", sample, "-", "del"));
    if (sample.raw === undefined && sample.diff.some(([op]) => op !== "=")) panes.append(pane("after", "清洗后", sample, "+", "ins"));
    node.append(head);
    if (sample.detail) node.append(make("p", visible(sample.detail), {class: "soft"}));
    node.append(panes);
    if (sample.more) node.append(both("p", "… " + sample.more.toLocaleString("en") + " more", "……另有 " + sample.more.toLocaleString("en") + " 字"));
    return node;
  };
  const texts = data.map((s) => [s.id, s.source, s.reason, s.raw, ...s.diff.map((d) => d[1])].join("\n").toLowerCase());
  const show = () => {
    const words = search.value.toLowerCase();
    const hits = data.filter((s, i) => (!reason.value || (s.reason || s.kind) === reason.value)
      && (!stage.value || s.stage === stage.value) && texts[i].includes(words));
    list.replaceChildren(...hits.slice(0, limit).map(card));
    $("samples-count").textContent = hits.length + " / " + data.length;
    more.hidden = hits.length <= limit;
  };
  const again = () => { limit = STEP; show(); };
  const choices = (select, values) => {
    for (const value of [...new Set(values)].filter(Boolean).sort()) {
      const option = make("option", visible(value));
      option.value = value;
      select.append(option);
    }
    select.addEventListener("change", again);
  };
  choices(reason, data.map((s) => s.reason || s.kind));
  choices(stage, data.map((s) => s.stage));
  search.addEventListener("input", again);
  marks.addEventListener("change", show);
  more.addEventListener("click", () => { limit += STEP; show(); });
  show();
})();
