// Questions with checked answers: the form of each is in the template (question.html.j2), its check in the script of the lesson.

const right = new Set();

/**
 * The check of one question. `check(answer)` gets the chosen value, the typed number, or nothing where the state of the page is what counts;
 * it returns true, or a sentence on what is missing. `hints` are shown one after another, `after` once the answer is right.
 */
function ask(name, { check, hints = [], after = "" }) {
  const section = find(`[data-question="${name}"]`);
  const form = find("form", section);
  const field = find("input:not([type=radio])", form);
  const radios = findAll("input[type=radio]", form);
  const verdict = find(".verdict", form);
  const hint = find(".hint", form);
  let next = 0;

  const answer = () => {
    if (radios.length) return radios.find((radio) => radio.checked)?.value;
    return field ? typed(field.value) : null;
  };

  const judge = () => {
    const given = answer();
    if (given === undefined) return "choose one of the answers.";
    if (Number.isNaN(given)) return "give a number, such as 0.25 or 1/4.";
    return check(given);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = judge();
    section.dataset.state = found === true ? "right" : "wrong";
    const told = typeof after === "function" ? after() : after;
    verdict.textContent = found === true ? `Right. ${told}` : `Not yet: ${found || "try again."}`;
    if (found === true) right.add(name);
    report();
  });

  const button = find("[data-hint]", form);
  button.hidden = hints.length === 0;
  button.addEventListener("click", () => {
    hint.hidden = false;
    hint.textContent = hints[next];
    next = (next + 1) % hints.length;
    button.textContent = next ? "Another hint" : "Hint";
  });
}

/** How many questions were answered. */
function report() {
  const all = findAll("[data-question]").length;
  find("#progress").textContent = all ? `${right.size} of ${all} questions answered.` : "";
}

addEventListener("DOMContentLoaded", report);
