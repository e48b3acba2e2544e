// Cassettes as request handlers of MSW, and recordings through them. MSW itself comes in as two functions, so that this code
// stands on neither of its major versions.

import {
  assertStreaming,
  CassetteError,
  claimExchanges,
  collectTurn,
  createShelf,
  openTurn,
  type Cassette,
  type CassetteExtensions,
  type CassetteV2,
  type CollectedTurn,
  type ExchangeSide,
  type PlainRequest,
  type RecordingOptions,
  type ReplayOptions,
  type ShelfItem,
} from "../../../cassette/index.js";
import { assertKnownOptions, defined, shorten, systemPorts, wireOf } from "../../../core/index.js";
import type { UseCassetteOptions } from "../../cassette/options.js";
import { checkEnd, type RunEnd } from "../../cassette/run-end.js";
import type { CassetteHandle, UseCassette } from "../../cassette/use-cassette.js";
import { shelfReply } from "../../wire/shelf-reply.js";
import type { DoorRow } from "../../wire/tally.js";
import { assertConsumed, openDoor, type Door, type TakenRequests } from "./door.js";
import { recordExchanges, replayExchanges, sideOf } from "./exchanges.js";
import type { MswParts } from "../msw-parts.js";
import { createInterceptor } from "./intercept.js";
import type { AskedTurn, Interception } from "./replies.js";
import { openRecording } from "./recording.js";
import { encodeAnswer } from "./recorded-answer.js";
import { toResponse } from "./response.js";
import { forHandlers } from "./reworded.js";
import type { Trouble } from "./trouble.js";
import { createVendor, withWholeBody, type Vendor } from "./vendor.js";

/** What became of the requests below the base URLs. */
interface Counted {
  /** One row for each method, URL and outcome, with its count. */
  requests(): readonly DoorRow[];
}

/** Handlers for `setupServer(...handlers)` and `server.use(...handlers)`. */
export type CassetteHandlers<Handler> = Handler[] &
  Counted & {
    /**
     * Call it when the test is over. Rejects with the first miss, also where the client caught it, with each request that no
     * cassette can answer, or `unconsumed`.
     */
    done(): Promise<void>;
  };

/** Handlers that record, and the cassette of what they recorded. */
export type RecordingHandlers<Handler> = Handler[] &
  Counted & {
    /** Rejects where a turn that succeeded, or another request, could not be recorded. */
    done(): Promise<void>;
    /** What was recorded, once all answers have come. Rejects as `done` does. */
    toCassette(options?: { agentId?: string; extensions?: CassetteExtensions }): Promise<CassetteV2>;
  };

/** Handlers that replay or record, with the mode that was decided and the path of the cassette. */
export type UsedCassetteHandlers<Handler> = Handler[] &
  Counted &
  Pick<CassetteHandle, "mode" | "file" | "score"> & {
    /**
     * Call it when the test is over; rejects as that of {@link CassetteHandlers} does. `done({ failed: true })` is for a test that
     * failed: it keeps a recording as `<name>.failed.cassette.json`, and does not check for unused turns.
     */
    done(ended?: RunEnd): Promise<void>;
  };

/** One cassette, several behind the same handlers, or the handle of a `useCassette` that replays. */
export type CassetteSource = Cassette | readonly Cassette[] | CassetteHandle;

/** The options of `cassetteHandlers`. A wrong one is `invalid-options`. */
export interface CassetteHandlersOptions
  extends TakenRequests, Pick<ReplayOptions, "redact" | "allowRedacted" | "hashFilter" | "streaming" | "speed"> {
  /** Named in messages. */
  readonly file?: string;
}

/** The options of `recordingHandlers`. */
export interface RecordingHandlersOptions extends RecordingOptions, TakenRequests {
  /** Records errors of the vendor and cut streams too, so that a replay repeats them. Default false. */
  readonly keepErrors?: boolean;
}

/** The options of `useCassetteHandlers`. */
export interface UseCassetteHandlersOptions
  extends UseCassetteOptions, TakenRequests, Pick<RecordingHandlersOptions, "keepErrors"> {}

/** The functions of `playhead/msw` for one class of handlers; made by {@link createMswAdapter}. */
export interface MswAdapter<Handler> {
  cassetteHandlers(source: CassetteSource, options?: CassetteHandlersOptions): CassetteHandlers<Handler>;
  recordingHandlers(options?: RecordingHandlersOptions): RecordingHandlers<Handler>;
  useCassetteHandlers(file: string, options?: UseCassetteHandlersOptions): Promise<UsedCassetteHandlers<Handler>>;
}

/** Binds the adapter to MSW and to a host's `useCassette`. */
export function createMswAdapter<Handler>(msw: MswParts<Handler>, useCassette: UseCassette): MswAdapter<Handler> {
  const send = (request: Request) => msw.send(request);

  /** The handlers of a door. Without a vendor (`isClosed`) nothing goes out. */
  function intercept(door: Door, isClosed: boolean, rest: Pick<Interception, "answer" | "replay" | "record">) {
    const letOut = isClosed ? undefined : send;
    const handlers = [msw.handle(door.bases.pattern, createInterceptor({ ...door, ...rest, letOut }))];
    return Object.assign(handlers, { requests: () => door.trouble.rows() });
  }

  /** A handle with a `vendor` was opened with it as the live provider. */
  function overHandle(door: Door, handle: CassetteHandle, { vendor, side, keepErrors = false }: HandleParts) {
    const { trouble } = door;
    let hasReplayed = false;
    const replayed = ({ request }: AskedTurn): void => {
      hasReplayed = true;
      trouble.count(request, "turn");
    };
    // The vendor does not have the conversation of an answer that was replayed.
    const ask = (asked: AskedTurn): AskedTurn => (hasReplayed && asked.isContinued ? withWholeBody(asked) : asked);
    const answer = (asked: AskedTurn) => answerByHandle({ handle, vendor, replayed, ask }, asked);
    const { take, miss, open } = side;
    const replay = take && replayExchanges({ take, ...defined({ miss }) }, baseName);
    const record = open && recordExchanges({ open, send, trouble, now: () => systemPorts.now(), keepErrors });
    const done = (ended?: RunEnd) => finish(handle, trouble, ended);
    return Object.assign(intercept(door, handle.mode === "replay", { answer, ...defined({ replay, record }) }), {
      done,
    });
  }

  function overShelf(door: Door, cassettes: readonly Cassette[], options: CassetteHandlersOptions) {
    const { done, ...rest } = playShelf(door, cassettes, options);
    return Object.assign(intercept(door, true, rest), { done });
  }

  return {
    cassetteHandlers(source, options = {}) {
      assertKnownOptions("cassetteHandlers", options, REPLAY_OPTIONS);
      assertStreaming("cassetteHandlers", options);
      const door = openDoor("cassetteHandlers", options);
      if (!isHandle(source)) return overShelf(door, toList(source), options);
      assertReplaying(source, options);
      return overHandle(door, source, { side: claimExchanges(source.provider, wireOf) });
    },

    recordingHandlers({ baseUrls, pass, ...recording } = {}) {
      const door = openDoor("recordingHandlers", { ...defined({ baseUrls, pass }) });
      const { done, toCassette, ...rest } = openRecording(door, send, recording);
      return Object.assign(intercept(door, false, rest), { done, toCassette });
    },

    async useCassetteHandlers(file, { baseUrls, pass, keepErrors = false, ...options } = {}) {
      if (options.streaming === "timed") throw notTimed();
      const door = openDoor("useCassetteHandlers", { ...defined({ baseUrls, pass }) });
      let side: ExchangeSide = {};
      const keepError = keepErrors ? (request: PlainRequest) => side.open?.(request) : undefined;
      const more = defined({ streams: options.streams, keepError });
      const vendor = createVendor({ send, trouble: door.trouble, ...more });
      const handle = await useCassette(file, vendor.named, options);
      side = claimExchanges(handle.provider, wireOf);
      const { mode, file: kept, score } = handle;
      return Object.assign(overHandle(door, handle, { vendor, side, keepErrors }), { mode, file: kept, score });
    },
  };
}

/** Answers turns and exchanges from these cassettes. */
function playShelf({ trouble }: Door, cassettes: readonly Cassette[], options: CassetteHandlersOptions) {
  const { baseUrls: _, pass: __, file, streaming = "chunked", speed = 1, ...tape } = options;
  const warn = (text: string): void => systemPorts.warn(`playhead: ${text}`);
  const shelf = createShelf(toItems(cassettes, file), { ...tape, warn });
  return {
    answer: async ({ wire, request, ...asked }: AskedTurn) => {
      const how = { shelf, nameOf: baseName, streaming: { streaming, speed }, signal: request.signal };
      const response = toResponse(await shelfReply(wire, asked, how));
      trouble.count(request, "turn");
      return response;
    },
    replay: replayExchanges(sideOf(shelf), baseName),
    done: async () => {
      await trouble.settle();
      assertConsumed(shelf, file);
    },
  };
}

interface HandleParts {
  readonly vendor?: Vendor;
  readonly side: ExchangeSide;
  readonly keepErrors?: boolean;
}

interface HandleDoor {
  readonly handle: CassetteHandle;
  readonly vendor: Vendor | undefined;
  /** Called for a turn that the recording answered. */
  readonly replayed: (asked: AskedTurn) => void;
  /** The turn as its vendor is to get it. */
  readonly ask: (asked: AskedTurn) => AskedTurn;
}

/** Answers from the recording of a handle, or with its vendor's answer, which the handle may record. */
async function answerByHandle({ handle: { provider }, vendor, replayed, ask }: HandleDoor, asked: AskedTurn) {
  const { request, isStream } = asked.turn;
  if (provider === vendor?.named) return vendor.answer(asked);
  const opened =
    vendor === undefined ? await collectTurn(provider, request, isStream) : await openTurn(provider, request, isStream);
  if (vendor !== undefined && !("response" in opened)) return vendor.answer(ask(asked), opened);
  replayed(asked);
  return encodeAnswer(opened as CollectedTurn, asked);
}

/**
 * A recording is written although requests were passed on, which fails the test after that. That of a failed test is kept in any
 * case, and its own error is left to speak.
 */
async function finish(handle: CassetteHandle, trouble: Trouble, ended?: RunEnd): Promise<void> {
  const { failed: isFailed = false } = checkEnd(ended);
  const settled = trouble.settle();
  await (isFailed ? errorOf(settled) : settled);
  const failed = forHandlers(await errorOf(handle.done(ended)));
  await settled;
  if (failed !== undefined || (handle.mode !== "live" && !isFailed)) trouble.conclude(failed);
}

function errorOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const REPLAY_OPTIONS = ["baseUrls", "pass", "file", "redact", "allowRedacted", "hashFilter", "streaming", "speed"];

function toList(source: Cassette | readonly Cassette[]): readonly Cassette[] {
  const cassettes = Array.isArray(source) ? (source as readonly Cassette[]) : [source as Cassette];
  if (cassettes.length > 0) return cassettes;
  throw new CassetteError("invalid-options", "cassetteHandlers was given an empty list", {
    hint: "Give at least one cassette.",
  });
}

/** Without a folder, and without the words of the user. */
const baseName = (file: string): string =>
  file
    .replace(/ \(".*"\)$/su, "")
    .split(/[\\/]/)
    .at(-1) ?? file;

/** Cassettes have no file of their own: one of many is named by its place and the first words of its user. */
function toItems(cassettes: readonly Cassette[], file = "the cassette"): ShelfItem[] {
  if (cassettes.length === 1) return [{ file, cassette: cassettes[0], names: [] }];
  const given = file === "the cassette" ? "" : `${file}, `;
  return cassettes.map((cassette, index) => {
    const words = firstWords(cassette);
    const place = `${given}cassette ${index + 1} of ${cassettes.length}`;
    return { file: words === undefined ? place : `${place} ("${words}")`, cassette, names: [] };
  });
}

/** Undefined if the cassette keeps no prompts, or is not a cassette. The check reports that. */
function firstWords(cassette: Cassette): string | undefined {
  const { entries } = cassette as { entries?: readonly Partial<CassetteV2["entries"][number]>[] };
  const messages = entries?.[0]?.prompt?.messages ?? [];
  const content = messages.find(({ role }) => role === "user")?.content;
  return typeof content === "string" ? shorten(content.replace(/\s+/g, " "), 40) : undefined;
}

function isHandle(source: CassetteSource): source is CassetteHandle {
  return typeof (source as Partial<CassetteHandle> | null | undefined)?.done === "function";
}

/** A handle that records asks a provider of its own, whose requests would come back here. */
function assertReplaying({ mode, file }: CassetteHandle, options: CassetteHandlersOptions): void {
  if (mode !== "replay") {
    throw new CassetteError("invalid-options", `cassetteHandlers was given a handle in mode ${mode}`, {
      hint: "Use useCassetteHandlers(file), which replays and records as the mode says.",
      file,
    });
  }
  const given = Object.keys(options).filter((name) => name !== "baseUrls" && name !== "pass");
  if (given.length === 0) return;
  throw new CassetteError(
    "invalid-options",
    `cassetteHandlers does not take ${given.join(", ")} together with a handle`,
    {
      hint: "Give these options to useCassette.",
      file,
    },
  );
}

function notTimed(): CassetteError {
  return new CassetteError("invalid-options", "useCassetteHandlers cannot stream in recorded time", {
    hint: 'Use cassetteHandlers(await loadCassette(file), { streaming: "timed" }).',
  });
}
