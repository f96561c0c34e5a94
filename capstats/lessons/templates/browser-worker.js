// What the page asks of its workers, by name. This runs in a worker, behind the scripts that do it.

const TOO_MANY = "keys and target have too many different combinations for this page (128 MB of text). Choose fewer or coarser key columns.";
const TASKS = {
  header: async ({ file }) => (await readHeader(file)).names,
  alike: async ({ files }) => sameBytes(...files),
  count: async ({ file, columns }, progress) => (await readRecords(file, columns, new Distinct(TOO_MANY), progress)).rows,
  measure: async ({ tables, columns, target }) => {
    const joint = joined(tables);
    const found = margins(joint, columns.length);
    const apart = withoutMatch(found);
    if (apart >= 0) {
      const [o, s] = [0, 1].map((which) => [...found[apart].values()].filter((both) => both[which] > 0).length);
      const effect = apart < columns.length ? "no key can match" : "no guess can be right";
      throw new Refused(`Column '${[...columns, target][apart]}' has no level in common in the original (${o}) and the synthetic file (${s}), `
        + `so ${effect}. Check that it means the same in both, and is written in the same way.`);
    }
    return { ...measured(joint, found, columns), agree: sameMargins(found) };
  },
  labels: async ({ file, columns }, progress) => (await readRecords(file, columns, new Labels(columns.length), progress)).parts,
  copies: async ({ tables, columns, others }) => copiesIn(tables, columns, others),
  hash: async ({ file, columns, size }, progress) => (await readRecords(file, columns, new Hashes(size), progress)).values,
  equal: async ({ hashes }) => sameRecords(...hashes),
};

/** What is said where the browser, and no rule, stops the work. */
function reason(error) {
  if (error instanceof Refused) return error.message;
  if (error.name === "NotReadableError" || error.name === "NotFoundError") {
    return "it was changed, moved or removed after it was chosen, or may not be read. Choose it again.";
  }
  if (error instanceof RangeError) return "the memory of this page is exhausted. Choose fewer or coarser key columns, or install capstats.";
  return `the page failed (${error.message}). Please report it.`;
}

self.addEventListener("message", async ({ data: { id, task, given } }) => {
  let said = 0;
  const progress = (bytes) => {
    if (performance.now() - said < 100) return;
    said = performance.now();
    self.postMessage({ id, bytes });
  };
  try {
    self.postMessage({ id, answer: await TASKS[task](given, progress) });
  } catch (error) {
    self.postMessage({ id, refused: reason(error) });
  }
});
