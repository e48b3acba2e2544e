// The list of a folder: its newest recordings and reports, with a search, filters by kind, and the choice of two to compare.

import { counted, grouped } from "../html/figures.js";
import { html, type Child, type Html } from "../html/template.js";
import { preview } from "../html/text-view.js";
import { MAX_UI_ROWS } from "../limits.js";
import { addressOf, fileAddress } from "./address.js";
import { liveView, toServedPage } from "./frame.js";
import { ITEM_KINDS, type ItemKind, type UiItem } from "./item.js";
import { UI_SCRIPT } from "./script.js";
import { UI_STYLE } from "./style.js";

/** What the list shows of the items. */
export interface ListQuery {
  /** Words that an item must all contain. */
  readonly words: string;
  readonly kind: ItemKind | "damaged" | undefined;
  readonly sort: "newest" | "name";
}

export interface ListState {
  /** The folder as the user named it. */
  readonly folder: string;
  readonly items: readonly UiItem[];
  /** Files that wait to be read. */
  readonly waiting: number;
  /** What the list lacks, as sentences. */
  readonly notes: readonly string[];
}

const KIND_NAMES: Readonly<Record<ItemKind | "damaged", string>> = {
  cassette: "Cassettes",
  failed: "Failed runs",
  miss: "Failed replays",
  verdict: "Verdicts",
  mutants: "Mutations",
  bundle: "Bundles",
  damaged: "Damaged",
};

const KIND_WORDS: Readonly<Record<ItemKind, string>> = {
  cassette: "cassette",
  failed: "failed run",
  miss: "failed replay",
  verdict: "verdict",
  mutants: "mutations",
  bundle: "bundle",
};

export function toListPage(state: ListState, query: ListQuery): string {
  const { folder, items, notes, waiting } = state;
  const found = findItems(items, query);
  const shown = found.slice(0, MAX_UI_ROWS);
  const hasHistory = items.filter(({ kind }) => kind === "verdict" || kind === "mutants").length > 1;
  const body = html`<a class="skip" href="#items">Skip to the list</a>
    <header class="top list-top">
      <div class="title">
        <h1 dir="auto">${preview(folder, 200)}</h1>
        <span id="history">${hasHistory && html`<a href="?history=1">Reports over time</a>`}</span>
        ${liveView()}
      </div>
      <div id="notes">
        ${waiting > 0 && html`<p class="note">${counted(waiting, "file")} not read yet.</p>`}
        ${notes.map((note) => html`<p class="proof warn">${note}</p>`)}
      </div>
    </header>
    <div class="layout plain">
      <main id="content" tabindex="-1">
        <h2 class="hidden">Recordings and reports</h2>
        ${barView(items, query)}
        <p class="found-line" id="count">${countText(items.length, found.length, shown.length)}</p>
        <ul class="items" id="items" tabindex="-1" aria-label="Recordings and reports">
          ${shown.map(rowView)}
        </ul>
        <div id="nothing">${found.length === 0 && nothingView(items.length === 0, waiting)}</div>
      </main>
    </div>`;
  return toServedPage(preview(folder, 80), body, { bar: html``, style: UI_STYLE, script: UI_SCRIPT });
}

/** The items that a query asks for, in its order. */
export function findItems(items: readonly UiItem[], { words, kind, sort }: ListQuery): UiItem[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = items.filter((item) => isOfKind(item, kind) && (wanted.length === 0 || holds(item, wanted)));
  const byName = (a: UiItem, b: UiItem): number =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : (a.missed ?? "") < (b.missed ?? "") ? -1 : 1;
  return found.sort(sort === "name" ? byName : (a, b) => b.changedMs - a.changedMs || byName(a, b));
}

function isOfKind({ kind, state }: UiItem, wanted: ListQuery["kind"]): boolean {
  if (wanted === undefined) return true;
  return wanted === "damaged" ? state === "damaged" : kind === wanted;
}

function holds({ file, missed = "", kind, badge, facts, about }: UiItem, words: readonly string[]): boolean {
  const text = [file, missed, KIND_WORDS[kind], badge?.text ?? "", ...facts, about].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function countText(all: number, found: number, shown: number): string {
  const what = found === all ? counted(all, "item") : `${grouped(found)} of ${counted(all, "item")}`;
  if (shown === found) return what;
  return `${what}. The first ${grouped(shown)} are listed: search to find the others.`;
}

function barView(items: readonly UiItem[], query: ListQuery): Html {
  const counts = new Map<ItemKind | "damaged", number>();
  const add = (kind: ItemKind | "damaged"): unknown => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const { kind, state } of items) {
    add(kind);
    if (state === "damaged") add("damaged");
  }
  const kinds = [...ITEM_KINDS, "damaged" as const].filter((kind) => counts.has(kind) || kind === query.kind);
  const to = (change: Partial<Record<"kind" | "sort", string>>): string =>
    addressOf({ q: query.words, kind: query.kind, sort: query.sort === "name" ? "name" : "", ...change });
  const filter = (kind: string, name: string, count: number, isOn: boolean): Html => {
    const address = to({ kind });
    const body = html`${name} <span class="times">${grouped(count)}</span>`;
    return isOn ? html`<a href="${address}" aria-current="true">${body}</a> ` : html`<a href="${address}">${body}</a> `;
  };
  const other = query.sort === "name" ? "newest" : "name";
  const sorted = to({ sort: other === "name" ? "name" : "" });
  return html`<div class="bar" role="search">
    <label class="hidden" for="find">Show the items that contain</label>
    <input
      id="find"
      type="search"
      value="${query.words}"
      placeholder="Search names, models, tools, first and last words"
      autocomplete="off"
      spellcheck="false"
    />
    <div class="filters" id="kinds" role="group" aria-label="Show one kind">
      ${filter("", "All", items.length, query.kind === undefined)}
      ${kinds.map((kind) => filter(kind, KIND_NAMES[kind], counts.get(kind) ?? 0, kind === query.kind))}
    </div>
    <a class="sort" id="sort" href="${sorted}">Sort by ${other === "name" ? "name" : "time"}</a>
    <p class="chosen" id="chosen" aria-live="polite"></p>
    <a class="compare" id="compare" href="?" hidden>Compare the two</a>
    <p class="keys">
      <kbd>/</kbd> search · <kbd>↓</kbd> <kbd>↑</kbd> move · <kbd>Enter</kbd> open · <kbd>c</kbd> choose ·
      <kbd>d</kbd> compare
    </p>
  </div>`;
}

/** The end of a name, which the kind of the item repeats. */
const SUFFIX = /(?<=[^/])(?:\.failed)?\.(?:cassette|bundle)\.json$/;

function rowView(item: UiItem): Html {
  const { kind, file, missed, state, badge, facts, about, changedMs } = item;
  const address = missed === undefined ? fileAddress(file) : addressOf({ file, miss: missed });
  const canCompare = (kind === "cassette" || kind === "failed") && state !== "damaged";
  const label = `Choose ${preview(file, 200)} to compare`;
  const shownBadge = state === "damaged" ? { text: "damaged", look: "bad" as const } : badge;
  const name = missed ?? file;
  const slash = name.lastIndexOf("/") + 1;
  const suffix = SUFFIX.exec(name)?.[0] ?? "";
  const folders = name.slice(0, slash).split(/(?<=\/)/);
  const changed = new Date(changedMs).toISOString();
  return html`<li class="item ${state}">
    <span class="choose">${canCompare && html`<input type="checkbox" aria-label="${label}" />`}</span>
    <a class="name" href="${address}"
      ><span class="folder">${folders.map((part) => html`${part}<wbr />`)}</span
      ><bdi class="base">${name.slice(slash, name.length - suffix.length)}</bdi
      ><span class="suffix"><wbr />${suffix}</span></a
    >
    <span class="marks"
      ><span class="badge kind-${kind}">${KIND_WORDS[kind]}</span>${
        shownBadge !== undefined &&
        html` <span class="badge look-${shownBadge.look}">${preview(shownBadge.text, 40)}</span>`
      }</span
    >
    <time datetime="${changed}">${changed.slice(0, 10)} <span class="clock">${changed.slice(11, 19)} UTC</span></time>
    ${(facts.length > 0 || about !== "") && html`<p class="about-item">${detailView(state, facts, about)}</p>`}
  </li> `;
}

function detailView(state: UiItem["state"], facts: readonly string[], about: string): Child {
  return [
    facts.map((fact) => html`<span class="fact">${preview(fact, 120)}</span> `),
    about !== "" &&
      html`<span class="${state === "damaged" ? "error" : "about"}" dir="auto">${preview(about, 300)}</span>`,
  ];
}

function nothingView(isEmpty: boolean, waiting: number): Child {
  if (waiting > 0 && isEmpty) return html`<p class="note">Reading the folder.</p>`;
  if (!isEmpty) return html`<p class="note">Nothing matches. Press Escape in the search field to see everything.</p>`;
  return html`<div class="empty">
    <p>
      <strong>This folder has no cassettes and no reports yet.</strong> They appear here as soon as they are written.
    </p>
    <p class="note">
      Record with <code>cassette record -- npx vitest run</code>, or set <code>CASSETTE_LEDGER</code> to a
      <code>.jsonl</code> file in this folder to see the misses of a replay.
    </p>
  </div>`;
}
