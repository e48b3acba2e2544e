// The script of a conversation page: search, folding, and keyboard navigation. It writes no markup, stores nothing and makes no
// network requests. Without it, the whole page is still readable.

export const CONVERSATION_SCRIPT = `"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const turns = all(".turn[id]");
  const links = new Map(all(".rail a").map((link) => [link.hash.slice(1), link]));
  const [find, found] = [document.getElementById("find"), document.getElementById("found")];
  const rail = document.querySelector(".rail-fold");
  const folds = all("main details, header details");
  const narrow = matchMedia("(max-width: 56rem)");
  const isShown = (turn) => !turn.hidden;

  document.querySelector(".bar").hidden = false;
  rail.open = !narrow.matches;
  narrow.addEventListener("change", () => { rail.open = !narrow.matches; });

  // The current turn: the last one chosen, until the reader scrolls. Then the one at the top of the window. A short page cannot scroll
  // every turn to the top, and the watcher runs late, so it must not replace the chosen turn.
  let current;
  let chosen = false;
  const scrolls = () => { chosen = false; };
  for (const kind of ["wheel", "touchmove", "pointerdown"]) addEventListener(kind, scrolls, { passive: true });
  const mark = (turn) => {
    if (turn === current) return;
    links.get(current && current.id)?.removeAttribute("aria-current");
    current = turn;
    const link = links.get(turn.id);
    if (link === undefined) return;
    link.setAttribute("aria-current", "true");
    const box = document.querySelector(".rail");
    const [outer, inner] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
    if (!narrow.matches && (inner.top < outer.top || inner.bottom > outer.bottom)) box.scrollTop += inner.top - outer.top - outer.height / 2;
  };
  const watcher = new IntersectionObserver(() => {
    if (chosen) return;
    const top = turns.find((turn) => isShown(turn) && turn.getBoundingClientRect().bottom > 120);
    if (top !== undefined) mark(top);
  }, { rootMargin: "-80px 0px -60% 0px" });
  for (const turn of turns) watcher.observe(turn);

  const go = (turn) => {
    if (turn === undefined) return;
    turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: "start" });
    chosen = true;
    mark(turn);
  };
  const step = (by) => {
    const open = turns.filter(isShown);
    const at = open.indexOf(current);
    go(open[at < 0 ? 0 : Math.min(Math.max(at + by, 0), open.length - 1)]);
  };

  // Search hides turns without the words, opens folds that contain them, and restores the folds afterwards.
  let before;
  let hits = [];
  const ranges = (node, words, list) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (list.length < 5000 && walker.nextNode()) {
      const text = walker.currentNode.data.toLowerCase();
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
        if (at + words.length > walker.currentNode.length) break;
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + words.length);
        list.push(range);
      }
    }
  };
  const search = () => {
    const words = find.value.trim().toLowerCase();
    if (before === undefined) before = folds.map((fold) => fold.open);
    let count = 0;
    hits = [];
    for (const turn of turns) {
      const holds = words === "" || turn.textContent.toLowerCase().includes(words);
      turn.hidden = !holds;
      const link = links.get(turn.id);
      if (link !== undefined) link.parentElement.hidden = !holds;
      if (!holds || words === "") continue;
      count++;
      ranges(turn, words, hits);
    }
    folds.forEach((fold, index) => {
      const body = fold.querySelector(".inner");
      fold.open = before[index] || (words !== "" && body !== null && body.textContent.toLowerCase().includes(words));
    });
    if (words === "") before = undefined;
    found.textContent = words === "" ? "" : count + " of " + turns.length + " turns";
    if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(...hits));
  };
  let waiting;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  const look = (words) => {
    find.value = words;
    search();
  };
  for (const button of all("[data-find]")) {
    button.addEventListener("click", () => look(find.value === button.dataset.find ? "" : button.dataset.find));
  }

  const setAll = (open) => {
    before = undefined;
    for (const fold of folds) fold.open = open;
  };
  document.getElementById("expand").addEventListener("click", () => setAll(true));
  document.getElementById("collapse").addEventListener("click", () => setAll(false));

  // Print with every fold open.
  let printed;
  addEventListener("beforeprint", () => {
    printed = folds.map((fold) => fold.open);
    setAll(true);
  });
  addEventListener("afterprint", () => folds.forEach((fold, index) => { fold.open = printed[index]; }));

  addEventListener("hashchange", () => go(turns.find((turn) => turn.id === location.hash.slice(1))));

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (target === find) {
      if (key === "Escape") look("");
      if (key === "Enter" || key === "Escape") go(turns.filter(isShown)[0]);
      if (key === "Enter") hits[0]?.startContainer.parentElement.scrollIntoView({ block: "center" });
      return;
    }
    const arrows = target.closest(".turn") === target || target.closest(".rail") !== null;
    if (key === "j" || (arrows && key === "ArrowDown")) step(1);
    else if (key === "k" || (arrows && key === "ArrowUp")) step(-1);
    else if (key === "/") find.focus();
    else if (key === "o" && current !== undefined) {
      const inside = all("details", current);
      const open = inside.some((fold) => !fold.open);
      for (const fold of inside) fold.open = open;
    } else return scrolls();
    event.preventDefault();
  });
})();
`;
