// A request of a recording to a turn's path, as the turn that the recording proxy would make of it. A request that a turn cannot hold is
// an exchange there too.

import {
  AgentError,
  fromBase64,
  isPlainObject,
  parseBoundedJson,
  toBase64,
  VENDORS,
  type HeldConversations,
  type JsonValue,
  type KeepAnswer,
  type LlmTurnResponse,
  type Vendor,
  type WireName,
  type WireTurn,
} from "../../../core/index.js";
import { isTextual } from "../../exchange/body.js";
import { toAskedPrompt, type AskedPrompt } from "../../record/kinship.js";
import { cleanJson, isObject, toName } from "../foreign-json.js";
import type { RepairLog } from "../repair.js";
import type { HttpExchange } from "./exchange.js";
import { toPlain, toPlainBytes } from "./plain.js";
import type { Budget } from "./to-exchange.js";

/** A turn as it went over a wire: the path with its query, the request's body, and the answer as text, or as frames in base64. */
export type WireExchange = { wire: WireName; path: string; request: JsonValue } & WireAnswer;

type WireAnswer = { answer: string } | { base64: string };

export interface ReadTurn extends WireTurn {
  response: LlmTurnResponse;
}

/** What is kept as an exchange: `why` a turn is one, and the prompt of a refused turn. */
export interface KeptExchange {
  kept: HttpExchange;
  why?: string;
  refused?: AskedPrompt;
}

type FoundTurn = { turn: ReadTurn; exchange: WireExchange } | { flaw: string } | KeptExchange;

export interface TurnReading {
  readonly dropped: RepairLog;
  readonly budget: Budget;
  /** The conversations that earlier exchanges of the recording left at the vendor. */
  readonly held: HeldConversations;
  /** Keeps a turn whose answer is an error as an exchange. */
  readonly keepErrors: boolean;
}

/** An exchange without a reason was refused, or has a body without messages: paths of other hosts may end alike. */
export function toTurn(found: HttpExchange, wire: Vendor, reading: TurnReading): FoundTurn {
  const asked = readAsked(found, wire, reading);
  if (found.status >= 400) return "flaw" in asked ? { kept: found } : refusedTurn(asked);
  if (!("turn" in asked)) return asked;
  const { turn, path, request, keep } = asked;
  const answer = toWireAnswer(found, wire);
  if ("flaw" in answer) return { flaw: `its answer ${answer.flaw}` };
  reading.budget("answer" in answer ? answer.answer : answer.base64);
  const own: WireExchange = { wire: wire.name as WireName, path, request, ...answer };
  try {
    return { turn: { ...turn, response: readResponse(own, keep) }, exchange: own };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return reading.keepErrors ? refusedTurn(asked) : { flaw: error.message };
  }
}

/** A request that is a turn, with the conversation that it continues. */
interface AskedTurn {
  readonly kept: HttpExchange;
  readonly turn: WireTurn;
  readonly path: string;
  readonly request: JsonValue;
  readonly keep: KeepAnswer | undefined;
}

function readAsked(
  found: HttpExchange,
  wire: Vendor,
  { dropped, budget, held }: TurnReading,
): AskedTurn | KeptExchange | { flaw: string } {
  const plain = toPlain(found.request, "");
  if ("flaw" in plain) return { flaw: `its request ${plain.flaw}` };
  budget(plain.text);
  let kept = found;
  try {
    const body = cleanJson(parseBoundedJson(plain.text), dropped);
    if (!isObject(body) || (body[wire.messagesField] ?? null) === null) return { kept };
    const whole = held.resolve(wire, body);
    const request = whole.body === body ? body : cleanJson(whole.body, dropped);
    if (request !== body) {
      budget(JSON.stringify(request));
      kept = { ...found, request: { kind: "json", value: request } };
    }
    const path = found.url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, "");
    return { kept, turn: wire.parse(request, path), path, request, keep: whole.keep };
  } catch (error) {
    if (error instanceof SyntaxError) return { kept, why: `its request is not JSON: ${error.message}` };
    if (error instanceof AgentError) return { kept, why: error.message };
    throw error;
  }
}

function refusedTurn(asked: AskedTurn | KeptExchange): KeptExchange {
  const { kept } = asked;
  return "turn" in asked ? { kept, refused: toAskedPrompt(asked.turn.request.messages) } : { kept };
}

/** Reads a turn with the decoders of its wire. Throws `AgentError` for a request or an answer that a turn cannot hold. */
export function readTurn(exchange: WireExchange): ReadTurn {
  const { wire, path, request } = exchange;
  return { ...VENDORS[wire].parse(request, path), response: readResponse(exchange) };
}

function readResponse(exchange: WireExchange, keep?: KeepAnswer): LlmTurnResponse {
  const isText = "answer" in exchange;
  const bytes = isText ? new TextEncoder().encode(exchange.answer) : (fromBase64(exchange.base64) ?? new Uint8Array());
  const answer = { bytes, isStream: !isText || isStream(exchange.answer), isCut: false };
  return VENDORS[exchange.wire].read(answer, undefined, undefined, keep);
}

/** Only a wire that streams frames has answers that are not text. */
function toWireAnswer({ answer, encoding, headers = {} }: HttpExchange, wire: Vendor): WireAnswer | { flaw: string } {
  const plain = toPlain(answer, encoding);
  if (!("flaw" in plain)) return { answer: plain.text };
  if (isTextual(wire.streamType) || answer.kind !== "bytes") return plain;
  const frames = toPlainBytes(answer, encoding, headers["content-type"] ?? wire.streamType);
  return "flaw" in frames ? frames : { base64: toBase64(frames.bytes) };
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

/** The model in the request, or the one that answered where neither the body nor the path names one. */
export function modelOf({ request, response }: ReadTurn): string | undefined {
  return toName(request.settings.model) ?? toName(response.model ?? "");
}
