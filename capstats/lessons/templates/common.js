"use strict";
// What all lessons share: elements, numbers on the page, random numbers, scales of drawings, keyboard and touch.

const given = JSON.parse(document.getElementById("given").textContent);
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** A sentence of a report, with its words and with values in place of the names in braces. */
const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => ({ ...given.words, ...values })[name]);

// --- elements

const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Set attributes of an element, and add to it; functions become listeners ({click: f}), null and false remove, true sets an empty one. */
function assign(element, attributes, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === null || value === false || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** A new HTML element. There is no "style" attribute: the page's policy forbids it; use classes, or element.style in a script. */
const make = (tag, attributes = {}, ...children) => assign(document.createElement(tag), attributes, ...children);

/** A new SVG element. */
const draw = (tag, attributes = {}, ...children) => assign(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, ...children);

/** A function that runs `render` once before the next frame, however often it is called until then. */
function later(render) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      render();
    });
  };
}

/** Call `each` with a share that grows from 0 to 1 in a second, or with 1 if motion is to be reduced. Returns a function that stops it. */
function grow(each) {
  const begin = performance.now();
  let waiting;
  const step = (now) => {
    const share = still.matches ? 1 : Math.min(Math.max((now - begin) / 1000, 0), 1);
    each(share);
    if (share < 1) waiting = requestAnimationFrame(step);
  };
  step(begin);
  return () => cancelAnimationFrame(waiting);
}

/** Say something to a screen reader. */
const announce = (text) => { find("#announcer").textContent = text; };

// --- numbers

/** A number as text: three decimals, integers as they are, "undefined" for NaN. */
const shown = (value) => (Number.isNaN(value) ? "undefined" : Number.isInteger(value) ? String(value) : value.toFixed(3));

/** With so many decimals; what lies exactly between two goes to the even one. */
function fixed(x, digits) {
  const between = x * 2 ** (digits + 1);
  if (!Number.isInteger(between) || between % 2 === 0) return x.toFixed(digits);
  const low = Math.floor(x * 10 ** digits);
  return ((low % 2 ? low + 1 : low) / 10 ** digits).toFixed(digits);
}

/** A share as a sentence has it, as a part of 100 or of a number of people: "31", "30.7"; 0 or all only where it is exactly that. */
function part(share, of, digits = 1) {
  const [x, least] = [Number(fixed(of * share, digits)), 10 ** -digits];
  return x === 0 && share > TIE ? `<${least}` : x === of && 1 - share > TIE ? `>${grouped(Number(fixed(of - least, digits)))}` : grouped(x + 0);
}

/** A share of people as their number, with a decimal where they are few. */
const ofPeople = (share, n) => part(share, n, Number(n < 100));
const inPercent = (share, digits = 1) => (Number.isNaN(share) ? "undefined" : `${part(share, 100, digits)}\u00a0%`);

/** Write a number into every <output data-name="...">: rounded as text, with all its digits in data-value, and read aloud only where it is asked for. */
function show(name, value, text = shown(value)) {
  for (const output of findAll(`output[data-name="${name}"]`)) {
    output.ariaLive = "off";
    output.dataset.value = String(value);
    output.textContent = text;
  }
}

/** A table of counts, or of fields for them, with names of its columns and rows. */
const tableOf = (counts, columns, rows, attributes) => make("table", attributes,
  make("tr", {}, make("td"), ...columns.map((name) => make("th", { scope: "col" }, name))),
  ...counts.map((row, i) => make("tr", {}, make("th", { scope: "row" }, rows[i]), ...row.map((count) => make("td", {}, count)))));

/** An <output> for `show`. */
const output = (name, attributes = {}) => make("output", { "data-name": name, ...attributes });

/**
 * A field for a count from 0 to `most`, in a table with a caption: what is typed is given to `change` where it differs from `now()`; what is no
 * such count is marked, and once the field is left, the caption says so and the field shows `now()` again.
 */
function countField(input, most, now, change) {
  const mark = (valid) => assign(input, { "aria-invalid": String(!valid) });
  const say = (text) => {
    const caption = find("caption", input.closest("table"));
    (find("[data-wrong-count]", caption) ?? caption.appendChild(make("span", { "data-wrong-count": true, role: "alert" }))).textContent = text;
  };
  input.addEventListener("input", () => {
    say("");
    const count = Number(input.value);
    const valid = input.value.trim() !== "" && Number.isInteger(count) && count >= 0 && count <= most;
    mark(valid);
    if (valid && count !== now()) change(count);
  });
  input.addEventListener("change", () => {
    if (input.ariaInvalid === "true") say(`${input.value || "Nothing"} is no whole number from 0 to ${most}: it is ${now()} again.`);
    mark(true);
    input.value = now();
  });
}

/** A count with a comma between its thousands. */
const grouped = (n) => n.toLocaleString("en-US");

/** "1 person", "2 people". */
const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/**
 * The number that a reader typed: with a decimal point or comma, a fraction "2/3", "2 of 3" or "2 in 3", a percentage, "1e-3", "ln 3"; a sign
 * before it, a word and a dot after it are allowed; of "3/8 = 0.375" or "p = 0.375" what comes last. Where a whole number is asked for, "1,000" is
 * a thousand. NaN otherwise.
 */
function typed(text, whole = false) {
  const plain = text.trim().toLowerCase().replace("\u2212", "-").replace(/^.*[=~\u2248]/, "").trim().replace(/^((it|that|this) is|about|approx\.?|circa)\s+/, "").replace(/\s*[.?]$/, "").replace(/^([^(]*)\)$/, "$1")
    .replace(/\s*[x*\u00d7\u00b7]\s*10\s*\^\s*/, "e").replace(whole ? /(\d)[, ](?=\d{3}(?!\d))/g : /(?!)/, "$1").replaceAll(",", ".");
  const number = String.raw`([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)`;
  const form = String.raw`^(ln|log(?:_?e)?|(?:the )?logarithm of)?\s*\(?\s*${number}\s*\)?\s*(?:(?:[/:\u00f7]|in|(?:out )?of(?: the| all)?)\s*${number}\s*\)?|(%|per ?cent))?\s*(?:[a-z]{3,}[a-z -]*)?$`;
  const found = new RegExp(form).exec(plain);
  if (!found) return NaN;
  const [, log, first, divisor, percent] = found;
  const plainly = Number(first) / (percent ? 100 : Number(divisor ?? 1));
  const value = log ? Math.log(plainly) : plainly;
  return Number.isFinite(value) ? value : NaN;
}

/** Whether an answer, rounded by the reader to two decimals or more, is this number; a share may be a percentage without its sign. */
const isAbout = (answer, value, within = 0.0051) => Math.abs(answer - value) <= within
  || (value > 0 && value <= 1 && answer >= 2 && answer <= 100 && Math.abs(answer / 100 - value) <= within);

// --- progress, which is in the address: a page that is loaded again, or whose link is shared, goes on where it was

const kept = new URLSearchParams(location.hash.slice(1));

/** Keep a text under a name in the address; `kept.get(name)` has it again, null if there is none. */
function keep(name, value) {
  kept.set(name, value);
  history.replaceState(null, "", `#${kept}`);
}
find(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is kept
  find("#main").focus();
});

// --- random numbers

/** Uniform random numbers in [0, 1) from a seed, the same in every browser (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The list itself, in a random order. */
function shuffle(list, chance) {
  for (let k = list.length - 1; k > 0; k -= 1) {
    const other = Math.floor(chance() * (k + 1));
    [list[k], list[other]] = [list[other], list[k]];
  }
  return list;
}

// --- drawings

/** The linear map of [from, to] to [start, end]. */
const scale = (from, to, start, end) => (value) => start + ((value - from) / (to - from)) * (end - start);

/** Round values from `from` to `to`, about `count` of them. */
function ticks(from, to, count = 5) {
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((x) => x * power).find((x) => x >= raw * 0.999);
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i += 1) found.push(Number((i * step).toPrecision(12)));
  return found;
}

/** A horizontal axis at height y: a line, ticks, numbers and a title below. */
function axis(place, y, values, title = "", tick = String) {
  const ends = [place(values[0]), place(values[values.length - 1])];
  const group = draw("g", { class: "axis", "aria-hidden": "true" }, draw("path", { d: `M${ends[0]} ${y}H${ends[1]}` }));
  for (const value of values) {
    group.append(draw("path", { d: `M${place(value)} ${y}v5` }));
    group.append(draw("text", { x: place(value), y: y + 18, "text-anchor": "middle" }, tick(value)));
  }
  if (title) group.append(draw("text", { x: (ends[0] + ends[1]) / 2, y: y + 36, "text-anchor": "middle", class: "title" }, title));
  return group;
}

// --- keyboard and touch

/** Call the function of a pressed key: keys({ArrowLeft: f, "+": g}); keys with Ctrl, Alt or Meta are left to the browser. */
function keys(actions) {
  return (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key](event);
  };
}

/** One stop of the Tab key for several elements; arrows, Home and End go from one to the next. Returns a function that renews it. */
function rove(elements, visit = () => {}) {
  let at = 0;
  const go = (to) => {
    const all = elements();
    if (!all.length) return;
    at = Math.min(Math.max(to, 0), all.length - 1);
    all.forEach((element, i) => element.setAttribute("tabindex", i === at ? "0" : "-1"));
  };
  const step = (by) => (event) => {
    go(elements().indexOf(event.currentTarget) + by);
    elements()[at].focus();
  };
  const all = keys({ ArrowRight: step(1), ArrowDown: step(1), ArrowLeft: step(-1), ArrowUp: step(-1), Home: step(-1e9), End: step(1e9) });
  return () => {
    for (const element of elements()) {
      if (element.dataset.roves) continue;
      element.dataset.roves = "yes";
      element.addEventListener("keydown", all);
      element.addEventListener("focus", () => {
        go(elements().indexOf(element));
        visit(element);
      });
    }
    go(at);
  };
}

/**
 * Drag with a mouse, a pen or a finger. `start(event)` returns what is dragged, or nothing; `move(what, event)` and `drop(what, event)`
 * follow where the pointer moved; `cancel(what)` is called where the drag was broken off.
 */
function draggable(surface, { start, move, drop, cancel }) {
  let held = null;
  const release = (was = held) => { held = null; return was; };
  surface.addEventListener("pointerdown", (event) => {
    if (held || event.button !== 0) return;
    const what = start(event);
    if (!what) return;
    held = { what, id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
    surface.setPointerCapture?.(event.pointerId);
  });
  surface.addEventListener("touchmove", (event) => {
    if (held) event.preventDefault(); // or the browser scrolls, and breaks the drag off
  }, { passive: false });
  surface.addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.id) return;
    held.moved ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) > 4;
    if (held.moved) move(held.what, event);
  });
  surface.addEventListener("pointerup", (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { what, moved } = release();
    if (moved) drop(what, event);
  });
  surface.addEventListener("pointercancel", (event) => {
    if (held && event.pointerId === held.id) cancel(release().what);
  });
  document.addEventListener("keydown", (event) => {
    if (held && event.key === "Escape") cancel(release().what);
  });
}
