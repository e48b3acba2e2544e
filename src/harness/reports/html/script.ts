// The script of the report page: search, filters by verdict, and keyboard navigation. It writes no markup, stores nothing and makes
// no network requests. Without it, the whole page is still readable.

export const REPORT_SCRIPT = `"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const scenarios = all(".scenario");
  const differences = all(".pair.changed, .scenario[data-stop=yes]");
  const entries = new Map(all(".rail li").map((entry) => [entry.dataset.for, entry]));
  const filters = all(".filters button");
  const [find, found] = [document.getElementById("find"), document.getElementById("found")];
  const rail = document.querySelector(".rail-fold");
  const narrow = matchMedia("(max-width: 56rem)");
  const texts = new Map();
  const textOf = (scenario) => {
    if (!texts.has(scenario)) texts.set(scenario, scenario.textContent.toLowerCase());
    return texts.get(scenario);
  };

  document.querySelector(".bar").hidden = false;
  rail.open = !narrow.matches;
  narrow.addEventListener("change", () => { rail.open = !narrow.matches; });

  // The current position: a scenario, and a difference in it.
  let scenario, row;
  const mark = (next) => {
    if (next === scenario) return;
    entries.get(scenario?.id)?.querySelector("a").removeAttribute("aria-current");
    scenario = next;
    const link = entries.get(next?.id)?.querySelector("a");
    if (link === undefined) return;
    link.setAttribute("aria-current", "true");
    const box = document.querySelector(".rail");
    const [outer, inner] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
    if (!narrow.matches && (inner.top < outer.top || inner.bottom > outer.bottom)) box.scrollTop += inner.top - outer.top - outer.height / 2;
  };
  const isShown = (element) => element.closest(".scenario")?.hidden === false;
  const say = (text) => { found.textContent = text; };

  let verdict = "";
  const apply = () => {
    const words = find ? find.value.trim().toLowerCase() : "";
    let count = 0;
    for (const each of scenarios) {
      const isWanted = (verdict === "" || each.dataset.verdict === verdict) && (words === "" || textOf(each).includes(words));
      each.hidden = !isWanted;
      entries.get(each.id).hidden = !isWanted;
      if (isWanted) count++;
    }
    for (const filter of filters) filter.setAttribute("aria-pressed", String(filter.dataset.verdict === verdict));
    for (const note of all(".nothing")) note.hidden = count > 0;
    say(words === "" && verdict === "" ? "" : count + " of " + scenarios.length + " scenarios");
    const hit = words === "" ? undefined : scenarios.find((each) => !each.hidden);
    hit?.querySelector("h3").scrollIntoView({ block: "start" });
  };
  const reset = () => {
    if (find) find.value = "";
    verdict = "";
    apply();
  };
  for (const filter of filters) {
    filter.addEventListener("click", () => {
      verdict = filter.dataset.verdict;
      apply();
    });
  }
  let waiting;
  find?.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });

  const go = (target) => {
    if (!target) return;
    const home = target.closest(".scenario");
    if (home?.hidden) reset();
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    row?.classList.remove("current");
    row = differences.includes(target) ? target : undefined;
    row?.classList.add("current");
    if (row) for (const call of all(".call.marked", row)) call.open = true;
    target.focus({ preventScroll: true });
    const isTall = target.getBoundingClientRect().height > innerHeight * 0.7;
    target.scrollIntoView({ block: row && !isTall ? "center" : "start" });
    if (home) mark(home);
  };
  const toDifference = (by) => {
    const open = differences.filter(isShown);
    if (open.length === 0) return say("no visible differences");
    let at = row && isShown(row) ? open.indexOf(row) + by : -1;
    if (at < 0 && !(row && isShown(row))) {
      // Starts from the scenario: its first difference, or the last one before it.
      const rest = scenario ? open.findIndex((each) => scenario.contains(each) || (scenario.compareDocumentPosition(each) & 4) !== 0) : 0;
      at = by > 0 ? (rest < 0 ? open.length - 1 : rest) : (rest < 0 ? open.length : rest) - 1;
    }
    at = Math.min(Math.max(at, 0), open.length - 1);
    go(open[at]);
    say("difference " + (at + 1) + " of " + open.length);
  };
  const toScenario = (by) => {
    const open = scenarios.filter((each) => !each.hidden);
    const at = open.indexOf(scenario);
    row?.classList.remove("current");
    row = undefined;
    go(open[at < 0 ? 0 : Math.min(Math.max(at + by, 0), open.length - 1)]);
  };
  document.getElementById("next").addEventListener("click", () => toDifference(1));
  document.getElementById("previous").addEventListener("click", () => toDifference(-1));

  const fromAddress = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.closest(".scenario")) go(target);
  };
  addEventListener("hashchange", fromAddress);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    // A link to the current address triggers no hashchange event.
    if (link && link.hash === location.hash) fromAddress();
  });
  fromAddress();

  // Print every scenario with its timelines open.
  let printed;
  const folds = all("details");
  addEventListener("beforeprint", () => {
    printed = folds.map((fold) => fold.open);
    for (const fold of folds) fold.open = true;
  });
  addEventListener("afterprint", () => folds.forEach((fold, index) => { fold.open = printed[index]; }));

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (find && target === find) {
      if (key === "Escape") reset();
      if (key === "Enter" || key === "Escape") {
        clearTimeout(waiting);
        apply();
        find.blur();
      }
      return;
    }
    if (key === "n") toDifference(1);
    else if (key === "p") toDifference(-1);
    else if (key === "j") toScenario(1);
    else if (key === "k") toScenario(-1);
    else if (key === "/" && find) find.select(), find.focus();
    else if (key === "Escape") reset();
    else if (key === "o" && (row ?? scenario)) {
      const inside = all("details", row ?? scenario);
      const open = inside.some((fold) => !fold.open);
      for (const fold of inside) fold.open = open;
    } else return;
    event.preventDefault();
  });
})();
`;
