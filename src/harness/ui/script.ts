// The script of every page of `cassette ui`: changes in the folder, the search and the choice of two in the list, and keys. It asks
// only the server that the page came from, makes no markup of a text and stores nothing.

export const UI_SCRIPT = `"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const get = (id, root = document) => root.getElementById(id);
  const items = get("items");
  const live = get("live");
  const say = (state, text) => { live.dataset.state = state; live.textContent = text; };

  // The list: rows are known by their address. A row that did not change keeps its element, so that focus and scrolling stay.
  const addressOf = (row) => row.querySelector("a.name").search;
  const sources = new Map();
  if (items) for (const row of items.children) sources.set(addressOf(row), row.outerHTML);
  const find = items && get("find");

  const swap = (next) => {
    if (!get("items", next)) return;
    for (const id of ["history", "notes", "kinds", "count", "nothing"]) {
      const [now, then] = [get(id), get(id, next)];
      if (now.outerHTML === then.outerHTML || now.contains(document.activeElement)) continue;
      now.replaceWith(document.importNode(then, true));
    }
    get("sort").replaceWith(document.importNode(get("sort", next), true));
    const focused = document.activeElement.closest?.("#items > li");
    const [focusedAddress, wasBox] = [focused && addressOf(focused), document.activeElement.type === "checkbox"];
    const kept = new Map([...items.children].map((row) => [addressOf(row), row]));
    const rows = [...get("items", next).children].map((row) => {
      const [address, source] = [addressOf(row), row.outerHTML];
      const before = kept.get(address);
      const isSame = before !== undefined && sources.get(address) === source;
      const isKnown = sources.has(address);
      sources.set(address, source);
      if (isSame) return before;
      const made = document.importNode(row, true);
      if (isLive && (!isKnown || before !== undefined)) made.classList.add("fresh");
      return made;
    });
    rows.forEach((row, index) => {
      if (items.children[index] !== row) items.insertBefore(row, items.children[index] ?? null);
    });
    while (items.children.length > rows.length) items.lastElementChild.remove();
    showChoice();
    if (focusedAddress && document.activeElement === document.body) {
      const row = rows.find((each) => addressOf(each) === focusedAddress);
      row?.querySelector(wasBox ? "input" : "a.name")?.focus({ preventScroll: true });
    }
  };

  // True while an answer is shown because the folder changed, and not because the reader searched.
  let isLive = false;
  let asking;
  let isDue = false;
  const refresh = (becauseLive) => {
    if (asking && becauseLive) {
      isDue = true;
      return;
    }
    asking?.abort();
    const request = new XMLHttpRequest();
    asking = request;
    request.open("GET", location.pathname + (location.search || "?"));
    request.responseType = "document";
    request.onload = () => {
      isLive = becauseLive;
      if (request.status === 200 && request.response) swap(request.response);
    };
    request.onloadend = () => {
      if (asking !== request) return;
      asking = undefined;
      if (isDue) setTimeout(refresh, 300, true);
      isDue = false;
    };
    request.send();
  };

  // The choice of two recordings, in the order of choosing.
  let chosen = [];
  const fileOf = (row) => new URLSearchParams(addressOf(row)).get("file");
  const showChoice = () => {
    for (const box of all("#items input")) box.checked = chosen.includes(fileOf(box.closest("li")));
    const link = get("compare");
    link.hidden = chosen.length < 2;
    if (chosen.length === 2) link.search = "?" + new URLSearchParams({ old: chosen[0], new: chosen[1] });
    get("chosen").textContent = chosen.length === 1 ? "Choose one more to compare." : chosen.length === 2 ? "Two chosen." : "";
  };
  const choose = (row) => {
    if (!row.querySelector("input")) return;
    const file = fileOf(row);
    chosen = chosen.includes(file) ? chosen.filter((each) => each !== file) : [...chosen, file].slice(-2);
    showChoice();
  };

  // Search asks the server, which knows the rows that are not listed.
  const search = () => {
    const fields = new URLSearchParams(location.search);
    if (find.value === "") fields.delete("q");
    else fields.set("q", find.value);
    history.replaceState(null, "", fields.size === 0 ? "?" : "?" + fields);
    refresh(false);
  };
  const toRow = (index) => {
    const names = all("#items a.name");
    const name = names[Math.min(Math.max(index, 0), names.length - 1)];
    name?.focus();
    name?.closest("li").scrollIntoView({ block: "nearest" });
  };
  if (items) {
    let waiting;
    find.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 150);
    });
    items.addEventListener("change", (event) => choose(event.target.closest("li")));
    showChoice();
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target, key } = event;
    if (!items) {
      if (key !== "u" || target.matches("input")) return;
      get("back").click();
    } else if (target === find) {
      if (key === "ArrowDown" || key === "Enter") toRow(0);
      else if (key === "Escape") find.value = "", search();
      else return;
    } else {
      const row = target.closest("#items > li");
      const at = row ? [...items.children].indexOf(row) : -1;
      if (key === "/") find.focus(), find.select();
      else if (key === "ArrowDown" || key === "j") toRow(at + 1);
      else if ((key === "ArrowUp" || key === "k") && at === 0) find.focus();
      else if (key === "ArrowUp" || key === "k") toRow(at - 1);
      else if (key === "Home" && row) toRow(0);
      else if (key === "End" && row) toRow(items.children.length - 1);
      else if (key === "c" && row) choose(row);
      else if (key === "d" && chosen.length === 2) get("compare").click();
      else return;
    }
    event.preventDefault();
  });

  // Changes. A hidden page lets go of its connection, because a browser has only six for one server.
  let source;
  const listen = () => {
    source?.close();
    const opened = new EventSource(location.pathname + (location.search || "?") + "&events=1");
    source = opened;
    opened.onopen = () => {
      say("on", "Live");
      // Changes before the connection were not sent.
      if (items) refresh(true);
    };
    opened.onerror = () => say("off", "Not connected. Is cassette ui running?");
    opened.onmessage = () => {
      if (items) return refresh(true);
      const note = get("changed");
      note.search = location.search;
      note.hidden = false;
    };
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source.close();
    else listen();
  });
  listen();
})();
`;
