// `cassette serve`: loads cassettes, answers their turns over the vendors' wires until it is stopped, and reports what was used.

import { basename, resolve } from "node:path";
import {
  CASSETTE_SUFFIX,
  CassetteError,
  createCassetteStore,
  createShelf,
  describeStreams,
  readStreams,
  secretsOf,
  withValues,
  type Cassette,
  type CassetteStore,
  type ImportExtension,
  type Shelf,
  type ShelfItem,
  type Streaming,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import { createTally, REPLAY_WORDS, type DoorOutcome, type DoorRequest, type DoorRow } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createNotes, createPrinter, writeJson } from "../terminal/output.js";
import { readFilterOptions, type FilterOptions } from "../options/filters.js";
import { findTarget, pathIn } from "../options/recordings.js";
import { clientSettings, PLACEHOLDER_KEYS, settingsText } from "../child/base-url-variables.js";
import { serveHandler, type ServedMiss, type ServeWatcher } from "./handler.js";
import { listen, untilOver, untilSignal, type Stop } from "./listen.js";
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
  json?: boolean;
  /** How streamed replies are cut and timed. Default `chunked`. */
  streaming?: Streaming;
  /** With `timed`: how many times faster than recorded. Default 1. */
  speed?: number;
  /** Runs with the clients' settings in its environment. The server stops when it ends. */
  command?: readonly string[];
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
    const isPassed = parsePass(options.pass);
    const items = inRecordedOrder(await loadAll(paths, io));
    const short = shortNames(items.map(({ file }) => file));
    const nameOf = (file: string): string => short.get(file) ?? basename(file);
    const named = items.map((item) => ({ ...item, names: [...item.names, nameOf(item.file)] }));
    const redact = withValues(undefined, secretsOf(io.env));
    const tally = createTally();
    const note = createNotes(io);
    const { allowRedacted = false } = options;
    const hashFilter = await readFilterOptions(options, filesAt(io));
    const shelf = createShelf(named, { redact, allowRedacted, ...defined({ hashFilter }), warn: (text) => note(text) });
    const misses: ServedMiss[] = [];
    let answered = 0;
    const add = ({ method, path }: DoorRequest, outcome: DoorOutcome): void =>
      void tally.add({ method, path, outcome });
    const watcher: ServeWatcher = {
      answered(request, from) {
        answered++;
        add(request, from);
        if (options.once === true && left(shelf) === 0) stop.now();
      },
      missed(miss, request) {
        misses.push(miss);
        add(request, "missed");
        for (const line of miss.message.split("\n")) note("miss: ", line);
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
    const { streaming = "chunked", speed = 1 } = options;
    for (const { file, cassette } of streaming === "whole" ? [] : items) {
      const lines = describeStreams(readStreams(cassette).state, streaming === "timed");
      for (const text of lines) note(`${text}: `, file);
    }
    const server = await listen(serveHandler(shelf, watcher, { nameOf, streaming: { streaming, speed }, isPassed }), {
      port: options.port,
      ...defined({ host: options.host }),
      onRefused: (request, why, status) => watcher.refused({ ...request, status, code: "refused" }, why),
    });
    if (!server.isLoopback) note("other machines can reach this server, which asks for no password");
    announce(server.url, shelf, options, io);
    const env = { ...PLACEHOLDER_KEYS, ...io.env, ...clientSettings(server.url) };
    let ended: number;
    try {
      ended = await untilOver(options, { io, env, stop });
      if (options.once === true) await server.idle();
    } finally {
      await server.close();
    }
    report({ url: server.url, shelf, answered, misses, rows: tally.rows() }, options, io);
    if (ended !== 0) io.exit(ended);
  } finally {
    stop.now();
  }
}

/** By file, the shortest end of its path that no other file shares. */
function shortNames(files: readonly string[]): Map<string, string> {
  const tail = (file: string, parts: number): string => file.split(/[\\/]/).slice(-parts).join("/");
  const shortest = (file: string): string => {
    for (let parts = 1; parts < file.length; parts++) {
      const name = tail(file, parts);
      if (files.filter((other) => tail(other, parts) === name).length === 1) return name;
    }
    return file;
  };
  return new Map(files.map((file) => [file, shortest(file)]));
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

type LoadedItem = ShelfItem & { cassette: Cassette };

/** Throws for the first refused cassette: either all of them are served or none. */
async function loadAll(paths: readonly string[], io: CommandIo): Promise<LoadedItem[]> {
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const items = new Map<string, LoadedItem>();
  for (const path of paths) {
    for (const [file, name] of await findFiles(files, path)) {
      const key = resolve(io.cwd, file);
      if (!items.has(key)) items.set(key, await loadItem(store, file, name));
    }
  }
  return [...items.values()];
}

/** Sorted by time of recording, then by name with numbers by value, whatever the order of the paths: a shell puts `run-2` before `run`. */
function inRecordedOrder(items: readonly LoadedItem[]): LoadedItem[] {
  const timeOf = ({ cassette }: LoadedItem): number => Date.parse(cassette.recordedAt) || 0;
  const nameOf = ({ file }: LoadedItem): string => file.replace(CASSETTE_SUFFIX, "");
  return items.toSorted((a, b) => timeOf(a) - timeOf(b) || byNumber.compare(nameOf(a), nameOf(b)));
}

const byNumber = new Intl.Collator("en", { numeric: true });

/** Paths, with their names in their folder. */
async function findFiles(files: FilePort, path: string): Promise<(readonly [string, string])[]> {
  const target = await findTarget(files, path);
  if (target.kind === "missing") {
    const hint = "Check the path, or record it first: cassette record --proxy --target <url> --out <file>.";
    throw new CassetteError("file-not-found", `there is no cassette at ${path}`, { file: path, hint });
  }
  if (target.kind !== "folder") return [[path, path]];
  if (target.names.length > 0) return target.names.map((name) => [pathIn(path, name), name]);
  const message = `${path} holds no *${CASSETTE_SUFFIX} file, so there is nothing to serve`;
  throw new CliError("nothing-found", message, "Check the path, or name the files one by one.", path);
}

async function loadItem(store: CassetteStore, file: string, name: string): Promise<LoadedItem> {
  const cassette = await store.load(file, { ports: { warn: () => undefined } });
  const paths = [file, name, basename(file)];
  const names = [...paths, ...paths.map((path) => path.replace(CASSETTE_SUFFIX, "")), ...taskOf(cassette)];
  return { file, cassette, names };
}

/** The task of an imported cassette. */
function taskOf(cassette: Cassette): string[] {
  if (cassette.version === 1) return [];
  const imported = cassette.extensions?.["import"] as Partial<ImportExtension> | undefined;
  return typeof imported?.task === "string" ? [imported.task] : [];
}

function announce(url: string, shelf: Shelf, { json = false, command }: ServeOptions, io: CommandIo): void {
  if (command !== undefined) return;
  const print = json ? createNotes(io) : createPrinter(io);
  const all = shelf.counts();
  const exchanges = leftExchanges(shelf);
  const also = exchanges === 0 ? "" : ` and ${count(exchanges, "exchange")}`;
  print(`serving ${count(leftTurns(shelf), "turn")}${also} of ${count(all.length, "cassette")} at ${url}`);
  print(`   ${settingsText(clientSettings(url))}`);
}

interface Served {
  url: string;
  shelf: Shelf;
  answered: number;
  misses: readonly ServedMiss[];
  rows: readonly DoorRow[];
}

function report(
  { url, shelf, answered, misses, rows }: Served,
  { json = false, command, allowUnused = false }: ServeOptions,
  io: CommandIo,
): void {
  const cassettes = shelf.counts();
  const refused = rows.filter(({ outcome }) => outcome === "refused");
  const unused = left(shelf);
  const failures = misses.length + refused.length + (allowUnused ? 0 : unused);
  const exitCode = failures === 0 ? EXIT.ok : EXIT.drift;
  io.exit(exitCode);
  if (json) {
    const refusedRows = refused.map(({ outcome: _, reason: __, ...row }) => row);
    const requests = rows.map(toJsonRow);
    writeJson(io, "serve", exitCode, { url, cassettes, answered, unused, misses, refused: refusedRows, requests });
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
  const refusals = refused.reduce((sum, request) => sum + request.count, 0);
  const look = exitCode === EXIT.ok ? "good" : "bad";
  const missed = count(misses.length, "miss", "misses");
  print({ look, text: `${answered} answered, ${missed}, ${refusals} refused, ${unused} unused` });
  if (failures === unused && unused > 0 && !allowUnused) {
    print("   Where only a part of a suite was meant to run, pass --allow-unused.");
  }
}
