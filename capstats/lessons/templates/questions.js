// Questions with checked answers: the form of each is in the template (question.html.j2), its check in the script of the lesson.

const right = new Set();

/**
 * The check of one question. `check(answer)` gets the chosen value, the typed number, or nothing where the state of the page is what counts;
 * it returns true, or a sentence on what is missing. `hints` are shown one after another, `after` once the answer is right. Where a number of
 * people, records or tables is asked for, which the label of the field tells, `of()` is how many there are: for an answer that is the share.
 */
function ask(name, { check, hints = [], after = "", of = () => 0 }) {
  const section = find(`[data-question="${name}"]`);
  const form = find("form", section);
  const field = find("input:not([type=radio])", form);
  const radios = findAll("input[type=radio]", form);
  const verdict = find(".verdict", form);
  const hint = find(".hint", form);
  const [noun] = /people|records|tables/i.exec(field?.labels[0].textContent ?? "") ?? [];
  const whole = `a whole number of ${noun?.toLowerCase()}`;

  const answer = () => {
    if (radios.length) return radios.find((radio) => radio.checked)?.value;
    return field ? typed(field.value, Boolean(noun)) : null;
  };

  /** Whether a share, rounded to two decimals or more, is that of a count that is right: its numerator, or one of all. */
  const rightShare = (share) => {
    const [, numerator] = /^\D*(\d+)\s*(?:\/|(?:out )?of)/.exec(field.value) ?? [];
    const n = of();
    const near = Array.from({ length: n + 1 }, (_, k) => k).filter((k) => isAbout(share, k / n));
    return (numerator ? [Number(numerator)] : near).some((k) => check(k) === true);
  };

  const judge = () => {
    const given = answer();
    if (given === undefined) return "choose one of the answers.";
    if (Number.isNaN(given)) return noun ? `give ${whole}.` : "give a number, such as 0.25 or 1/4.";
    if (noun && !Number.isInteger(given) && given < 1) {
      return rightShare(given) ? `this is the right share. Give ${whole}.` : `this is a share. Give ${whole}.`;
    }
    return check(given);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = judge();
    section.dataset.state = found === true ? "right" : "wrong";
    const told = typeof after === "function" ? after() : after;
    verdict.textContent = found === true ? `Right. ${told}` : `Not yet: ${found || "try again."}`;
    if (found === true) right.add(name);
    section.dispatchEvent(new Event("judged"));
    report();
  });

  const button = find("[data-hint]", form);
  button.hidden = hints.length === 0;
  button.addEventListener("click", () => {
    const told = hints[hint.children.length];
    hint.hidden = false;
    hint.append(make("li", {}, told));
    announce(told);
    button.textContent = "Another hint";
    button.disabled = hint.children.length === hints.length;
  });
}

/** How many questions were answered. */
function report() {
  const all = findAll("[data-question]").length;
  find("#progress").textContent = all ? `${right.size} of ${all} questions answered.` : "";
}

/** In a container of class "questions one" a single question is on the screen at a time; buttons with their numbers go to the others. */
function paged(container) {
  const sections = findAll("[data-question]", container);
  const buttons = sections.map((section, i) => make("button", {
    type: "button", class: "quiet", "data-go": section.dataset.question, "aria-label": `Question ${i + 1}`, click: () => go(i),
  }, String(i + 1)));
  const go = (at) => sections.forEach((section, i) => {
    section.classList.toggle("now", i === at);
    assign(buttons[i], { "aria-current": i === at && "true" });
  });
  sections.forEach((section, i) => {
    const next = make("button", { type: "button", hidden: true, click: () => {
      go(i + 1);
      find("h3", sections[i + 1]).focus();
    } }, "Next question");
    if (i + 1 < sections.length) find(".buttons", section).append(next);
    section.addEventListener("judged", () => {
      const done = section.dataset.state === "right";
      next.hidden = !done;
      buttons[i].classList.toggle("done", done);
      assign(buttons[i], { "aria-label": `Question ${i + 1}${done ? ", answered" : ""}` });
    });
  });
  container.prepend(make("nav", { "aria-label": "Questions", class: "numbers-of-questions" }, ...buttons));
  go(0);
}

addEventListener("DOMContentLoaded", () => {
  findAll(".questions.one").forEach(paged);
  report();
});
