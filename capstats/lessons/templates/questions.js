// Questions with checked answers, and predictions: their forms are in the template (question.html.j2), what is right in the script of the lesson.

const right = new Set();
const asked = new Set(); // sections that a script has asked; of the others the template says all
const again = []; // what brings kept progress back, once the page is there

/**
 * The check of one question. `check(answer)` gets the chosen value, the typed number, or nothing where the state of the page is what counts;
 * it returns true, or a sentence on what is missing; a choice is right if the template does not say why it is wrong. `hints` are shown one after
 * another, `after` once the answer is right: those of the template, if they are not given. Where a number of people, records or tables is asked
 * for, which the label of the field tells, `of()` is how many there are: for "171 of 900", and for a share.
 * `load()` puts the question's own tables on the page when it is opened. `wrong` explains wrong answers: a list of [matcher, sentence] in which
 * the matcher is a number, the value of a choice, or a function of the answer; the first that fits is used, and `check` for the others.
 */
function ask(name, { check, load = () => {}, wrong = [], hints, after, of = () => 0 } = {}) {
  const section = find(`[data-question="${name}"]`);
  hints ??= JSON.parse(section.dataset.hints);
  after ??= section.dataset.after;
  asked.add(section);
  const form = find("form", section);
  const field = find("input:not([type=radio])", form);
  const radios = findAll("input[type=radio]", form);
  check ??= (value) => radios.find((radio) => radio.value === value).dataset.wrong ?? true;
  const verdict = find(".verdict", form);
  const hint = find(".hint", form);
  const [noun] = /people|records|tables/i.exec(field?.labels[0].textContent ?? "") ?? [];
  const whole = `a whole number of ${noun?.toLowerCase()}`;

  const answer = () => {
    if (radios.length) return radios.find((radio) => radio.checked)?.value;
    if (!field) return null;
    const [, numerator, all] = /^\D*(\d+)\s*(?:\/|\u00f7|in|(?:out )?of)(?: the| all)?\s*([\d, ]+)/.exec(field.value) ?? [];
    return noun && Number(all?.replace(/\D/g, "")) === of() ? Number(numerator) : typed(field.value, Boolean(noun)); // "171 of 900" people
  };

  /** Whether a share, rounded to two decimals or more, is that of a count that is right. */
  const rightShare = (share) => Array.from({ length: of() + 1 }, (_, k) => k).some((k) => isAbout(share, k / of()) && check(k) === true);

  const judge = () => {
    const given = answer();
    if (given === undefined) return "choose one of the answers.";
    if (Number.isNaN(given)) return noun ? `give ${whole}.` : "give a number, such as 0.25 or 1/4.";
    const found = check(given);
    const fits = ([matcher]) => {
      if (typeof matcher === "function") return matcher(given);
      return given === matcher || (!noun && typeof matcher === "number" && isAbout(given, matcher));
    };
    const explained = found === true ? undefined : wrong.find(fits);
    if (explained) return explained[1];
    if (noun && !Number.isInteger(given) && given < 1) {
      return rightShare(given) ? `this is the right share. Give ${whole}.` : `this is a share. Give ${whole}.`;
    }
    const mistaken = found !== true && field && others.near(given, Boolean(noun));
    return mistaken ? `${noun ? "these are" : "that is"} ${mistaken}. ${found[0].toUpperCase()}${found.slice(1)}` : found;
  };
  const mark = () => { document.body.dataset.asked = section.dataset.state === "right" ? "" : name; }; // style sheets hide what answers it
  for (const [event, then] of [["opened", load], ["opened", mark], ["judged", mark]]) section.addEventListener(event, then);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = judge();
    section.dataset.state = found === true ? "right" : "wrong";
    const told = typeof after === "function" ? after() : after;
    verdict.textContent = found === true ? `Right. ${told}` : `Not yet: ${found || "try again."}`;
    if (found === true) {
      right.add(name);
      keep("done", [...right].join("."));
    }
    section.dispatchEvent(new Event("judged"));
    report();
  });

  again.push(() => {
    if (!kept.get("done")?.split(".").includes(name)) return;
    right.add(name);
    section.dataset.state = "right";
    verdict.textContent = "Answered before.";
    section.dispatchEvent(new Event("judged"));
  });

  const button = find("[data-hint]", form);
  button.hidden = hints.length === 0;
  section.addEventListener("judged", () => { button.hidden ||= section.dataset.state === "right"; });
  button.addEventListener("click", () => {
    if (hint.children.length === hints.length) return;
    const told = hints[hint.children.length];
    hint.hidden = false;
    hint.append(make("li", {}, told));
    announce(told);
    button.textContent = "Another hint";
    assign(button, { "aria-disabled": String(hint.children.length === hints.length) });
  });
}

/**
 * Numbers that are given in place of the one that is asked for. A lesson lists them: `counts()` and `shares()` are lists of [value, words]. What
 * has no sentence of its own in `wrong` is looked up here, and named before what `check` says.
 */
const others = {
  counts: () => [],
  shares: () => [],
  near(given, whole) {
    if (whole) return this.counts().find(([count]) => count === given)?.[1];
    const far = ([share]) => Math.abs(share - (given < 2 ? given : given / 100));
    return this.shares().filter(([share]) => share > 0 && isAbout(given, share)).sort((a, b) => far(a) - far(b))[0]?.[1];
  },
};

/** The age groups and diagnoses of the patients as words: "aged 40 to 65", "with asthma". */
const AGED = (given.ages ?? []).map((age) => age.replace(/^\d/, "aged $&"));
const WITH = (given.diagnoses ?? []).map((diagnosis) => `with ${diagnosis}`);
const LETTERS = { S_b: "A", S_g: "B", S_a: "C", S_e: "D" }; // what their releases are called

/** What a table counts: cells, keys, targets, all, and what is not in them; `keys` and `targets` are words, "over 65" and "with asthma". */
function countsOf(t, what, keys, targets) {
  const found = [...t.flatMap((row, i) => row.map((count, j) => [count, `${keys[j]} ${targets[i]}`])),
    ...keyTotals(t).map((count, j) => [count, keys[j]]), ...targetTotals(t).map((count, i) => [count, targets[i]])];
  return [...found.map(([count, whose]) => [count, `the ${what} ${whose}`]), [total(t), `all ${what}`],
    ...found.map(([count, whose]) => [total(t) - count, `all ${what} but those ${whose}`])];
}

/** The shares in a table: of a target among a key, of a key among a target, of both and of a target among all. */
function sharesOf(t, what, keys, targets) {
  const [n, key, target, all] = [total(t), keyTotals(t), targetTotals(t), `the ${what}`];
  return [...t.flatMap((row, i) => row.flatMap((count, j) => [
    [count / key[j], `the share of those ${targets[i]} among ${all} ${keys[j]}`],
    [count / target[i], `the share of those ${keys[j]} among ${all} ${targets[i]}`],
    [count / n, `the share of those ${keys[j]} ${targets[i]} among all ${what}`],
  ])), ...target.map((count, i) => [count / n, `the share of those ${targets[i]} among all ${what}`])];
}

/**
 * A prediction: the reader drags a mark on a scale from 0 to 1, and what is hidden, every element with data-until="name", appears after "That is my
 * guess", with the true value beside the guess. `value()` is that value, `say(guess, value)` a sentence about the two, which is said again when
 * the page has `changed()`, `text(x)` a value in words, `mark(x)` that of the guess, and `start()` is called before.
 */
function predict(name, { value, say, text = (x) => inPercent(x), mark = text, start = () => {} }) {
  const form = find(`[data-predict="${name}"]`);
  const slider = find("input", form);
  const hide = (are) => findAll(`[data-until="${name}"]`).forEach((element) => element.classList.toggle("until", are));
  const put = (mark, at, text) => {
    find(mark, form).style.left = `${100 * at}%`;
    find(mark, form).textContent = text;
  };
  const move = () => {
    put(".mark", slider.value, mark(Number(slider.value)));
    assign(slider, { "aria-valuetext": mark(Number(slider.value)) });
  };
  const tell = () => {
    if (!form.dataset.state) return;
    const [guess, truth] = [Number(slider.value), value()];
    if (!Number.isNaN(truth)) put(".truth", truth, `\u25b2 ${text(truth)}`);
    find(".verdict", form).textContent = say(guess, truth);
  };
  const reveal = () => {
    form.dataset.state = "done";
    slider.disabled = true;
    find("button", form).hidden = true;
    start();
    tell();
    hide(false);
    keep(`guess-${name}`, slider.value);
  };
  slider.addEventListener("input", move);
  form.addEventListener("changed", tell);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    reveal();
    assign(find(".verdict", form), { tabindex: -1 }).focus({ preventScroll: true }); // the Tab key goes on from here, without a jump
  });
  hide(true);
  move();
  again.push(() => {
    const guess = kept.get(`guess-${name}`);
    if (guess === null) return;
    slider.value = guess;
    move();
    reveal();
  });
}

/** What is on the page has changed, so what was said of a prediction is said anew. */
const changed = () => findAll(".predict").forEach((form) => form.dispatchEvent(new Event("changed")));

/** How many questions were answered. */
function report() {
  const all = findAll("[data-question]").length;
  find("#progress").textContent = all ? `${right.size} of ${all} questions answered.` : "";
}

/** In a container of class "questions one" a single question is on the screen at a time; buttons with their numbers go to the others. */
function paged(container) {
  const sections = findAll("[data-question]", container);
  const buttons = sections.map((section, i) => make("button", {
    type: "button", class: "quiet", "data-go": section.dataset.question, "aria-label": `Question ${i + 1}`, click: () => turn(i),
  }, String(i + 1)));
  const go = (at) => sections.forEach((section, i) => {
    section.classList.toggle("now", i === at);
    assign(buttons[i], { "aria-current": i === at && "true" });
  });
  const open = () => find(".now", container).dispatchEvent(new Event("opened"));
  const turn = (at) => {
    go(at);
    open();
    keep("at", sections[at].dataset.question);
    find("h2", sections[at]).focus();
  };
  sections.forEach((section, i) => {
    const next = make("button", { type: "button", hidden: true, click: () => turn(i + 1) }, "Next question");
    if (i + 1 < sections.length) find(".buttons", section).append(next);
    section.addEventListener("judged", () => {
      const done = right.has(section.dataset.question); // also if another answer is tried later
      next.hidden = !done;
      buttons[i].classList.toggle("done", done);
      assign(buttons[i], { "aria-label": `Question ${i + 1}${done ? ", answered" : ""}` });
    });
  });
  container.prepend(make("nav", { "aria-label": "Questions", class: "numbers-of-questions" }, ...buttons));
  go(Math.max(sections.findIndex((section) => section.dataset.question === kept.get("at")), 0));
  const fold = container.closest("details:not([open])"); // the first question's tables are put there when it is unfolded
  if (fold) find("summary", fold).addEventListener("click", open, { once: true });
  else open();
  if (fold && kept.get("at")) find("summary", fold).click();
}

addEventListener("beforeprint", () => findAll("details").forEach((details) => { details.open = true; }));

addEventListener("DOMContentLoaded", () => {
  for (const section of findAll("[data-question]")) if (!asked.has(section)) ask(section.dataset.question);
  findAll(".questions.one").forEach(paged);
  again.forEach((back) => back());
  report();
});
