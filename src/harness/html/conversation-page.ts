// Writes a cassette, or the cassettes of a bundle, as one HTML file for a person: prompts, answers, calls and results, turn by
// turn. docs/diff.md describes the guarantees of the page.

import {
  exchangesOf,
  extensionsOf,
  nameOfExchange,
  sizeOfBody,
  type AgentBundle,
  type Cassette,
} from "../../cassette/index.js";
import { createAllowance, type Allowance, type LeftOut } from "./allowance.js";
import { headView, leftOutView } from "./head-view.js";
import { messageView } from "./message-view.js";
import { preview } from "./text-view.js";
import { toPage, type PageFrame } from "./page-shell.js";
import { railView, type RailPart } from "./rail-view.js";
import { CONVERSATION_SCRIPT } from "./script.js";
import { toConversation, type Conversation } from "./steps.js";
import { PAGE_STYLE } from "./style/page.js";
import { CONVERSATION_STYLE } from "./style/conversation.js";
import { html, type Child, type Html } from "./template.js";
import { turnView } from "./turn-view.js";

/** The options of {@link toConversationPage} and {@link toBundlePage}. */
export interface ConversationPageOptions {
  /** The title of the page, such as the file's name. */
  title: string;
  /** Keeps long texts whole. Default false. */
  isFull?: boolean;
  /** The frame of the server that sends the page. */
  frame?: PageFrame;
}

/** A self-contained HTML file, and how much was cut to keep it readable. */
export interface ConversationPage {
  text: string;
  leftOut: LeftOut;
}

/** Writes the page of one cassette. The same cassette and title give the same bytes. */
export function toConversationPage(cassette: Cassette, options: ConversationPageOptions): ConversationPage {
  return write([{ name: undefined, cassette }], undefined, options);
}

/** Writes the page of a bundle: a section for each agent, in the order the plan entered them. */
export function toBundlePage({ bundle, cassettes }: AgentBundle, options: ConversationPageOptions): ConversationPage {
  const names = [...new Set([...bundle.path, ...Object.keys(cassettes)])];
  const parts = names.flatMap((name) => {
    const cassette = Object.hasOwn(cassettes, name) ? cassettes[name] : undefined;
    return cassette === undefined ? [] : [{ name, cassette }];
  });
  const [path, more] = [bundle.path.slice(0, 50).join(" → "), bundle.path.length - 50];
  const about = html`<dl class="about-run">
      <div>
        <dt>Path</dt>
        <dd>${path}${more > 0 && ` → … ${more} more`}</dd>
      </div>
      <div>
        <dt>Ended</dt>
        <dd>${bundle.ended.kind}</dd>
      </div>
    </dl>
    <p class="proof"><strong>The bundle's hash is valid, and each cassette is the one it lists.</strong></p>`;
  return write(parts, about, options);
}

/** Writes a page of one or more parts. `name` is the agent's, set if the page shows several agents. */
function write(
  parts: readonly { name: string | undefined; cassette: Cassette }[],
  about: Html | undefined,
  { title, isFull = false, frame: served }: ConversationPageOptions,
): ConversationPage {
  const allowance = createAllowance(isFull);
  const rail: RailPart[] = [];
  const sections: Html[] = [];
  const heads: Html[] = [];
  parts.forEach(({ name, cassette }, index) => {
    const conversation = toConversation(cassette);
    const toId = (turn: number): string => (parts.length === 1 ? `turn-${turn}` : `agent-${index}-turn-${turn}`);
    rail.push({ name, entries: conversation.steps.map((step) => ({ step, id: toId(step.entry.turnIndex) })) });
    const head = headView(cassette, allowance);
    const turns = turnsView(cassette, conversation, toId, allowance);
    if (name === undefined) heads.push(head);
    sections.push(
      name === undefined
        ? html`<h2 class="hidden">Conversation</h2>
            ${turns}`
        : html`<section class="agent" aria-labelledby="agent-${index}">
            <h2 id="agent-${index}">${name}</h2>
            ${head}${turns}
          </section>`,
    );
  });
  const body = frame(title, [about, heads, leftOutView(allowance.leftOut())], rail, sections);
  const style = PAGE_STYLE + CONVERSATION_STYLE;
  return {
    text: toPage({ title: `${title} · cassette`, style, script: CONVERSATION_SCRIPT, body, frame: served }),
    leftOut: allowance.leftOut(),
  };
}

function turnsView(
  cassette: Cassette,
  { steps, after }: Conversation,
  toId: (turn: number) => string,
  allowance: Allowance,
): Child {
  const exchanges = exchangesView(cassette, allowance);
  if (steps.length === 0) return [html`<p class="note">No turns were recorded.</p>`, exchanges];
  const { contexts = [] } = extensionsOf(cassette);
  const changes = new Set(contexts.slice(1).map(({ fromTurn }) => fromTurn));
  return [
    steps.map((step) => {
      const { turnIndex } = step.entry;
      const note = changes.has(turnIndex) ? "The tools or settings changed at this turn." : undefined;
      return turnView(step, toId(turnIndex), note, allowance);
    }),
    after.length > 0 &&
      html`<div class="turn">
        <header class="turn-head"><h3>After the last answer</h3></header>
        ${after.map((each) => messageView(each, allowance))}
      </div>`,
    exchanges,
  ];
}

/** The requests that are not turns, each in a line. */
function exchangesView(cassette: Cassette, allowance: Allowance): Child {
  const exchanges = exchangesOf(cassette);
  if (exchanges.length === 0) return undefined;
  const shown = exchanges.filter(() => allowance.item());
  return html`<div class="turn">
    <header class="turn-head"><h3>Exchanges: requests that are not turns</h3></header>
    <ul>
      ${shown.map((exchange, index) => {
        const { status, request, response, isCut } = exchange;
        const sizes = `${sizeOfBody(request)} bytes sent, ${sizeOfBody(response)} bytes received`;
        return html`<li>
          ${index} <code>${preview(nameOfExchange(exchange), 200)}</code>
          <span class="size">status ${status}, ${sizes}${isCut === true && ", cut"}</span>
        </li> `;
      })}
    </ul>
  </div>`;
}

function frame(title: string, head: Child, rail: readonly RailPart[], sections: Child): Html {
  return html`<a class="skip" href="#conversation">Skip to the conversation</a>
    <header class="top">
      <h1 dir="auto">${title}</h1>
      ${head}
    </header>
    <div class="layout">
      ${railView(rail)}
      <main id="conversation" tabindex="-1">
        <div class="bar" role="search" hidden>
          <label class="hidden" for="find">Show the turns that contain</label>
          <input id="find" type="search" placeholder="Find in turns" autocomplete="off" spellcheck="false" />
          <output id="found" for="find"></output>
          <button type="button" id="expand">Expand all</button>
          <button type="button" id="collapse">Collapse all</button>
          <p class="keys"><kbd>j</kbd> <kbd>k</kbd> next, previous turn · <kbd>o</kbd> open it · <kbd>/</kbd> find</p>
        </div>
        ${sections}
      </main>
    </div>`;
}
