// The page that counts two files: what is chosen, the workers that read, and what went wrong.

const source = URL.createObjectURL(new Blob([find("#worker").textContent], { type: "text/javascript" }));
const FILES = ["original", "synthetic"];
const columns = { original: null, synthetic: null }; // names, where a file is chosen and its header can be read
const unreadable = { original: "", synthetic: "" }; // why the header of a file cannot be read
const known = { original: null, synthetic: null }; // the files that this is about
let workers = []; // one for each file
const MOST_COLUMNS = 50; // whose whole records are compared
let turn = 0; // of what was asked last; answers to earlier ones are dropped

/** What one of the two workers says of a task; refusals are errors, which begin with the name of the file that they are about. */
function ask(which, task, given, { about = "", progress = () => {}, transfer = [] } = {}) {
  workers[which] ??= new Worker(source);
  const id = Math.random();
  return new Promise((resolve, reject) => {
    const worker = workers[which];
    worker.addEventListener("message", function listen({ data }) {
      if (data.id !== id) return;
      if ("bytes" in data) return void progress(data.bytes);
      worker.removeEventListener("message", listen);
      if ("refused" in data) reject(new Error(about ? `${about}: ${data.refused}` : data.refused));
      else resolve(data.answer);
    });
    worker.addEventListener("error", () => reject(new Error("The page failed. Reload it, and choose fewer or coarser key columns.")), { once: true });
    worker.postMessage({ id, task, given }, transfer);
  });
}

/** End all work; what was asked for is not answered any more. */
function stop() {
  turn += 1;
  for (const worker of workers) worker?.terminate();
  workers = [];
}

const chosenFile = (name) => find(`#${name}`).files[0] ?? null;
const chosenKeys = () => [...find("#keys").selectedOptions].map(({ value }) => value);

// --- what is chosen

/** Take away what is shown of a choice that no longer holds. */
function clear() {
  if (!find("#cancel").hidden) stop();
  busy(false);
  find("#alert").textContent = printable(unreadable.original || unreadable.synthetic || "");
  find("#results").hidden = true;
  for (const output of findAll("output[data-name]")) {
    delete output.dataset.value;
    output.textContent = "";
  }
}

function refuse(error) {
  busy(false);
  find("#alert").textContent = printable(error.message);
}

/** Read the header of a file that was chosen, and offer the columns of the original. */
async function choose(name) {
  unreadable[name] = "";
  clear();
  const file = (known[name] = chosenFile(name));
  columns[name] = null;
  const kept = { keys: chosenKeys(), target: find("#target").value };
  if (name === "original") offer([], kept);
  const about = find(`#about-${name}`);
  about.textContent = file ? `${printable(file.name)}: ${size(file.size)}` : "";
  if (!file) return;
  try {
    const names = await ask(FILES.indexOf(name), "header", { file }, { about: file.name });
    if (chosenFile(name) !== file) return;
    columns[name] = names;
    about.textContent = `${printable(file.name)}: ${size(file.size)}, ${counted(names.length, "column", "columns")}`;
    if (name === "original") offer([...new Set(names)], kept);
    for (const label of findAll("#boxes label")) mark(label);
  } catch (error) {
    if (chosenFile(name) !== file) return;
    unreadable[name] = error.message;
    clear();
    find("#alert").scrollIntoView({ block: "nearest" });
  }
}

/** Boxes and options of the columns. */
function offer(names, kept) {
  const option = (name, selected) => {
    const found = make("option", { value: name }, printable(name));
    found.selected = found.defaultSelected = selected;
    return found;
  };
  find("#keys").replaceChildren(...names.map((name) => option(name, kept.keys.includes(name))));
  const last = names.includes(kept.target) ? kept.target : names[names.length - 1];
  find("#target").replaceChildren(...names.map((name) => option(name, name === last)));
  const boxes = names.map((name, i) => {
    const box = make("input", { type: "checkbox", "data-key": i, checked: kept.keys.includes(name), change: () => {
      find("#keys").options[i].selected = box.checked;
      clear();
    } });
    return make("label", {}, box, make("span", {}, printable(name) || "(no name)"));
  });
  find("#boxes").replaceChildren(...(boxes.length ? boxes : [make("p", { class: "small soft" }, "The columns of the original file will be here.")]));
}

/** Say beside a box that the synthetic file does not have its column. */
function mark(label) {
  const name = find("#keys").options[find("input", label).dataset.key].value;
  find(".soft", label)?.remove();
  if (columns.synthetic && !columns.synthetic.includes(name)) label.append(make("span", { class: "soft" }, "(not in the synthetic file)"));
}

find("#keys").addEventListener("change", () => {
  clear();
  findAll("#boxes input").forEach((box, i) => (box.checked = find("#keys").options[i].selected));
});
find("#target").addEventListener("change", clear);
for (const name of FILES) {
  find(`#${name}`).addEventListener("change", () => choose(name));
  find(`#${name}`).addEventListener("cancel", () => chosenFile(name) !== known[name] && choose(name)); // the same file again, after a repair
}

for (const event of ["dragover", "drop"]) document.addEventListener(event, (dropped) => dropped.preventDefault()); // or the file takes the page's place
for (const card of findAll("[data-drop]")) {
  card.addEventListener("dragover", () => card.classList.add("over"));
  card.addEventListener("dragleave", () => card.classList.remove("over"));
  card.addEventListener("drop", ({ dataTransfer: { files } }) => {
    card.classList.remove("over");
    put(card.dataset.drop, [...files]);
  });
}

/** Choose a file as if it had been chosen by hand. */
function put(name, files) {
  if (files.length !== 1) return refuse(new Error(`Drop one file, not ${files.length}.`));
  const transfer = new DataTransfer();
  transfer.items.add(files[0]);
  find(`#${name}`).files = transfer.files;
  return choose(name);
}

// --- counting

function busy(is) {
  assign(find("#count"), { "aria-disabled": String(is) });
  find("#cancel").hidden = find("#working").hidden = !is;
}

/** What can be said before a record is read. */
function check(files, keys, target) {
  FILES.forEach((name, i) => {
    if (!files[i]) throw new Error(`Choose the ${name} file.`);
  });
  if (!keys.length) throw new Error("Choose at least one key: what somebody knows of a person.");
  if (keys.includes(target)) throw new Error(`Column '${target}' is both a key and the target. A column cannot be both.`);
  for (const column of [...keys, target]) {
    FILES.forEach((name, i) => {
      const times = columns[name].filter((other) => other === column).length;
      if (!times) throw new Error(`${files[i].name}: it has no column '${column}'. The two files must call it the same.`);
      if (times > 1) throw new Error(`${files[i].name}: column '${column}' occurs ${times} times. Rename all but one.`);
    });
  }
}

async function count() {
  clear();
  const mine = (turn += 1);
  const files = FILES.map(chosenFile);
  const keys = chosenKeys();
  const target = find("#target").value;
  const both = (work) => Promise.all(files.map((file, i) => work(file, i)));
  const then = (answer) => {
    if (turn !== mine) throw new Error("Something else was asked.");
    return answer;
  };
  busy(true);
  try {
    await both(async (file, i) => {
      if (file) columns[FILES[i]] = then(await ask(i, "header", { file }, { about: file.name }));
    });
    check(files, keys, target);
    const same = new Error("Both files hold the same records. Numbers of a file and itself say nothing of a release: choose two files.");
    if (then(await ask(0, "alike", { files }))) throw same;
    const wanted = [...keys, target];
    const reading = progress(files);
    const tables = then(await both((file, i) => ask(i, "count", { file, columns: wanted }, { about: file.name, progress: reading(i) })));
    find("#read").textContent = "computing";
    const transfer = tables.flatMap(({ pool, starts, counts }) => [pool.buffer, starts.buffer, counts.buffer]);
    const found = then(await ask(0, "measure", { tables, columns: keys, target }, { transfer }));
    const once = (name) => columns[name].filter((column, i, all) => all.indexOf(column) === all.lastIndexOf(column));
    const common = once("original").filter((column) => once("synthetic").includes(column));
    if (found.agree) {
      const size = found.numbers.original_records;
      const hashes = then(await both((file, i) => ask(i, "hash", { file, columns: common, size }, { about: file.name, progress: reading(i) })));
      if (then(await ask(0, "equal", { hashes }, { transfer: hashes.map(({ buffer }) => buffer) }))) throw same;
    }
    found.copies = then(await copies(common, both, progress(files)).catch(({ message }) => ({ not_computed: message })));
    busy(false);
    showResults(found, keys.map(printable), printable(target));
  } catch (error) {
    if (turn !== mine) return;
    stop();
    refuse(error);
  }
}

/** What is known of records that are alike in all columns that both files have, or why it is not. */
async function copies(common, both, reading) {
  if (common.length > MOST_COLUMNS) return { not_computed: `the tables have ${common.length} columns in common, and 1 to ${MOST_COLUMNS} are compared (--copy-columns)` };
  const tables = await both((file, i) => ask(i, "labels", { file, columns: common }, { about: file.name, progress: reading(i) }));
  find("#read").textContent = "comparing whole records";
  const transfer = tables.flat().flatMap(({ pool, starts, counts, codes }) => [pool, starts, counts, codes]);
  return ask(0, "copies", { tables, columns: common, others: others(common) }, { transfer: transfer.map(({ buffer }) => buffer) });
}

/** Why columns are not compared that the release has, or may have under another name. */
function others(common) {
  const short = (name) => name.toLowerCase().replaceAll("\u00df", "ss").replace(/[^\p{L}\p{N}]+/gu, "") || name;
  const { original, synthetic } = columns;
  const named = new Map(synthetic.filter((name) => !original.includes(name)).map((name) => [short(name), name]));
  const left = [...new Set(original)].filter((name) => !common.includes(name));
  const twice = left.filter((name) => synthetic.includes(name)).map((name) => [name, "occurs more than once in a table"]);
  const renamed = left.filter((name) => !synthetic.includes(name) && named.has(short(name)));
  return Object.fromEntries([...twice, ...renamed.map((name) => [name, `is not in it, but '${printable(named.get(short(name)))}' is (rename it)`])]);
}

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`);

/** A function for each file that shows how much of both is read. */
function progress(files) {
  const read = [0, 0];
  const all = files[0].size + files[1].size;
  const say = (done) => {
    find("#bar").value = done / all;
    find("#read").textContent = `${size(done)} of ${size(all)} read`;
  };
  say(0);
  return (i) => (bytes) => {
    read[i] = bytes;
    say(read[0] + read[1]);
  };
}

find("#count").addEventListener("click", () => find("#cancel").hidden && count());
find("#cancel").addEventListener("click", () => {
  stop();
  clear();
  announce("Cancelled.");
  find("#count").focus();
});

find("#example").addEventListener("click", async () => {
  const rows = ({ header, cells }) => [header, ...cells.flatMap(([n, ...row]) => Array(n).fill(row))].map((row) => row.join(",")).join("\n");
  const { keys, target } = given;
  for (const name of FILES) await put(name, [new File([rows(given[name])], `titanic-${name}.csv`)]);
  for (const option of find("#keys").options) option.selected = keys.includes(option.value);
  find("#keys").dispatchEvent(new Event("change"));
  find("#target").value = target;
  await count();
});
