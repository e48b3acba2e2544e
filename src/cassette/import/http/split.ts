// Splits a recording into conversations, one record each, as the recording proxy does. A turn that cannot be read is a record of
// its own, so that its reader reports why. An exchange that cannot be kept is counted.

import {
  createHeldConversations,
  defined,
  followerOf,
  hashJson,
  holderOf,
  parseBoundedJson,
  wireOf,
  type HeldConversations,
  type JsonObject,
} from "../../../core/index.js";
import { MAX_EXCHANGES, MAX_RECORDING_CHARACTERS } from "../../limits.js";
import { toAskedPrompt } from "../../record/kinship.js";
import { createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { malformed } from "../foreign-json.js";
import type { HttpExchange, HttpRecording } from "./exchange.js";
import { toPlain } from "./plain.js";
import { createSorter, type Sorter } from "./sorter.js";
import { toExchange, type Budget } from "./to-exchange.js";
import { toTurn, type KeptExchange, type TurnReading } from "./to-turn.js";

/**
 * Splits a recording into records `{turns, exchanges?, task?, trial?, dropped?}`, or `{flaw}` for a turn that cannot be read.
 * `keepErrors` keeps refused turns as exchanges.
 */
export function splitRecording({ name, exchanges }: HttpRecording, keepErrors = false): JsonObject[] {
  if (exchanges.length > MAX_EXCHANGES) {
    throw malformed(`it has ${exchanges.length} exchanges, more than the limit of ${MAX_EXCHANGES}`);
  }
  const dropped = createRepairLog();
  const reading = { dropped, budget: createBudget(), held: createHeldConversations(), keepErrors };
  const sorter = createSorter();
  const flaws: string[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    const flaw = sortExchange(exchange, sorter, reading);
    if (flaw !== undefined) flaws.push(`exchange ${index} (${shownUrl(exchange)}): ${flaw}`);
  }
  const { conversations } = sorter;
  if (conversations.length + flaws.length === 0) {
    throw malformed(`it holds no answered turn of a model${besides(dropped) || " (no exchange at all)"}`);
  }
  const runs = conversations.map(({ turns, exchanges: kept }, index): JsonObject => {
    const task = defined({ task: name });
    const trial = conversations.length === 1 ? {} : { trial: String(index + 1) };
    return { turns, ...(kept.length === 0 ? {} : { exchanges: kept }), ...task, ...trial };
  });
  const [first, ...more] = runs;
  // A record that is refused keeps no counts.
  if (first === undefined) return flaws.map((flaw) => ({ flaw: `${flaw}${besides(dropped)}` }));
  return [{ ...first, dropped: writeRepairs(dropped) }, ...more, ...flaws.map((flaw) => ({ flaw }))];
}

/** Adds an exchange to its conversation, or counts why it is left out. Returns why a turn cannot be read. */
function sortExchange(exchange: HttpExchange, sorter: Sorter, reading: TurnReading): string | undefined {
  const { dropped, budget, held, keepErrors } = reading;
  if (beginConversation(exchange, held)) {
    dropped.add("exchange-not-model-call");
    return undefined;
  }
  const { method, url, status } = exchange;
  const wire = wireOf({ method, path: pathOf(url) });
  if (wire !== undefined && (status < 200 || status >= 300) && (status < 400 || !keepErrors)) {
    dropped.add(status < 400 ? "call-unanswered" : "error-exchange-dropped");
    return undefined;
  }
  const found = wire === undefined ? { kept: wholeExchange(exchange, held) } : toTurn(exchange, wire, reading);
  if ("flaw" in found) return found.flaw;
  if ("turn" in found) {
    const { request, response } = found.turn;
    sorter.turn(toAskedPrompt(request.messages), hashJson(response.message), { ...found.exchange });
    return undefined;
  }
  const { kept, why, refused }: KeptExchange = found;
  const stored = toExchange(kept, dropped, budget);
  if (typeof stored !== "string") sorter.exchange(stored, refused);
  else if (why === undefined) dropped.add(stored);
  else return why;
  if (why !== undefined) dropped.add("turn-as-exchange");
  return undefined;
}

/** An exchange that continues a conversation on the vendor's server, with all of it. Any other as it is. */
function wholeExchange(exchange: HttpExchange, held: HeldConversations): HttpExchange {
  const { method, url } = exchange;
  const wire = followerOf({ method, path: pathOf(url) });
  const request = toPlain(exchange.request, "");
  if (wire === undefined || "flaw" in request) return exchange;
  try {
    const json = parseBoundedJson(request.text);
    const { body } = held.resolve(wire, json);
    return body === json ? exchange : { ...exchange, request: { kind: "json", value: body as JsonObject } };
  } catch (error) {
    if (error instanceof SyntaxError) return exchange;
    throw error;
  }
}

function besides(dropped: RepairLog): string {
  const counts = dropped.list().map(({ kind, count }) => `${count} ${kind}`);
  return counts.length === 0 ? "" : ` (${counts.join(", ")})`;
}

/** Keeps the conversation of an exchange that began one at the vendor without a turn. False for any other exchange. */
function beginConversation({ method, url, status, ...exchange }: HttpExchange, held: HeldConversations): boolean {
  const holder = status < 200 || status > 299 ? undefined : holderOf({ method, path: pathOf(url) });
  const [asked, answer] = [toPlain(exchange.request, ""), toPlain(exchange.answer, exchange.encoding)];
  if (holder === undefined || "flaw" in asked || "flaw" in answer) return false;
  try {
    held.begin(holder, parseBoundedJson(asked.text || "{}"), parseBoundedJson(answer.text));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Without the user and the query, which may hold a key. */
function shownUrl({ url }: HttpExchange): string {
  return pathOf(url)
    .replace(/^(https?:\/\/)[^/@]*@/i, "$1")
    .slice(0, 200);
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}

function createBudget(): Budget {
  let left = MAX_RECORDING_CHARACTERS;
  return ({ length }) => {
    left -= length;
    if (left < 0)
      throw malformed(`its bodies together have more than ${MAX_RECORDING_CHARACTERS} characters, which is the limit`);
  };
}
