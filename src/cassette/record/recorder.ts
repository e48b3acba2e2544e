// The recorder keeps requests and answers in the order of the calls. A provider, a proxy or an agent under test drives it.

import {
  copyJson,
  defined,
  seal,
  showValue,
  toHex,
  withSystemPorts,
  type LlmMessage,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
  type SigningKey,
} from "../../core/index.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import type { PlainRequest } from "../exchange/http.js";
import { createExchangeLine, type OpenExchange } from "../exchange/record.js";
import { buildCassette, CREATED_WITH, type BuiltTurn } from "../file/build.js";
import type { CassetteExtensions, CassetteV2, ContextExtension } from "../file/format.js";
import { createContextReader, type TurnContext } from "../offer/context.js";
import { readHashFilter, type HashFilterOption } from "../prompt/hash-filters.js";
import type { HashFilter } from "../prompt/prompt-delta.js";
import { createPromptReader } from "../prompt/reader.js";
import { assertRequest } from "../prompt/request.js";
import { createTimeWarning } from "../prompt/date-warning.js";
import { BY_FUNCTION, type RedactOption } from "../redact/options.js";
import { createRedactor, sealResponse, type Redactor } from "../redact/redactor.js";
import type { RecordedStreaming, StreamedTurn } from "../stream/format.js";
import { recordedSteps, type AnsweredTurn, type HowAnswered } from "../stream/answered-by.js";
import type { StreamNote } from "../stream/record.js";
import { resolveSigningKey, signNow, type SigningEnvironment } from "../trust/sign.js";
import {
  assertContext,
  assertLoadable,
  assertMessage,
  assertResponse,
  assertResponseDepth,
  recordable,
} from "./recordable.js";

/** The options of `recordingProvider`. A wrong one throws `CassetteError` `invalid-options` before the first call. */
export interface RecordingOptions {
  /** Replaces volatile prompt text before it is hashed and stored. Pass the same one to `cassetteProvider`. */
  readonly hashFilter?: HashFilterOption;
  /**
   * Secrets to remove from prompts, answers, arguments, tools and settings before they are hashed and stored. The caller still
   * gets the real values. Default: the secrets of `SECRET_RULES`. False removes nothing. A function scrubs answers before the rules.
   */
  readonly redact?: RedactOption;
  /** Stores the prompts. False stores only their hashes: the file is smaller, but a replay miss has fewer details. Default true. */
  readonly prompts?: boolean;
  /**
   * The record of streamed answers in `extensions.streams`: `boundaries` (where the pieces begin), `times` (also when each arrived, which
   * differs in every run), or false for none. Default `boundaries`. Turns that are not streamed have no record.
   */
  readonly streams?: RecordedStreaming;
  /** Signs every cassette of `toCassette`: a key, or `env:NAME` for a key in `env`. Read immediately, so a wrong key fails before any paid call. */
  readonly sign?: SigningKey;
  /** The environment variables for `env:NAME`. Default on Node: those of the process. */
  readonly env?: SigningEnvironment;
  readonly ports?: Partial<Ports>;
}

const OPTIONS = ["hashFilter", "redact", "prompts", "streams", "sign", "env", "ports"];

/** The parts of a cassette that the caller of `toCassette` adds. */
export interface RecordingHead {
  agentId?: string;
  extensions?: CassetteExtensions;
}

/** A request that waits for its answer. Call one of the two, once. */
export interface OpenTurn {
  /** Keeps the answer, and how it streamed. Throws `not-recordable`, and fails the turn, if a cassette cannot hold it. */
  answer(response: LlmTurnResponse, note?: StreamNote): void;
  /** Forgets the turn: an error is never kept as an answer. */
  fail(): void;
}

export interface Recorder {
  /** Counts the answered turns before the first open one. */
  turns(): number;
  /** Counts the answered exchanges. */
  exchanges(): number;
  /** Notes a request at the moment of its call. Throws as `assertRequest` does, and `not-recordable`. */
  open(request: LlmTurnRequest): OpenTurn;
  /** Notes an HTTP request that is not a turn, or that is refused, at the moment of its call. Throws `not-recordable`. */
  exchange(request: PlainRequest): OpenExchange;
  /** The cassette of the answered turns before the first open one and of all answered exchanges, frozen. */
  soFar(head?: RecordingHead): CassetteV2;
  /** The whole cassette, frozen. Throws `CassetteError` `turn-in-progress` while a turn or an exchange is open. */
  toCassette(head?: RecordingHead): CassetteV2;
}

/** A call in the order it was made. Its turn index is known once every earlier call has settled. */
interface Slot {
  promptHash: string;
  keep: number;
  /** The index of the first message in `tail`. */
  from: number;
  tail: LlmMessage[];
  context: TurnContext;
  settled: { kind: "pending" } | { kind: "failed" } | { kind: "answered"; response: LlmTurnResponse; how: HowAnswered };
}

/** An empty recording of the provider that `nameOf` names. Throws `CassetteError` `invalid-options`. */
export function createRecorder(nameOf: () => string, options: RecordingOptions = {}): Recorder {
  assertKnownOptions("recordingProvider", options, OPTIONS);
  assertStreams(options.streams);
  const { sign, env } = options;
  const ports = withSystemPorts(options.ports);
  const signer = sign === undefined ? undefined : resolveSigningKey(sign, env);
  const line = createLine(options);
  const warnOfTime = createTimeWarning(ports);
  const head = { recordedAt: "", cassetteId: "" };

  function begin(): void {
    if (head.cassetteId !== "") return;
    head.recordedAt = new Date(ports.now()).toISOString();
    head.cassetteId = toHex(ports.randomBytes(16));
  }

  function soFar({ agentId, extensions }: RecordingHead = {}): CassetteV2 {
    begin();
    warnOfTime(line.turns, head.recordedAt);
    return recordable(() => {
      const kept = copyJson<CassetteExtensions>({ ...extensions, ...line.extensions(extensions?.redacted) });
      const wholeHead = { ...defined({ agentId }), ...head, recordedProvider: nameOf(), extensions: kept };
      const built = buildCassette(wholeHead, line.turns);
      const cassette = seal(signer === undefined ? built : signNow(built, signer));
      assertLoadable(cassette);
      return cassette;
    }, "this cassette cannot be built");
  }

  return {
    turns: () => line.turns.length,
    exchanges: () => line.exchanges.answered().length,
    open(request) {
      begin();
      return line.open(request);
    },
    exchange(request) {
      begin();
      return line.exchanges.open(request);
    },
    soFar,
    toCassette(given) {
      begin();
      line.assertSettled();
      return soFar(given);
    },
  };
}

/** The calls in the order they were made, and the turns that became of those at its front. */
function createLine(options: RecordingOptions) {
  const redactor = createRedactor(options.redact);
  const { filter, noted } = readHashFilter(options.hashFilter);
  const read = createRequestReader(redactor, filter);
  const exchanges = createExchangeLine({ scrub: (value) => redactor.json(value), filter });
  const { prompts: keepsPrompts = true } = options;
  const turns: BuiltTurn[] = [];
  const [contexts, streams, answeredBy]: [ContextExtension[], StreamedTurn[], AnsweredTurn[]] = [[], [], []];
  const open: Slot[] = [];
  // The shortest prefix that every prompt since the last recorded one has in common with it: what a delta may keep.
  let common = 0;

  /** Moves settled calls from the front of the line to the recording. */
  function flush(): void {
    for (let slot = open[0]; slot !== undefined && slot.settled.kind !== "pending"; slot = open[0]) {
      open.shift();
      common = Math.min(common, slot.keep);
      if (slot.settled.kind !== "answered") continue;
      const { promptHash, tail, from, context } = slot;
      const { response, how } = slot.settled;
      if (how.steps !== undefined) answeredBy.push({ turn: turns.length, steps: how.steps });
      if (how.streamed !== undefined) streams.push({ turn: turns.length, ...how.streamed });
      const keep = Math.max(common, from);
      noteContext(contexts, context, turns.length);
      const prompt = { keep, messages: keep === from ? tail : tail.slice(keep - from) };
      turns.push(keepsPrompts ? { promptHash, prompt, response } : { promptHash, response });
      common = Infinity;
    }
  }

  function settle(slot: Slot, settled: Slot["settled"]): void {
    if (slot.settled.kind !== "pending") return;
    slot.settled = settled;
    flush();
  }

  return {
    turns,
    exchanges,
    open(request: LlmTurnRequest): OpenTurn {
      const { promptHash, keep, context, since } = recordable(() => read(request));
      const from = open.length > 0 ? 0 : Math.min(common, keep);
      const tail = keepsPrompts ? since(from) : [];
      const slot: Slot = { promptHash, keep, from, tail, context, settled: { kind: "pending" } };
      open.push(slot);
      return {
        answer(response, note) {
          try {
            const stored = recordable(() => toStored(response, redactor));
            const how = { streamed: note?.finish(stored), steps: recordedSteps(response) };
            settle(slot, { kind: "answered", response: stored, how });
          } catch (error) {
            settle(slot, { kind: "failed" });
            throw error;
          }
        },
        fail: () => settle(slot, { kind: "failed" }),
      };
    },
    assertSettled: () => assertAllSettled(open.length + exchanges.pending()),
    /** The extensions of this recording; `before` is what an older part of it had redacted. */
    extensions(before: readonly string[] = []): CassetteExtensions {
      const redacted = listRedacted([...before, ...redactor.used()]);
      return {
        createdWith: CREATED_WITH,
        prompts: keepsPrompts,
        ...noted,
        ...nonEmpty({ redacted, contexts, streams, answeredBy, exchanges: exchanges.answered() }),
      };
    },
  };
}

/** The lists that hold something. */
function nonEmpty(lists: Partial<Record<keyof CassetteExtensions, readonly unknown[]>>): CassetteExtensions {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => (list ?? []).length > 0));
}

/** Reads requests one after another. Throws as `assertRequest`, and `not-recordable`; the next request is read in full then. */
function createRequestReader(redactor: Redactor, filter: HashFilter | undefined) {
  const prompts = createPromptReader({ scrub: redactor.messages, check: assertMessage, ...defined({ filter }) });
  const readContext = createContextReader((value) => redactor.json(value));
  let checked: TurnContext | undefined;
  return (request: LlmTurnRequest) => {
    assertRequest(request);
    prompts.begin(request.messages);
    const context = readContext(request);
    if (context !== checked) assertContext(context);
    checked = context;
    const { promptHash, keep } = prompts.next();
    return { promptHash, keep, context, since: prompts.since };
  };
}

/** The user's function first, then the rules in sorted order. */
function listRedacted(names: readonly string[]): string[] {
  const rules = new Set(names);
  const byFunction = rules.delete(BY_FUNCTION) ? [BY_FUNCTION] : [];
  return [...byFunction, ...[...rules].sort()];
}

function assertStreams(streams: unknown = false): void {
  if (streams === false || streams === "boundaries" || streams === "times") return;
  throw new CassetteError("invalid-options", `streams of recordingProvider is ${showValue(streams)}`, {
    hint: `Use "boundaries", "times" or false.`,
  });
}

function assertAllSettled(open: number): void {
  if (open === 0) return;
  throw new CassetteError("turn-in-progress", `${open} recorded call(s) are still unanswered`, {
    hint: "Await the run before toCassette().",
  });
}

/** The answer as a cassette holds it: scrubbed, sealed and shallow enough. */
function toStored(response: LlmTurnResponse, redactor: Redactor): LlmTurnResponse {
  assertResponse(response);
  const own = sealResponse(response);
  const clean = redactor.response(own);
  if (clean !== own) assertResponse(clean);
  const stored = seal(clean);
  assertResponseDepth(stored);
  return stored;
}

function noteContext(contexts: ContextExtension[], context: TurnContext, fromTurn: number): void {
  const last = contexts.at(-1);
  if (last?.toolsHash === context.toolsHash && last.settingsHash === context.settingsHash) return;
  const { toolsHash, settingsHash, tools, settings } = context;
  contexts.push({ fromTurn, toolsHash, settingsHash, tools, settings });
}
