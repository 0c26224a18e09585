"use strict";
// Draws the page from the data in it; with data-live, asks for newer data every few seconds.
// What comes from the data becomes text nodes and numbers, never markup.

const FIRST_ROWS = 20;
const POLL_MS = 3000;
const numbers = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const collator = new Intl.Collator("en", { numeric: true });

const n = (value) => numbers.format(value);
const share = (part, whole) => (whole ? (100 * part) / whole : null);
const percent = (value) => (value === null ? "" : `${value.toFixed(1)} %`);
const count = (value, noun) => `${n(value)} ${noun}${value === 1 ? "" : "s"}`;
const dollars = (value) => `$${value.toFixed(2)}`;
const byId = (id) => document.getElementById(id);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// -- what to change ---------------------------------------------------------------------------

// Copies a line or, where the browser does not let it, selects it.
function copyButton(code) {
  const button = element("button", { type: "button", className: "more copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

function change(each) {
  const code = element("code", {}, each.line);
  const examples = each.examples.flatMap((text, i) => [i ? ", " : "", element("code", {}, text)]);
  return element("li", {},
    element("div", { className: "line" }, code, copyButton(code)),
    element("p", {}, bold(`${count(each.saved, "question")} less`), `; it allows ${each.meaning}. For example: `, ...examples));
}

function drawChanges(data) {
  const { questions, denied } = data.totals, saved = data.changes.reduce((sum, each) => sum + each.saved, 0);
  const lines = count(data.changes.length, "line");
  const told = data.changes.length
    ? `${lines} would have ended ${n(saved)} of ${count(questions, "question")}. Paste a line into a terminal, not into the agent.`
    : questions ? `No rule is proposed for what was asked (${count(questions, "question")}): laconic log --top says what would end each.`
    : `Nothing: no question was asked${denied ? `, ${n(denied)} denied` : ""}.`;
  const rows = data.changes.map(change);
  byId("changes").hidden = Boolean(data.many);  // what would have helped is known on each machine
  byId("changes").replaceChildren(element("h2", {}, "What to change"), element("p", { className: "about" }, told),
    element("ol", { hidden: !rows.length }, ...rows));
}

// -- in short ---------------------------------------------------------------------------------

const bold = (text) => element("b", {}, text);

function headline(title, number, part, whole, told) {
  const value = percent(share(part, whole)) || "none";
  return element("div", { className: "card" }, element("h2", {}, title),
    element("div", { className: "number" }, number), element("p", {}, bold(value), ` of ${told}`));
}

function drawHeadlines(data) {
  const t = data.totals;
  const saved = t.input - t.output;
  const money = t.dollars === null ? "" : `; ${dollars(t.dollars)} in ${count(t.priced, "session")} at list prices of ${t.prices}`;
  const decisions = count(t.decisions, "decision");
  const told = t.ran + t.refused ? `, of which ${n(t.ran)} ran and ${n(t.refused)} were refused, as far as transcripts tell` : "";
  byId("headlines").replaceChildren(
    headline(t.exact ? "Tokens saved" : "Tokens saved, est.", n(saved), saved, t.input,
      `${n(t.input)} that agents would have read, in ${count(t.runs, "run")}${money}`),
    headline("Prompts saved, est.", n(t.prompts_saved), t.prompts_saved, t.prompts,
      `${n(t.prompts)} that agents would have shown, in ${decisions}`),
    headline("Questions", n(t.questions), t.questions, t.decisions,
      `${decisions}: ${n(t.asked)} asked by laconic, ${n(t.questions - t.asked)} by agents${told}; ${n(t.denied)} denied`),
    data.many
      ? headline("Ran unchecked", n(t.unchecked), t.unchecked, t.unchecked + t.decisions,
        `${count(t.unchecked + t.decisions, "command")}; ${count(t.recalls, "recall")} read ${n(t.recalled)} tokens again`)
      : headline("Outputs recalled", n(t.recalled_runs), t.recalled_runs, t.hiding,
        `${count(t.hiding, "run")} that hid lines; ${n(t.recalled)} tokens read again`));
}

// -- over time --------------------------------------------------------------------------------

const a = (unit) => `${unit === "hour" ? "an" : "a"} ${unit}`;
const CHARTS = [
  {
    title: (unit) => `Tokens ${a(unit)}`,
    parts: [["saved", "saved", (d) => Math.max(0, d.input - d.output)], ["rest", "read", (d) => d.output]],
    told: (d) => `${n(d.input - d.output)} saved of ${n(d.input)}, in ${count(d.runs, "run")}`,
  },
  {
    title: (unit) => `Decisions ${a(unit)}`,
    parts: [["rest", "allowed", (d) => d.allow], ["saved", "prompts saved", (d) => d.saved], ["left", "left to agents", (d) => d.left], ["ask", "asked", (d) => d.ask], ["deny", "denied", (d) => d.deny]],
    told: (d) => `${count(d.decisions, "decision")}: ${n(d.saved)} prompts saved, ${n(d.left)} left to agents, ${n(d.ask)} asked, ${n(d.deny)} denied`,
  },
];

function shape(name, attributes, ...children) {
  const made = document.createElementNS(byId("blank").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The steps of an axis: 1, 2 or 5 times a power of ten, at most four of them.
function steps(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1) / 4));
  const step = Math.max(1, [1, 2, 5, 10].map((f) => f * power).find((s) => s * 4 >= most));
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

const barName = (name, unit) => unit === "hour" ? `${Number(name.slice(11))}:00` : dayName(name);
const dayName = (day) =>
  new Date(`${day}T12:00:00`).toLocaleDateString("en-GB", { day: "numeric", month: "short" });

function drawChart(chart, bars, unit, box) {
  const legend = chart.parts.flatMap(([kind, name]) => [element("span", { className: "name" }, element("span", { className: `key ${kind}` }), name), " "]);
  const readout = element("p", { className: "readout" }, ...legend);
  const width = Math.max(240, box.clientWidth - 38), height = 200, left = 44, bottom = 22, top = 6;
  const total = (d) => chart.parts.reduce((sum, part) => sum + part[2](d), 0);
  const ticks = steps(Math.max(1, ...bars.map(total)));
  const most = ticks[ticks.length - 1];
  const y = (value) => top + (height - top - bottom) * (1 - value / most);
  const slot = (width - left) / bars.length;
  const thick = Math.max(1, Math.min(28, slot * 0.72));
  const label = `${chart.title(unit)}, from ${bars[0].day} to ${bars[bars.length - 1].day}`;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of ticks) {
    svg.append(shape("line", { class: "grid", x1: left, x2: width, y1: y(tick), y2: y(tick) }),
      shape("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, short.format(tick)));
  }
  const every = Math.max(1, Math.ceil(64 / slot));
  bars.forEach((d, i) => {
    const x = left + i * slot;
    const group = shape("g", {}, shape("rect", { class: "hit", x, y: top, width: slot, height: height - top - bottom }));
    let base = 0;
    for (const [kind, , value] of [...chart.parts].reverse()) {
      const size = value(d);
      if (size > 0) {
        group.append(shape("rect", { class: kind, x: x + (slot - thick) / 2, width: thick, y: y(base + size), height: y(base) - y(base + size) }));
      }
      base += size;
    }
    const name = unit === "week" ? `week of ${dayName(d.day)}` : barName(d.day, unit);
    group.addEventListener("pointerenter", () => readout.replaceChildren(bold(name), `: ${chart.told(d)}`));
    group.addEventListener("pointerleave", () => readout.replaceChildren(...legend));
    svg.append(group);
    if (i % every === 0 && x + 40 < width) {
      svg.append(shape("text", { x: x + slot / 2, y: height - 5, "text-anchor": "middle" }, barName(d.day, unit)));
    }
  });
  box.replaceChildren(element("h2", {}, chart.title(unit)), readout, svg);
}

const boxes = CHARTS.map(() => element("div", { className: "card chart" }));

function drawCharts(data) {
  CHARTS.forEach((chart, i) => drawChart(chart, data.bars, data.unit, boxes[i]));
}

// -- tables -----------------------------------------------------------------------------------

// A column: its title, the value to sort by, and how it is shown. kind: n for numbers, t for short
// texts, w for long ones, code for commands.
const saving = [
  ["without", "n", (r) => r.input, n],
  ["with", "n", (r) => r.output, n],
  ["saved", "n", (r) => r.input - r.output, n],
  ["saved %", "n", (r) => share(r.input - r.output, r.input), percent],
];
// only: the page of one machine or of many; without it, both.
const TABLES = [
  {
    id: "asked", only: "one", title: "Questions and denials", noun: "command", sort: [3, -1],
    rows: (d) => d.asked, of: (d) => d.totals.asked_rows, which: "most frequent", none: "Nothing was asked or denied.",
    about: "A question is laconic's own, or the agent's where laconic leaves it to the agent. Ran and refused: what the agent's transcript says.",
    columns: [
      ["verdict", "verdict", (r) => r.verdict],
      ["command", "code", (r) => r.command],
      ["reason", "w", (r) => r.reason],
      ["times", "n", (r) => r.times, n],
      ["ran", "n", (r) => r.ran || null, n],
      ["refused", "n", (r) => r.refused || null, n],
      ["effects", "q", (r) => r.effects],
      ["agents", "q", (r) => r.agents],
      ["last", "t", (r) => r.last],
    ],
  },
  {
    id: "rules", only: "many", title: "Questions and denials", noun: "rule", sort: [3, -1],
    rows: (d) => d.asked, of: (d) => d.totals.asked_rows, which: "most frequent", none: "Nothing was asked or denied.",
    about: "What was asked about or denied, by the rule that said so and by effects. Ran and refused: what agents' transcripts say.",
    columns: [
      ["verdict", "verdict", (r) => r.verdict],
      ["rule", "w", (r) => r.rule],
      ["effects", "w", (r) => r.effects],
      ["times", "n", (r) => r.times, n],
      ["ran", "n", (r) => r.ran || null, n],
      ["refused", "n", (r) => r.refused || null, n],
      ["people", "n", (r) => r.people, n],
      ["teams", "n", (r) => r.teams, n],
      ["last", "t", (r) => r.last],
    ],
  },
  ...["team", "project", "agent", "week", "policy"].map((kind) => ({
    id: `by-${kind}`, only: kind === "team" || kind === "policy" ? "many" : "", title: `By ${kind}`, noun: kind, sort: kind === "week" ? [0, -1] : [1, -1],
    rows: (d) => d.groups.filter((row) => row.kind === kind), none: "Nothing happened yet.",
    columns: [
      [kind, kind === "project" ? "w" : "t", (r) => r.name || "(not known)"],
      ["decisions", "n", (r) => r.decisions, n],
      ["questions", "n", (r) => r.questions, n],
      ["prompts per 100", "n", (r) => share(r.questions, r.decisions), (v) => v.toFixed(1)],
      ["denied", "n", (r) => r.denied, n],
      ["runs", "n", (r) => r.runs, n],
      ...saving,
      ["$ saved", "n", (r) => r.dollars, dollars],
    ],
  })),
  {
    id: "filters", only: "one", title: "Filters", noun: "filter", sort: [4, -1],
    rows: (d) => d.filters, none: "Nothing was run by laconic yet.",
    about: "Tokens that agents would have read without laconic, and what they read with it, recalls included. Recalled: of the runs that hid lines.",
    columns: [
      ["filter", "t", (r) => r.filter || "(no filter)"],
      ["runs", "n", (r) => r.runs, n],
      ...saving,
      ["hid lines", "n", (r) => r.hiding, n],
      ["recalled", "n", (r) => r.recalled_runs, n],
      ["recalled %", "n", (r) => share(r.recalled_runs, r.hiding), percent],
    ],
  },
  {
    id: "sessions", only: "one", title: "Sessions", noun: "session", sort: [0, -1],
    rows: (d) => d.sessions, of: (d) => d.totals.sessions, none: "No run belongs to a known session.",
    about: "Runs: what laconic ran, of all commands in the transcript where there is one.",
    columns: [
      ["last", "t", (r) => r.last],
      ["agent", "t", (r) => r.agent],
      ["project", "w", (r) => r.project],
      ["model", "t q", (r) => r.models],
      ["runs", "n", (r) => r.runs, (v, r) => n(v) + (r.commands === null ? "" : ` of ${n(r.commands)}`)],
      ...saving,
      ["$ saved", "n", (r) => r.dollars, dollars],
      ["recalls", "n", (r) => r.recalls, n],
      ["session", "t", (r) => r.session.slice(0, 8)],
    ],
  },
  {
    id: "recalls", only: "one", title: "Recalls", noun: "recall", sort: [0, -1],
    rows: (d) => d.recalls, of: (d) => d.totals.recalls, none: "No agent asked for hidden lines.",
    columns: [
      ["time", "t", (r) => r.time],
      ["command", "code", (r) => r.command],
      ["filter", "t", (r) => r.filter || "(no filter)"],
      ["tokens", "n", (r) => r.tokens, n],
      ["agent", "t", (r) => r.agent],
      ["id", "code", (r) => r.id],
    ],
  },
  {
    id: "runs", only: "one", title: "Runs", noun: "run", sort: [0, -1],
    rows: (d) => d.runs, of: (d) => d.totals.runs, none: "Nothing was run by laconic yet.",
    columns: [
      ["time", "t", (r) => r.time],
      ["command", "code", (r) => r.command],
      ["exit", "n", (r) => r.status, (v) => (v === null ? "?" : n(v))],
      ["seconds", "n", (r) => r.seconds, (v) => v.toFixed(1)],
      ["filter", "t", (r) => r.filter],
      ...saving,
      ["agent", "t", (r) => r.agent],
    ],
  },
];

const shown = (column, row) => {
  const value = column[2](row);
  if (!column[3]) return value;
  return value === null && column[0] !== "exit" ? "" : column[3](value, row);
};

const compare = (a, b) => (typeof a === "number" ? a - b : collator.compare(a, b));

function cell(column, row) {
  const [name, kind] = column;
  const text = shown(column, row);
  const made = element("td", { className: kind === "code" ? "w" : kind });
  made.dataset.name = name;
  // What may not fit can have the focus, and is then shown whole.
  const clip = { className: "clip", tabIndex: text.length > 60 ? 0 : -1 };
  if (kind === "verdict") {
    made.classList.add(text === "deny" ? "deny" : "ask");
    made.append(text === "deny" ? "denied" : "asked");
  } else if (kind === "code" && text) {
    made.append(element("code", clip, text));
  } else if (kind === "w") {
    made.append(element("span", clip, text));
  } else {
    made.append(text);
    if (kind !== "n") made.title = text;  // it may be cut off
  }
  return made;
}

class Table {
  constructor(spec) {
    this.spec = spec;
    [this.by, this.direction] = spec.sort;
    this.isWhole = false;
    this.rows = [];
    this.counted = element("span", { className: "count" });
    this.wanted = element("input", { type: "search", placeholder: "Filter", spellcheck: false, autocomplete: "off" });
    this.wanted.setAttribute("aria-label", `Filter: ${spec.title}`);
    this.wanted.addEventListener("input", () => this.draw());
    this.heads = spec.columns.map(([name, kind], i) => {
      const button = element("button", { type: "button" }, name);
      button.addEventListener("click", () => this.sort(i));
      return element("th", { className: kind === "n" ? "n" : "", scope: "col" }, button);
    });
    this.body = element("tbody");
    this.table = element("table", {}, element("thead", {}, element("tr", {}, ...this.heads)), this.body);
    this.none = element("p", { className: "none" });
    this.more = element("button", { type: "button", className: "more" });
    this.more.addEventListener("click", () => { this.isWhole = true; this.draw(); });
    const head = element("div", { className: "head" }, element("h2", {}, spec.title), this.counted, this.wanted);
    const about = spec.about ? [element("p", { className: "about" }, spec.about)] : [];
    const wide = element("div", { className: "wide" }, this.table);
    this.section = element("section", { id: spec.id }, head, ...about, wide, this.none, this.more);
  }

  // The first click sorts numbers and times from the top, texts from A.
  sort(i) {
    const [name, kind] = this.spec.columns[i];
    const isText = kind !== "n" && name !== "last" && name !== "time";
    this.direction = this.by === i ? -this.direction : isText ? 1 : -1;
    this.by = i;
    this.draw();
  }

  take(data) {
    this.rows = this.spec.rows(data).map((row) => ({
      row, text: this.spec.columns.map((column) => shown(column, row)).join("\n").toLowerCase(),
    }));
    this.of = this.spec.of ? this.spec.of(data) : this.rows.length;
    this.draw();
  }

  draw() {
    const { columns, noun } = this.spec;
    const words = this.wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.rows.filter(({ text }) => words.every((word) => text.includes(word)));
    const key = columns[this.by][2];
    // What has no value comes last, in both directions.
    found.sort(({ row: a }, { row: b }) => {
      const [left, right] = [key(a), key(b)];
      if (left === null || right === null) return (left === null) - (right === null);
      return this.direction * compare(left, right);
    });
    this.heads.forEach((head, i) => {
      if (i === this.by) head.setAttribute("aria-sort", this.direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const drawn = this.isWhole ? found : found.slice(0, FIRST_ROWS);
    this.body.replaceChildren(...drawn.map(({ row }) =>
      element("tr", {}, ...columns.map((column) => cell(column, row)))));
    const which = this.spec.which || "newest";
    const all = this.of > this.rows.length ? `the ${which} ${n(this.rows.length)} of ${count(this.of, noun)}` : count(this.rows.length, noun);
    const est = this.rows.some(({ row }) => row.exact === false) ? "; tokens are estimates" : "";
    this.counted.textContent = (words.length ? `${n(found.length)} of ${all}` : all) + est;
    this.table.hidden = !found.length;
    this.wanted.hidden = !this.rows.length;
    this.none.hidden = Boolean(found.length);
    this.none.textContent = this.rows.length ? "Nothing fits the filter." : this.spec.none;
    this.more.hidden = drawn.length === found.length;
    this.more.textContent = `Show all ${n(found.length)}`;
  }
}

// -- all of it --------------------------------------------------------------------------------

let data = JSON.parse(byId("data").textContent);
const whose = data.many ? "many" : "one";
const tables = TABLES.filter(({ only }) => !only || only === whose).map((spec) => new Table(spec));

function period(d) {
  const name = (day) => new Date(`${day}T12:00:00`).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const range = d.first === d.last ? name(d.first) : `${name(d.first)} to ${name(d.last)}`;
  const { teams, people, machines } = d.many || {};
  const ofWhom = d.many ? `, ${people === 1 ? "1 person" : `${n(people)} people`} in ${count(teams, "team")} on ${count(machines, "machine")}` : "";
  return `${range}, ${count(d.totals.days, "day")} with activity, ${count(d.totals.sessions, "session")}${ofWhom}`;
}

function draw() {
  byId("period").textContent = period(data);
  byId("note").textContent = data.note;
  byId("note").hidden = !data.note;
  drawChanges(data);
  drawHeadlines(data);
  drawCharts(data);
  for (const table of tables) table.take(data);
  const t = data.totals;
  const checks = t.checks ? [element("p", {}, `Not counted: ${count(t.checks, "decision")} that a person asked for with laconic check.`)] : [];
  byId("footer").replaceChildren(
    element("p", {}, "Tokens saved: what agents would have read, up to the limit at which they cut it themselves, less what they read; est.: estimated from characters, not counted by a tokenizer."),
    element("p", {}, "Prompts saved: commands that laconic allowed and about which the agent would have asked in its usual mode, without rules of yours."),
    ...checks,
    element("p", {}, `Made by laconic ${data.laconic} on ${data.made}${data.since ? `, of what is newer than ${data.since}` : ""}.`));
}

byId("charts").append(...boxes);
byId("tables").append(...tables.map((table) => table.section));
draw();
new ResizeObserver(() => drawCharts(data)).observe(byId("charts"));

// -- live -------------------------------------------------------------------------------------

let tag = "";

async function poll() {
  const answer = await fetch("data", { headers: tag ? { "If-None-Match": tag } : {} });
  if (answer.ok) {
    tag = answer.headers.get("ETag");
    data = await answer.json();
    draw();
  } else if (answer.status !== 304) {
    throw new Error(await answer.text());
  }
}

async function follow() {
  const state = byId("state");
  if (!document.hidden) {
    try {
      await poll();
      state.className = state.textContent = "live";
    } catch (error) {
      state.className = "lost";
      state.textContent = error instanceof TypeError ? "laconic dashboard has ended" : error.message;
    }
  }
  setTimeout(follow, POLL_MS);
}

if ("live" in document.body.dataset) follow();
