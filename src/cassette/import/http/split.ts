// Splits a recording into conversations, one record each, as the recording proxy does. A turn that cannot be read is a record of
// its own, so that its reader reports why. An exchange that cannot be kept is counted.

import {
  AgentError,
  createHeldConversations,
  defined,
  hashJson,
  holderOf,
  isPlainObject,
  parseBoundedJson,
  wireOf,
  VENDORS,
  type HeldConversations,
  type JsonObject,
  type JsonValue,
  type KeepAnswer,
  type LlmTurnResponse,
  type Vendor,
  type WireName,
  type WireTurn,
} from "../../../core/index.js";
import { MAX_EXCHANGES, MAX_RECORDING_CHARACTERS } from "../../limits.js";
import { toAskedPrompt, type AskedPrompt } from "../../record/kinship.js";
import { createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { cleanJson, isObject, malformed, toName } from "../foreign-json.js";
import type { HttpExchange, HttpRecording } from "./exchange.js";
import { toPlain } from "./plain.js";
import { createSorter } from "./sorter.js";
import { toExchange, type Budget } from "./to-exchange.js";

/** A turn as it went over a wire: the request's body, and the answer's text. */
export interface WireExchange {
  wire: WireName;
  request: JsonValue;
  answer: string;
}

interface ReadTurn extends WireTurn {
  response: LlmTurnResponse;
}

/**
 * Splits a recording into records `{turns, exchanges?, task?, trial?, dropped?}`, or `{flaw}` for a turn that cannot be read.
 * `keepErrors` keeps refused turns as exchanges.
 */
export function splitRecording({ name, exchanges }: HttpRecording, keepErrors = false): JsonObject[] {
  if (exchanges.length > MAX_EXCHANGES) {
    throw malformed(`it has ${exchanges.length} exchanges, more than the limit of ${MAX_EXCHANGES}`);
  }
  const dropped = createRepairLog();
  const budget = createBudget();
  const held = createHeldConversations();
  const sorter = createSorter();
  const flaws: string[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    if (beginConversation(exchange, held)) {
      dropped.add("exchange-not-model-call");
      continue;
    }
    const kind = kindOf(exchange);
    if (kind === "call-unanswered" || (kind === "error-exchange-dropped" && !keepErrors)) {
      dropped.add(kind);
      continue;
    }
    const found = typeof kind === "object" ? toTurn(exchange, kind, { dropped, budget, held }) : undefined;
    if (found === undefined) {
      const kept = toExchange(exchange, dropped, budget);
      if (typeof kept === "string") dropped.add(kept);
      else sorter.exchange(kept, kind === "error-exchange-dropped" ? refusedPrompt(exchange) : undefined);
      continue;
    }
    if ("flaw" in found) {
      flaws.push(`exchange ${index} (${shownUrl(exchange)}): ${found.flaw}`);
      continue;
    }
    const { request, response } = found.turn;
    sorter.turn(toAskedPrompt(request.messages), hashJson(response.message), { ...found.exchange });
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

/** The wire of an exchange that is a turn, or why a turn was not answered. Undefined for any other request. */
function kindOf(exchange: HttpExchange): Vendor | "error-exchange-dropped" | "call-unanswered" | undefined {
  const wire = vendorOf(exchange);
  const { status } = exchange;
  if (wire === undefined) return undefined;
  if (status >= 200 && status < 300) return wire;
  return status >= 400 ? "error-exchange-dropped" : "call-unanswered";
}

function vendorOf({ method, url }: HttpExchange): Vendor | undefined {
  return wireOf({ method, path: pathOf(url) });
}

/** The prompt of a refused turn; undefined for a request that cannot be read. */
function refusedPrompt(exchange: HttpExchange): AskedPrompt | undefined {
  const [wire, request] = [vendorOf(exchange), toPlain(exchange.request, "")];
  if (wire === undefined || "flaw" in request) return undefined;
  try {
    const body = cleanJson(parseBoundedJson(request.text), createRepairLog());
    return toAskedPrompt(wire.parse(body).request.messages);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof AgentError) return undefined;
    throw error;
  }
}

function createBudget(): Budget {
  let left = MAX_RECORDING_CHARACTERS;
  return ({ length }) => {
    left -= length;
    if (left < 0)
      throw malformed(`its bodies together have more than ${MAX_RECORDING_CHARACTERS} characters, which is the limit`);
  };
}

interface Splitting {
  readonly dropped: RepairLog;
  readonly budget: Budget;
  /** The conversations that earlier exchanges of the recording left at the vendor. */
  readonly held: HeldConversations;
}

/** Undefined for a body without messages: paths of other hosts may end alike. */
function toTurn(
  exchange: HttpExchange,
  wire: Vendor,
  { dropped, budget, held }: Splitting,
): { turn: ReadTurn; exchange: WireExchange } | { flaw: string } | undefined {
  const request = toPlain(exchange.request, "");
  if ("flaw" in request) return { flaw: `its request ${request.flaw}` };
  const answer = toPlain(exchange.answer, exchange.encoding);
  if ("flaw" in answer) return { flaw: `its answer ${answer.flaw}` };
  budget(request.text);
  budget(answer.text);
  try {
    const body = cleanJson(parseBoundedJson(request.text), dropped);
    if (!isObject(body) || (body[wire.messagesField] ?? null) === null) return undefined;
    const whole = held.resolve(wire, body);
    const asked = whole.body === body ? body : cleanJson(whole.body, dropped);
    if (asked !== body) budget(JSON.stringify(asked));
    const own: WireExchange = { wire: wire.name as WireName, request: asked, answer: answer.text };
    return { turn: readTurn(own, whole.keep), exchange: own };
  } catch (error) {
    if (error instanceof SyntaxError) return { flaw: `its request is not JSON: ${error.message}` };
    if (error instanceof AgentError) return { flaw: error.message };
    throw error;
  }
}

/** Reads a turn with the decoders of its wire. Throws `AgentError` for a request or an answer that a turn cannot hold. */
export function readTurn({ wire: name, request, answer }: WireExchange, keep?: KeepAnswer): ReadTurn {
  const wire = VENDORS[name];
  const turn = wire.parse(request);
  const bytes = new TextEncoder().encode(answer);
  return {
    ...turn,
    response: wire.read({ bytes, isStream: isStream(answer), isCut: false }, undefined, undefined, keep),
  };
}

/** An answer that is one JSON object came whole; any other is server-sent events, or a line for each piece. */
function isStream(answer: string): boolean {
  if (!answer.trimStart().startsWith("{")) return true;
  try {
    return !isPlainObject(parseBoundedJson(answer));
  } catch {
    return true;
  }
}

/** The model in the request, or the one that answered where only the path named it. */
export function modelOf({ request, response }: ReadTurn): string | undefined {
  return toName(request.settings.model) ?? toName(response.model ?? "");
}
