// The replay server as a function from requests to replies.

import { CassetteError, createRedactor, type MissReport, type RedactOption, type Shelf } from "../../cassette/index.js";
import {
  AgentError,
  createHeldConversations,
  defined,
  holderOf,
  wireOf,
  type HeldConversations,
} from "../../core/index.js";
import {
  conversationReply,
  FORGOT,
  missedExchange,
  MISS_STATUS,
  PIN_HEADER,
  probeReply,
  readExchange,
  readTurn,
  refusalReply,
  shelfReply,
  type DoorRequest,
  type IsPassed,
  type Refusal,
  type ServedStreaming,
} from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { ADVICE_FOR, SERVE_ADVICE, type ServeAdvice } from "./advice.js";
import { plainOf, replyFromExchange } from "./exchange.js";

/** For a request that continues a thread. It follows the method and the path. */
export const SENT_AGAIN =
  "continues a conversation on the vendor's server (thread) that did not begin here. toolRunner and beta.messages.thread " +
  "of @anthropic-ai/sdk now send the whole conversation by themselves: nothing to do.";

/** A request that no recorded turn or exchange answers. */
export interface ServedMiss {
  code: string;
  message: string;
  file?: string;
  /** The place of the first difference in a recorded exchange. */
  pointer?: string;
}

/** A request that cannot be answered: another path, or a body that is not a turn. */
export interface RefusedRequest extends DoorRequest {
  readonly status: number;
  readonly code: string;
}

/** What answered a request. */
export type AnsweredFrom = "turn" | "exchange" | "begun" | "probe";

/** Called for every request, before the reply goes out. */
export interface ServeWatcher {
  answered(request: DoorRequest, from: AnsweredFrom): void;
  missed(miss: ServedMiss, request: DoorRequest): void;
  /** Called for a request that is not recorded, which an option allows. */
  passed(request: DoorRequest): void;
  refused(request: RefusedRequest, why: string): void;
  /** Called for a refused request that its client sends again in another form. */
  noted(why: string): void;
  /** Called when conversations that a request may continue are forgotten. */
  forgot(why: string): void;
}

/** The difference of a miss that a new recording does not fix. A number may be an intended change. */
const CHANGES_BY_ITSELF = /; the two differ only in (?!a number$)/;
const FIX_VALUE =
  "A new recording would miss again on another day or run: give the client a fixed value, such as a date from a variable of the test";

/** How a server answers. */
export interface ServeHandling {
  /** The public name of a cassette's file, since clients must not see its path. */
  readonly nameOf: NameOf;
  readonly streaming: ServedStreaming;
  /** The answered conversations that a request may continue. */
  readonly held?: HeldConversations;
  /** True for a request that may stay unanswered. Default: none. */
  readonly isPassed?: IsPassed;
  /** Default: that for `cassette serve`. */
  readonly advice?: ServeAdvice;
  /** Hides secrets of a request that a miss quotes. Default: the rules for secrets. */
  readonly redact?: RedactOption | undefined;
}

/** Answers only from `shelf`. */
export function serveHandler(shelf: Shelf, watcher: ServeWatcher, handling: ServeHandling): HttpHandler {
  const { nameOf, streaming, isPassed = () => false, advice = SERVE_ADVICE, redact } = handling;
  const { held = createHeldConversations(() => watcher.forgot(FORGOT)) } = handling;
  return async (request) => {
    const { method, path, search, signal } = request;
    const probe = probeReply(request);
    if (probe !== undefined) {
      watcher.answered(request, "probe");
      return probe;
    }
    const wire = wireOf(request);
    const pass = (): HttpReply => {
      watcher.passed(request);
      return refusalReply({ status: 404, code: "unknown-path", message: `${method} ${path} is not recorded` }, wire);
    };
    const refuse = (refusal: Refusal): HttpReply => {
      if (isPassed(request)) return pass();
      const { status, code, message } = refusal;
      watcher.refused({ method, path, status, code }, message);
      return refusalReply(refusal, wire);
    };
    const miss = (error: CassetteError): HttpReply =>
      isPassed(request) ? pass() : refusalReply(toMiss(error, request, { watcher, nameOf, advice, redact }), wire);
    const read = await readBytes(request);
    if ("refusal" in read) return refuse(read.refusal);
    try {
      const pin = pinOf(request);
      const parsed = wire && (await readTurn(wire, read.bytes, `${path}${search}`, held));
      // An exchange with a continued conversation holds the whole one.
      const plain = plainOf(request, parsed?.body ?? (await readExchange(request, read.bytes, held)));
      const recorded = replyFromExchange(shelf, plain, nameOf, pin);
      if (recorded !== undefined) {
        watcher.answered(request, "exchange");
        return recorded;
      }
      const holder = holderOf(request);
      if (holder !== undefined) {
        watcher.answered(request, "begun");
        return conversationReply(holder, read.bytes, held);
      }
      if (wire === undefined || parsed === undefined) {
        const missed = missedExchange(shelf, plain, pin);
        return missed === undefined ? refuse(unknownPath(request, advice)) : miss(missed);
      }
      const unlike = "turn" in parsed ? undefined : missedExchange(shelf, plain, pin);
      if (unlike !== undefined && unlike.code !== "exchange-missing") return miss(unlike);
      if ("held" in parsed) {
        if (!parsed.isRecoverable) return refuse(parsed.held);
        watcher.noted(`${method} ${path} ${SENT_AGAIN}`);
        return refusalReply(parsed.held, wire);
      }
      if ("refusal" in parsed) return refuse(parsed.refusal);
      const reply = await shelfReply(wire, parsed, { shelf, nameOf, streaming, signal, ...defined({ pin }) });
      watcher.answered(request, "turn");
      return reply;
    } catch (error) {
      if (error instanceof CassetteError) return miss(error);
      if (error instanceof AgentError) return refuse({ status: 400, code: error.code, message: error.message });
      watcher.refused({ method, path, status: 500, code: "failed" }, String(error));
      throw error;
    }
  };
}

/** The name of a cassette, by its file. */
export type NameOf = (file: string) => string;

function unknownPath({ method, path }: HttpRequest, { record, pass }: ServeAdvice): Refusal {
  const message = `${method} ${path} is not a conversation turn, and no cassette holds an exchange for it. ${record} ${pass}`;
  return { status: 404, code: "unknown-path", message };
}

type MissHandling = { watcher: ServeWatcher; advice: ServeAdvice } & Pick<ServeHandling, "nameOf" | "redact">;

/** Reports a miss to the watcher and the client, which must not see the paths of files. */
function toMiss(
  error: CassetteError,
  request: DoorRequest,
  { watcher, nameOf, advice, redact }: MissHandling,
): Refusal {
  const { code, file } = error;
  const { summary, miss, pointer } = hide(error, redact);
  const hint = miss === undefined ? toDoForExchange(error, advice) : toDo(miss, advice);
  const command = advice.rerecord === undefined ? "" : `\n  command  ${advice.rerecord}`;
  const todo = hint === undefined ? "" : `\n  to do    ${hint}${command}`;
  const place = file === undefined || summary.includes(file) ? "" : `\n  file     ${file}`;
  watcher.missed({ code, message: `${summary}${place}${todo}`, ...defined({ file, pointer }) }, request);
  const message = `${summary}${todo}`;
  if (miss === undefined || hint === undefined)
    return { status: code in ADVICE_FOR ? MISS_STATUS : 404, code, message };
  const named = file === undefined ? {} : { cassette: nameOf(file) };
  return { status: MISS_STATUS, code, message, miss: { ...miss, hint, ...named } };
}

/** The texts that quote the request, redacted like a recording. */
function hide({ summary, miss, pointer }: CassetteError, redact: RedactOption | undefined) {
  const texts = { summary, ...defined({ miss: miss && { ...miss }, pointer }) };
  return createRedactor(redact).json(texts);
}

function toDoForExchange({ code, summary, hint, filters }: CassetteError, advice: ServeAdvice): string | undefined {
  if (code !== "exchange-changed" && code !== "exchange-missing") return hint;
  const what = summary.split("\n", 1)[0] ?? "";
  return toDo({ code, what, ...defined({ filters }) }, advice);
}

type Missed = Pick<MissReport, "code" | "what" | "pointer"> & { filters?: readonly string[] };

function toDo({ code, what, filters, pointer }: Missed, advice: ServeAdvice): string {
  const option = filters === undefined ? "" : advice.filter(filters);
  const plain = advice[ADVICE_FOR[code]];
  if (CHANGES_BY_ITSELF.test(what)) return option === "" ? `${FIX_VALUE}.` : `${FIX_VALUE}. Or ${option}.`;
  // All turns are used, and this request was never recorded.
  if (code === "exhausted" && pointer !== undefined) return advice.recordAgain;
  return option === "" ? plain : `${plain} If the number changes with each run, ${option}.`;
}

/** The cassette that a client names by task or file. A name that does not fit into a header is percent-encoded. */
function pinOf({ headers }: HttpRequest): string | undefined {
  const value = headers[PIN_HEADER];
  if (typeof value !== "string" || value === "") return undefined;
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}

/** The bytes of a body, or its refusal. */
export async function readBytes(request: HttpRequest): Promise<{ bytes: Uint8Array } | { refusal: Refusal }> {
  const read = await request.readBody();
  switch (read.kind) {
    case "read":
      return { bytes: read.bytes };
    case "too-large":
      return refuse(413, "body-too-large", `the request exceeds the limit of this server, ${read.maxBytes} bytes`);
    case "busy":
      return refuse(503, "too-busy", "too many large requests at once; send this one again");
    case "broken":
      return refuse(400, "body-broken", "the request broke off");
  }
}

function refuse(status: number, code: string, message: string): { refusal: Refusal } {
  return { refusal: { status, code, message } };
}
