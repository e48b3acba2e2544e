// One cassette for one test, in any runner: a provider that replays or records as the mode says, and a `done` that writes the recording
// or fails on unused turns.

import { resolve } from "node:path";
import {
  assertExchangesUsed,
  CassetteError,
  cassetteProvider,
  createCassetteStore,
  createExchangePlayer,
  createRedactor,
  exchangeSideOf,
  extensionsOf,
  isClaimed,
  playedSide,
  readFilters,
  readTolerances,
  recordingProvider,
  secretsOf,
  setExchangeSide,
  withValues,
  type CassetteStore,
  type HashFilterOption,
  type RecordingProvider,
} from "../../cassette/index.js";
import { defined, providerName, type FilePort, type JsonObject } from "../../core/index.js";
import { assertArguments, type UseCassetteOptions } from "./options.js";
import { once, type RunEnd } from "./run-end.js";
import { createScoreSheet, type ScoreSheet } from "../scores/scores.js";
import { withScore, type CassetteHandle, type OpenedHandle } from "./handle.js";
import { createNote, noteUnfinished, onceNamed, toSize, type LedgerEnvironment, type Note } from "./ledger-writer.js";
import { assertLive, resolveLive, type LiveProvider } from "./live.js";
import { openLock, recordingPath } from "./paths.js";
import { isFresh, resolveMode, type CassetteMode, type ModeEnvironment } from "./mode.js";
import { overlaidStore, type OverlayEnvironment } from "./overlay.js";
import { createRecordingDesk, fileExists, keptRunHint, type RecordingDesk, type TakenFiles } from "./recording.js";
import { withCommand } from "./refused.js";
import {
  isNew,
  openFork,
  openResume,
  readForkPlan,
  type ForkEnvironment,
  type ForkPlan,
} from "./continue-recording.js";
import { afterTools, createToolSide, liveSide } from "./tool-side.js";

export type { CassetteHandle };

/** `useCassette`, bound to a host. Rejects with `HarnessError` for the mode, and `CassetteError` for the file. */
export type UseCassette = (file: string, live: LiveProvider, options?: UseCassetteOptions) => Promise<CassetteHandle>;

/** The parts of the machine that `useCassette` needs. */
export interface HarnessHost {
  readonly files: FilePort;
  /** The whole environment, in which `sign: "env:NAME"` is also looked up. */
  readonly environment: ModeEnvironment & ForkEnvironment & OverlayEnvironment & LedgerEnvironment;
}

/** Binds `useCassette` to a host. The result records each file once. */
export function createUseCassette(host: HarnessHost): UseCassette {
  const taken: TakenFiles = new Map();
  return (file, live, options) => createOwnedUseCassette(host, taken, {})(file, live, options);
}

/** `useCassette` for one `owner`, such as a retried test, which may record its own files again. */
export function createOwnedUseCassette(
  { files, environment }: HarnessHost,
  taken: TakenFiles,
  owner: object,
): UseCassette {
  const parts: Parts = {
    files,
    environment,
    store: overlaidStore(createCassetteStore(files), files, environment),
    desk: createRecordingDesk(files, taken, owner),
    note: createNote(files, environment),
  };

  return async (named, live, given = {}) => {
    assertArguments(named, given);
    const { hashFilter: filters, ...others } = given;
    const redact = withValues(given.redact, secretsOf({ ...environment }));
    assertLive(live);
    const mode = resolveMode(environment, given.mode);
    const file = isFresh(mode) ? recordingPath(environment, named) : named;
    const { rerecord: command } = given;
    try {
      const hashFilter = typeof filters === "string" ? await readFilters(files, filters) : filters;
      const sheet = createScoreSheet();
      const options = { ...others, redact, sheet, ...defined({ hashFilter }) };
      return withScore(await open(parts, mode, file, live, options), sheet, command);
    } catch (error) {
      await noteUnfinished(parts.note, file);
      throw withCommand(error, file, command);
    }
  };
}

/** The options with the filters of a file read. */
interface OpenedOptions extends Omit<UseCassetteOptions, "hashFilter"> {
  readonly hashFilter?: HashFilterOption;
  readonly sheet: ScoreSheet;
}

interface Parts extends HarnessHost {
  readonly store: CassetteStore;
  readonly desk: RecordingDesk;
  readonly note: Note;
}

async function open(
  parts: Parts,
  mode: CassetteMode,
  file: string,
  live: LiveProvider,
  options: OpenedOptions,
): Promise<OpenedHandle> {
  const { files, environment, desk } = parts;
  switch (mode) {
    case "live": {
      const done = once(async () => parts.note(file, "live", { turns: 0 }));
      return { ...liveSide, provider: await resolveLive(live), mode, file, done };
    }
    case "replay":
      return replay(parts, file, live, options);
    case "fork": {
      const plan = readForkPlan(environment);
      return resolve(plan.file) === resolve(file)
        ? rerecord(parts, file, live, options, { ...plan, file })
        : replay(parts, file, live, options);
    }
    case "from-first-miss":
      return (await fileExists(files, file))
        ? rerecord(parts, file, live, options)
        : record(parts, file, live, "record", options);
    case "record":
    case "refresh":
      return record(parts, file, live, mode, options);
    case "auto":
      return !desk.isOwn(file) && (await fileExists(files, file))
        ? replay(parts, file, live, options)
        : record(parts, file, live, "record", options);
  }
}

async function record(
  { environment, desk, note }: Parts,
  file: string,
  live: LiveProvider,
  mode: "record" | "refresh",
  options: OpenedOptions,
): Promise<OpenedHandle> {
  await desk.open(file, mode, options.rerecord);
  const { agentId, hashFilter, redact, maxBytes, sign, streams, sheet } = options;
  const provider = recordingProvider(await resolveLive(live), {
    ...defined({ hashFilter, redact, streams }),
    ...signing(sign, environment),
  });
  const done = onceNamed(note, file, async ({ failed, ...ended }) => {
    const kept = { ...defined({ agentId, maxBytes, scores: sheet.all() }), ...ended };
    if (failed === true) {
      const failedAs = await desk.keepFailed(provider, file, { ...kept, outcome: failedOutcome(ended, redact) });
      if (failedAs !== undefined) await note(failedAs, "failed", sizeOf(provider));
      return;
    }
    await desk.keep(provider, file, mode, kept);
    await note(file, mode, sizeOf(provider));
  });
  return { ...liveSide, provider, mode, file, done };
}

function signing(sign: OpenedOptions["sign"], environment: Parts["environment"]) {
  return sign === undefined ? {} : { sign, env: { ...environment } };
}

async function replay(
  { files, store, note }: Parts,
  file: string,
  live: LiveProvider,
  options: OpenedOptions,
): Promise<OpenedHandle> {
  const { hashFilter, requireIntegrity = true, maxBytes, lock, replay: side = "model", onToolDrift = "stop" } = options;
  const { redact = {}, allowRedacted = false, rerecord, streaming, speed, maxGapMs } = options;
  const place = lock === undefined ? undefined : await openLock(files, lock, file);
  const loading = store.load(file, { requireIntegrity, ...defined({ maxBytes, lock: place }) });
  const cassette = await loading.catch(async (error: unknown) => {
    throw await withKeptRun(error, files, file);
  });
  const { tolerances: source } = options;
  const tolerances = typeof source === "string" ? await readTolerances(files, source) : source;
  const { assertNoMiss, assertNoDrift, ...toolSide } = createToolSide(
    cassette,
    file,
    side,
    onToolDrift,
    redact,
    tolerances,
  );
  const replayed = cassetteProvider(cassette, {
    file,
    redact,
    allowRedacted: allowRedacted || side === "both",
    ...defined({ hashFilter, rerecord, streaming, speed, maxGapMs }),
  });
  const real = side === "tools" ? await resolveLive(live) : replayed;
  const checked = afterTools(real, assertNoMiss);
  const provider = side === "tools" ? { name: providerName(real), ...checked } : replayed;
  if (side === "both") Object.assign(provider, checked);
  const exchanges = createExchangePlayer(cassette, { file, redact, ...defined({ hashFilter }) });
  const exchangeSide = playedSide({ file, cassette, exchanges });
  setExchangeSide(provider, exchangeSide);
  const done = onceNamed(
    note,
    file,
    async ({ failed }) => {
      assertNoMiss();
      exchangeSide.assertAnswered();
      if (side !== "tools") replayed.assertAnswered();
      if (failed === true) return;
      if (side !== "tools") replayed.assertConsumed();
      // A cassette of exchanges alone has no first turn at which the provider could report them.
      if (isClaimed(provider) || cassette.entries.length === 0)
        assertExchangesUsed(exchanges, defined({ file, rerecord }));
      try {
        assertNoDrift();
      } catch (error) {
        throw withCommand(error, file, rerecord);
      }
      await note(file, "replay", toSize(cassette.entries.length, isClaimed(provider) ? exchanges.exchanges.length : 0));
    },
    redact,
  );
  return { ...toolSide, provider, mode: "replay", file, extensions: extensionsOf(cassette), done };
}

/** The message of a failed test may quote an answer, so it is redacted too. */
function failedOutcome({ outcome }: RunEnd, redact: OpenedOptions["redact"]): JsonObject {
  return createRedactor(redact).json<JsonObject>({ ...outcome, success: false });
}

function sizeOf(recorder: RecordingProvider) {
  return toSize(recorder.turns, exchangeSideOf(recorder).count?.() ?? 0);
}

/** The error of a missing cassette, with advice if a failed test left its recording. */
async function withKeptRun(error: unknown, files: FilePort, file: string): Promise<unknown> {
  if (!(error instanceof CassetteError) || error.code !== "file-not-found" || error.file !== file) return error;
  const hint = await keptRunHint(files, file);
  return hint === undefined ? error : new CassetteError(error.code, error.summary, { file, hint });
}

/** A fork by `plan`, or a recording that continues at its first miss. */
async function rerecord(
  { environment, store, desk, note }: Parts,
  file: string,
  live: LiveProvider,
  { agentId, hashFilter, redact, allowRedacted, maxBytes, sign, streams, sheet }: OpenedOptions,
  plan?: ForkPlan,
): Promise<OpenedHandle> {
  const recording = { ...defined({ hashFilter, redact, streams, allowRedacted }), ...signing(sign, environment) };
  const parts = { store, desk, live, recording, limit: defined({ maxBytes }) };
  const { provider, keep } = await (plan === undefined ? openResume(file, parts) : openFork(plan, parts));
  const mode = plan === undefined ? "from-first-miss" : "fork";
  const written = plan?.out ?? file;
  const done = onceNamed(note, written, async ({ failed, ...ended }) => {
    const scored = defined({ scores: sheet.all() });
    if (failed === true) {
      // A run that was only replayed has no new turn.
      const failure = { ...scored, ...ended, outcome: failedOutcome(ended, redact) };
      const failedAs = isNew(provider) ? await desk.keepFailed(provider, written, failure) : undefined;
      if (failedAs !== undefined) await note(failedAs, "failed", { ...sizeOf(provider), kept: provider.replayed });
      return;
    }
    const isChanged = await keep({ ...defined({ agentId }), ...scored, ...ended });
    await note(written, isChanged ? mode : "replay", { ...sizeOf(provider), kept: provider.replayed });
  });
  return { ...liveSide, provider, mode, file: written, done };
}
