// `cassette serve`: loads cassettes, answers their turns over the vendors' wires until it is stopped, and reports what was used.

import {
  createShelf,
  describeStreams,
  readStreams,
  secretsOf,
  withValues,
  type RedactOption,
  type Shelf,
  type ShelfItem,
  type Streaming,
} from "../../cassette/index.js";
import { createHeldConversations, defined, type HeldConversations } from "../../core/index.js";
import {
  createTally,
  describeFault,
  FORGOT,
  REPLAY_WORDS,
  type DoorOutcome,
  type DoorRequest,
  type DoorRow,
  type Fault,
  type FaultLog,
  type IsPassed,
  type ServerFaults,
} from "../../harness/index.js";
import type { HttpHandler } from "../../host/index.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createNotes, createPrinter, writeJson, type PrintLine } from "../terminal/output.js";
import { readFilterOptions, type FilterOptions } from "../options/filters.js";
import { clientSettings, PLACEHOLDER_KEYS, settingsText } from "../child/base-url-variables.js";
import {
  exitCodeOfRecording,
  openRecording,
  printRecording,
  toJsonRecording,
  type Recorded,
  type Recording,
} from "../proxy/proxy.js";
import { autoHandler, type AutoHandling } from "./auto.js";
import { faultsHandler, printFaults, readFaults } from "./faults.js";
import { serveHandler, type NameOf, type ServeWatcher } from "./handler.js";
import { inRecordedOrder, loadAll, namesOf, type LoadedItem } from "./load.js";
import { listen, untilOver, untilSignal, type Stop } from "./listen.js";
import { compareWith, printComparison, type FileComparison } from "../agent/compare.js";
import { tunnelRule } from "../agent/door.js";
import { resultsInOrder } from "../agent/results.js";
import type { AgentSession } from "../agent/session.js";
import { addMiss, type CountedMiss } from "./misses.js";
import { parsePass, printRequests, toJsonRow } from "./requests.js";

export interface ServeOptions extends FilterOptions {
  port: number;
  host?: string;
  once?: boolean;
  /** Unused turns and exchanges are reported, but do not fail the run. */
  allowUnused?: boolean;
  /** Serves answers whose tool calls hold a placeholder. */
  allowRedacted?: boolean;
  /** Patterns of requests that may stay unanswered. */
  pass?: readonly string[];
  /** The file of a plan of faults. */
  faults?: string;
  /** Forwards and records the requests that no cassette answers. */
  auto?: { readonly target: string; readonly out: string };
  json?: boolean;
  /** How streamed replies are cut and timed. Default `chunked`. */
  streaming?: Streaming;
  /** With `timed`: how many times faster than recorded. Default 1. */
  speed?: number;
  /** Runs with the clients' settings in its environment. The server stops when it ends. */
  command?: readonly string[];
  /** The coding agent whose recorded run is replayed. Its files are compared at the end. */
  agent?: AgentSession | undefined;
}

/**
 * Serves until `stop`, or the end of its command. Exits 1 if a request was not answered or a turn is unused, and as the command did if
 * that failed. Throws for a refused cassette.
 */
export async function serve(
  paths: readonly string[],
  options: ServeOptions,
  io: CommandIo,
  stop: Stop = untilSignal(),
): Promise<void> {
  try {
    const [note, isPassed] = [createNotes(io), parsePass(options.pass)];
    const recording = options.auto && (await openRecording({ ...options, ...options.auto, refresh: false }, io));
    const faults = options.faults === undefined ? undefined : await readFaults(filesAt(io), options.faults);
    const items = inRecordedOrder(await loadAll(paths, io, recording && note));
    const nameOf = namesOf(items.map(({ file }) => file));
    const tally = createTally();
    const { streaming = "chunked", speed = 1 } = options;
    const redact = withValues(undefined, secretsOf(io.env));
    const shelf = await shelfOf(items, { ...options, nameOf, redact }, io);
    const misses: CountedMiss[] = [];
    let answered = 0;
    const add = ({ method, path }: DoorRequest, outcome: DoorOutcome) => void tally.add({ method, path, outcome });
    const watcher: ServeWatcher = {
      answered(request, from) {
        if (from !== "probe") answered++;
        add(request, from);
        if (options.once === true && left(shelf) === 0) stop.now();
      },
      missed(miss, request) {
        add(request, "missed");
        if (addMiss(misses, miss)) for (const line of miss.message.split("\n")) note("miss: ", line);
        if (options.once === true) stop.now();
      },
      passed: (request) => add(request, "passed"),
      refused({ method, path, status, code }, why) {
        const isNew = tally.add({ method, path, outcome: "refused", status, code }, why);
        if (isNew) note("refused: ", why.includes(path) ? why : `${method} ${path}: ${why}`);
        if (options.once === true) stop.now();
      },
      noted: (why) => note("sent back: ", why),
      forgot: (why) => note(why),
    };
    if (streaming !== "whole") noteStreams(items, streaming, note);
    const held = createHeldConversations(() => watcher.forgot(FORGOT));
    const handling = { nameOf, streaming: { streaming, speed }, held, redact };
    const serveWith = (watching: ServeWatcher, isPassed?: IsPassed): HttpHandler =>
      handlerFor(options)(shelf, watching, { ...handling, ...defined({ isPassed }) });
    const door = { serve: (quiet: ServeWatcher) => serveWith(quiet), watcher, held };
    const handler = recording ? recordRest(recording, door, note) : serveWith(watcher, isPassed);
    const server = await listen(faults === undefined ? handler : struckBy(faults, handler, held, add, note), {
      port: options.port,
      ...defined({ host: options.host }),
      onRefused: (request, why, status) => watcher.refused({ ...request, status, code: "refused" }, why),
      tunnel: options.agent && tunnelRule(options.agent, (request) => add(request, "tunnel")),
    });
    if (!server.isLoopback) note("other machines can reach this server, which asks for no password");
    const settings = clientSettings(server.url, recording?.target);
    announce(server.url, settings, shelf, options, io);
    const variables = { ...settings, ...(await options.agent?.configure(server.url)) };
    let ended: number;
    try {
      ended = await untilOver(options, { io, env: { ...PLACEHOLDER_KEYS, ...io.env, ...variables }, stop });
      if (options.once === true) await server.idle();
    } finally {
      await server.close();
    }
    const files = await (options.agent && compareWith(options.agent, shelf, items));
    const ending = defined({ faults, files, recorded: await recording?.end() });
    report({ url: server.url, shelf, answered, misses, rows: tally.rows(), ended, ...ending }, options, io);
  } finally {
    stop.now();
  }
}

function noteStreams(items: readonly LoadedItem[], streaming: Streaming, note: PrintLine): void {
  for (const { file, cassette } of items) {
    const lines = describeStreams(readStreams(cassette).state, streaming === "timed");
    for (const text of lines) note(`${text}: `, file);
  }
}

/** Forwards and records the requests without a recorded answer, and prints each of them. */
function recordRest(
  recording: Recording,
  known: Pick<AutoHandling, "serve" | "watcher" | "held">,
  note: PrintLine,
): HttpHandler {
  const forwarded = ({ method, path }: DoorRequest, why = "no cassette holds it"): void =>
    note("forwarded: ", `${method} ${path}`, `: ${why}`);
  return autoHandler({ ...known, record: recording.handler, forwarded });
}

/** Injects faults, counts those that replace an answer, and prints each of them. */
function struckBy(
  faults: ServerFaults,
  handler: HttpHandler,
  held: HeldConversations,
  add: (request: DoorRequest, outcome: DoorOutcome) => void,
  note: PrintLine,
): HttpHandler {
  return faultsHandler(faults, handler, held, (request, fault, isReplaced) => {
    if (isReplaced) add(request, "fault");
    note("fault: ", `${request.method} ${request.path}: ${describeFault(fault)}`);
  });
}

async function shelfOf(
  items: readonly ShelfItem[],
  { nameOf, redact, ...options }: ServeOptions & { nameOf: NameOf; redact: RedactOption },
  io: CommandIo,
): Promise<Shelf> {
  const note = createNotes(io);
  const hashFilter = await readFilterOptions({ ...options, presets: options.agent?.filters }, filesAt(io));
  const { allowRedacted = false } = options;
  const named = items.map((item) => ({ ...item, names: [...item.names, nameOf(item.file)] }));
  return createShelf(named, { redact, allowRedacted, ...defined({ hashFilter }), warn: (text) => note(text) });
}

/** A coding agent's results of parallel calls come in any order. */
function handlerFor({ agent }: ServeOptions): typeof serveHandler {
  return agent === undefined ? serveHandler : (...given) => resultsInOrder(serveHandler(...given));
}

/** Unused turns and exchanges. */
function left(shelf: Shelf): number {
  return leftTurns(shelf) + leftExchanges(shelf);
}

function leftTurns(shelf: Shelf): number {
  return shelf.counts().reduce((sum, { turns, used }) => sum + turns - used, 0);
}

function leftExchanges(shelf: Shelf): number {
  return shelf.counts().reduce((sum, { exchanges }) => sum + (exchanges?.total ?? 0) - (exchanges?.used ?? 0), 0);
}

function announce(
  url: string,
  settings: Readonly<Record<string, string>>,
  shelf: Shelf,
  { json = false, command, auto }: ServeOptions,
  io: CommandIo,
): void {
  if (command !== undefined) return;
  const print = json ? createNotes(io) : createPrinter(io);
  const all = shelf.counts();
  const exchanges = leftExchanges(shelf);
  const also = exchanges === 0 ? "" : ` and ${count(exchanges, "exchange")}`;
  print(`serving ${count(leftTurns(shelf), "turn")}${also} of ${count(all.length, "cassette")} at ${url}`);
  print(`   ${settingsText(settings)}`);
  if (auto !== undefined) print("   forwarding the rest to ", auto.target, ", and recording it to ", auto.out);
}

interface Served {
  url: string;
  shelf: Shelf;
  answered: number;
  misses: readonly CountedMiss[];
  rows: readonly DoorRow[];
  /** The exit code of the command, which wins unless it is 0. */
  ended: number;
  faults?: FaultLog<Fault>;
  recorded?: Recorded;
  files?: FileComparison;
}

function report(
  { url, shelf, answered, misses, rows, ended, faults, recorded, files }: Served,
  { json = false, command, allowUnused = false }: ServeOptions,
  io: CommandIo,
): void {
  const cassettes = shelf.counts();
  const refused = rows.filter(({ outcome }) => outcome === "refused");
  const unused = left(shelf);
  const failures = misses.length + refused.length + (allowUnused ? 0 : unused) + (files?.differences.length ?? 0);
  const served = failures === 0 ? EXIT.ok : EXIT.drift;
  const own = recorded === undefined ? served : Math.max(served, exitCodeOfRecording(recorded));
  const exitCode = ended !== 0 ? ended : own;
  io.exit(exitCode);
  if (json) {
    const refusedRows = refused.map(({ outcome: _, reason: __, ...row }) => row);
    const requests = rows.map(toJsonRow);
    const also = {
      ...(faults && { faults: { injected: faults.injected, pending: faults.pending } }),
      ...(recorded && { recorded: toJsonRecording(recorded) }),
      ...(files && { files }),
    };
    const body = { url, cassettes, answered, unused, misses, refused: refusedRows, requests, ...also };
    writeJson(io, "serve", exitCode, body);
    return;
  }
  // Standard output belongs to the command.
  const print = command === undefined ? createPrinter(io) : createNotes(io);
  for (const { file, turns, used, exchanges, uncompared } of cassettes) {
    const { total = 0, used: answeredExchanges = 0 } = exchanges ?? {};
    const look = used === turns && answeredExchanges === total ? "good" : allowUnused ? "warn" : "bad";
    const also = total === 0 ? "" : `, ${answeredExchanges} of ${count(total, "exchange")} used`;
    print({ look, text: `${used} of ${count(turns, "turn")} used${also}` }, "  ", file);
    if (uncompared !== undefined)
      print(`   ${count(uncompared.turns, "turn")} answered without comparing `, uncompared.fields.join(", "));
  }
  printRequests(rows, REPLAY_WORDS, print);
  if (faults !== undefined) printFaults(faults, print);
  if (recorded !== undefined) printRecording(recorded, false, print);
  if (files !== undefined) printComparison(files, print);
  const refusals = refused.reduce((sum, request) => sum + request.count, 0);
  const look = served === EXIT.ok ? "good" : "bad";
  const missed = count(
    misses.reduce((sum, miss) => sum + miss.count, 0),
    "miss",
    "misses",
  );
  print({ look, text: `${answered} answered, ${missed}, ${refusals} refused, ${unused} unused` });
  if (failures === unused && unused > 0 && !allowUnused) {
    print("   To run only a part of a suite, pass --allow-unused.");
  }
}
