// A link to a folded question opens its fold, also if it is followed again.
const unfold = (hash) => {
  const fold = document.getElementById(decodeURIComponent(hash.slice(1)))?.querySelector(":scope > details:has(> summary > h3)");
  if (fold) fold.open = true;
};
addEventListener("DOMContentLoaded", () => unfold(location.hash));
addEventListener("hashchange", () => unfold(location.hash));
addEventListener("click", ({ target }) => unfold(target.closest("a")?.hash || ""));
