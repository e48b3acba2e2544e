// Recording: a provider that forwards every call to the one it wraps and keeps what was asked and answered. It only
// watches: requests, answers, errors and timing are the wrapped provider's own. Errors are never kept as answers.

import {
  copyJson,
  defined,
  providerName,
  seal,
  showValue,
  toHex,
  withSystemPorts,
  type LlmMessage,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
  type SigningKey,
} from "../../core/index.js";
import { buildCassette, CREATED_WITH, type BuiltTurn } from "../file/build.js";
import type { TurnContext } from "../offer/context.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import type { CassetteExtensions, CassetteV2, ContextExtension } from "../file/format.js";
import { readHashFilter, type HashFilterOption } from "../prompt/filters.js";
import type { HashFilter } from "../prompt/prompt.js";
import { assertLoadable, assertName, assertResponse, assertResponseDepth, recordable } from "./recordable.js";
import { BY_FUNCTION, type RedactOption } from "../redact/options.js";
import { createRedactor, sealResponse, type Redactor } from "../redact/redactor.js";
import { createRequestReader } from "./request-reader.js";
import { resolveSigningKey, signNow, type SigningEnvironment } from "../trust/sign.js";
import type { RecordedStreaming, StreamedTurn } from "../stream/format.js";
import { createStreamNote, type StreamNote, type StreamNoted } from "../stream/record.js";
import { createTimeWarning } from "../prompt/today.js";

/**
 * The options of {@link recordingProvider}. A wrong one is `CassetteError` `invalid-options`, before anything is asked.
 */
export interface RecordingOptions {
  /** Normalises volatile prompt text before it is hashed and stored. Give the same one to `cassetteProvider`. */
  readonly hashFilter?: HashFilterOption;
  /**
   * What is taken out before anything is hashed and stored: of prompts, answers, arguments, tools and settings. The caller still
   * gets the real ones. Default: the secrets of `SECRET_RULES`. False: nothing. A function scrubs answers before the rules do.
   */
  readonly redact?: RedactOption;
  /** False keeps hashes only: the file is small and says less when a replay misses. Default true. */
  readonly prompts?: boolean;
  /**
   * What is kept of how streamed answers came, in `extensions.streams`: where they were cut, that and when (`times`, which no two
   * runs have in common), or nothing. Default `boundaries`. Turns that are not streamed leave nothing there.
   */
  readonly streams?: RecordedStreaming;
  /**
   * Signs every cassette that `toCassette` gives: a key, or `env:NAME` for one in `env`. Read at once, so that a wrong one
   * costs nothing.
   */
  readonly sign?: SigningKey;
  /** What `env:NAME` is looked up in. On Node the default is the environment of the process. */
  readonly env?: SigningEnvironment;
  readonly ports?: Partial<Ports>;
}

const OPTIONS = ["hashFilter", "redact", "prompts", "streams", "sign", "env", "ports"];

/** A provider that records. It passes answers and errors of the wrapped one on as they are; an error is no turn. */
export interface RecordingProvider extends LlmProviderAdapter {
  readonly name: string;
  /** Turns recorded so far. */
  readonly turns: number;
  /** The cassette so far, frozen. Throws `CassetteError` `turn-in-progress` while a call is unanswered. */
  toCassette(options?: { agentId?: string; extensions?: CassetteExtensions }): CassetteV2;
}

/** A call in the order it was made; its turn index is known once every earlier call has settled. */
interface Slot {
  promptHash: string;
  keep: number;
  /** The prompt from message `from` on. */
  from: number;
  tail: LlmMessage[];
  context: TurnContext;
  settled:
    | { kind: "pending" }
    | { kind: "failed" }
    | { kind: "answered"; response: LlmTurnResponse; streamed: StreamNoted | undefined };
}

/**
 * Wraps `provider`. A turn that cannot be kept (a BigInt in an argument, a message of another shape) rejects with
 * `not-recordable` when it happens; what is wrong with the prompt is found before the provider is called.
 */
export function recordingProvider(provider: LlmProviderAdapter, options: RecordingOptions = {}): RecordingProvider {
  return createRecording(provider, options).provider;
}

/** A recording that can also be taken while calls are unanswered. */
export interface Recording {
  readonly provider: RecordingProvider;
  /** The cassette of the turns before the first unanswered call. */
  readonly soFar: RecordingProvider["toCassette"];
}

export function createRecording(provider: LlmProviderAdapter, options: RecordingOptions = {}): Recording {
  assertKnownOptions("recordingProvider", options, OPTIONS);
  assertName(provider);
  const { streams = "boundaries" } = options;
  assertStreams(streams);
  const ports = withSystemPorts(options.ports);
  const signer = options.sign === undefined ? undefined : resolveSigningKey(options.sign, options.env);
  const tape = createTape(options);
  const stream = provider.stream?.bind(provider);
  const head = { recordedAt: "", cassetteId: "" };
  const warnOfTime = createTimeWarning(ports);
  const begin = () => {
    if (head.cassetteId !== "") return;
    head.recordedAt = new Date(ports.now()).toISOString();
    head.cassetteId = toHex(ports.randomBytes(16));
  };

  const soFar: RecordingProvider["toCassette"] = ({ agentId, extensions } = {}) => {
    begin();
    warnOfTime(tape.turns, head.recordedAt);
    return recordable(() => {
      const kept = copyJson<CassetteExtensions>({ ...extensions, ...tape.extensions(extensions?.redacted) });
      const agent = defined({ agentId });
      const cassetteHead = { ...agent, ...head, recordedProvider: providerName(provider), extensions: kept };
      const built = buildCassette(cassetteHead, tape.turns);
      const cassette = seal(signer === undefined ? built : signNow(built, signer));
      assertLoadable(cassette);
      return cassette;
    }, "this cassette cannot be built");
  };

  const recorder: RecordingProvider = {
    name: providerName(provider),
    get turns() {
      return tape.turns.length;
    },
    async turn(request) {
      begin();
      const slot = recordable(() => tape.open(request));
      try {
        const response = await provider.turn(request);
        recordable(() => tape.answer(slot, response));
        return response;
      } catch (error) {
        tape.fail(slot);
        throw error;
      }
    },
    ...(stream === undefined
      ? {}
      : {
          async *stream(request) {
            begin();
            const slot = recordable(() => tape.open(request));
            const note = streams === false ? undefined : createStreamNote(streams, () => ports.now());
            yield* keepStream(() => stream(request), slot, tape, note);
          },
        }),
    toCassette(given) {
      begin();
      tape.assertSettled();
      return soFar(given);
    },
    async destroy() {
      await provider.destroy?.();
    },
  };
  return { provider: recorder, soFar };
}

/** Forwards a stream and keeps its response before the caller has it. A stream that is left early is a failed call. */
async function* keepStream(
  start: () => AsyncIterable<LlmStreamEvent>,
  slot: Slot,
  tape: ReturnType<typeof createTape>,
  note: StreamNote | undefined,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  let isKept = false;
  try {
    for await (const event of start()) {
      if (event.type === "response" && !isKept) {
        recordable(() => tape.answer(slot, event.response, note));
        isKept = true;
      } else if (event.type !== "response" && !isKept) note?.take(event);
      yield event;
    }
  } finally {
    if (!isKept) tape.fail(slot);
  }
}

function createTape(options: RecordingOptions) {
  const redactor = createRedactor(options.redact);
  const { filter, names } = readHashFilter(options.hashFilter);
  const reader = createRequestReader(redactor, filter);
  const { prompts: keepsPrompts = true } = options;
  const turns: BuiltTurn[] = [];
  const contexts: ContextExtension[] = [];
  const streams: StreamedTurn[] = [];
  const open: Slot[] = [];
  // The shortest prefix that every prompt since the last recorded one has in common with it: what a delta may keep.
  let common = 0;

  /** Moves settled calls from the front of the line to the recording, in the order they were made. */
  function flush(): void {
    for (let slot = open[0]; slot !== undefined && slot.settled.kind !== "pending"; slot = open[0]) {
      open.shift();
      common = Math.min(common, slot.keep);
      if (slot.settled.kind !== "answered") continue;
      const { promptHash, tail, from, context } = slot;
      const { response, streamed } = slot.settled;
      if (streamed !== undefined) streams.push({ turn: turns.length, ...streamed });
      const keep = Math.max(common, from);
      noteContext(contexts, context, turns.length);
      turns.push(
        keepsPrompts
          ? { promptHash, prompt: { keep, messages: keep === from ? tail : tail.slice(keep - from) }, response }
          : { promptHash, response },
      );
      common = Infinity;
    }
  }

  return {
    turns,
    open(request: LlmTurnRequest): Slot {
      const { promptHash, keep, context } = reader.read(request);
      const from = open.length > 0 ? 0 : Math.min(common, keep);
      const tail = keepsPrompts ? reader.since(from) : [];
      const slot: Slot = { promptHash, keep, from, tail, context, settled: { kind: "pending" } };
      open.push(slot);
      return slot;
    },
    answer(slot: Slot, response: LlmTurnResponse, note?: StreamNote): void {
      const stored = snapshot(response, redactor);
      slot.settled = { kind: "answered", response: stored, streamed: note?.finish(stored) };
      flush();
    },
    fail(slot: Slot): void {
      slot.settled = { kind: "failed" };
      flush();
    },
    assertSettled: () => assertNoneOpen(open.length),
    /** `before` is what an older part of the recording had redacted. */
    extensions(before: readonly string[] = []): CassetteExtensions {
      const rules = new Set([...before, ...redactor.used()]);
      const byFunction = rules.delete(BY_FUNCTION) ? [BY_FUNCTION] : [];
      const redacted = [...byFunction, ...[...rules].sort()];
      return {
        createdWith: CREATED_WITH,
        prompts: keepsPrompts,
        ...describeFilter(filter, names),
        ...(redacted.length === 0 ? {} : { redacted }),
        ...(contexts.length === 0 ? {} : { contexts }),
        ...(streams.length === 0 ? {} : { streams }),
      };
    },
  };
}

function describeFilter(filter: HashFilter | undefined, names: readonly string[] | undefined): CassetteExtensions {
  return {
    ...(filter === undefined ? {} : { filtered: true as const }),
    ...(names === undefined ? {} : { filters: [...names] }),
  };
}

function assertStreams(streams: unknown): void {
  if (streams === false || streams === "boundaries" || streams === "times") return;
  throw new CassetteError("invalid-options", `streams of recordingProvider is ${showValue(streams)}`, {
    hint: `Use "boundaries", "times" or false.`,
  });
}

function assertNoneOpen(calls: number): void {
  if (calls === 0) return;
  throw new CassetteError("turn-in-progress", `${calls} recorded call(s) are still unanswered`, {
    hint: "Await the run before toCassette().",
  });
}

function snapshot(response: LlmTurnResponse, redactor: Redactor): LlmTurnResponse {
  assertResponse(response);
  const own = sealResponse(response);
  const clean = redactor.response(own);
  if (clean !== own) assertResponse(clean);
  const kept = seal(clean);
  assertResponseDepth(kept);
  return kept;
}

function noteContext(contexts: ContextExtension[], context: TurnContext, fromTurn: number): void {
  const last = contexts.at(-1);
  if (last?.toolsHash === context.toolsHash && last.settingsHash === context.settingsHash) return;
  const { toolsHash, settingsHash, tools, settings } = context;
  contexts.push({ fromTurn, toolsHash, settingsHash, tools, settings });
}
