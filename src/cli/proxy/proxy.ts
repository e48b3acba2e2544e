// `cassette record --proxy`: forwards requests of an agent to its vendor until it is stopped or its command ends, and records the turns.

import { defined } from "../../core/index.js";
import {
  CassetteError,
  type CassetteExtensions,
  createCassetteStore,
  createSecretFinder,
  SECRET_RULES,
  secretsOf,
  withValues,
  type RecordedStreaming,
  type RecordingHead,
} from "../../cassette/index.js";
import { RECORDING_WORDS, recordingPath, resolveMode, type DoorRow } from "../../harness/index.js";
import type { HttpHandler } from "../../host/index.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import {
  count,
  createNotes,
  createPrinter,
  printWhy,
  sizeText,
  writeJson,
  type PrintLine,
} from "../terminal/output.js";
import { MAX_OPEN_CONVERSATIONS } from "../limits.js";
import { BASE_VARIABLES, clientSettings, settingsText } from "../child/base-url-variables.js";
import { readFilterOptions, type FilterOptions } from "../options/filters.js";
import { listen, untilOver, untilSignal, type Stop } from "../serve/listen.js";
import { parsePass, printRequests, toJsonRow } from "../serve/requests.js";
import type { AgentSession } from "../agent/session.js";
import { lookingFirst, tunnelRule } from "../agent/door.js";
import { resultsInOrder } from "../agent/results.js";
import { proxyHandler, parseTarget, type Send } from "./handler.js";
import { createProxyOutput } from "./output.js";
import { createProxyRecorder, type ProxyRecorder, type ProxyWatcher } from "./recorder.js";
import { createPlaceWarning } from "./place-warning.js";
import { createSaver, type Saved } from "./saver.js";
import type { Twin } from "./twins.js";

export interface RecordingOptions extends FilterOptions {
  target: string;
  out: string;
  refresh: boolean;
  /** False records secrets in clear. */
  redact?: boolean;
  /** What to keep of the timing of streamed answers. Default `boundaries`. */
  streams?: RecordedStreaming;
  /** Records the vendor's errors and cut streams as exchanges. */
  keepErrors?: boolean;
  /** Patterns of requests that are forwarded and not recorded. */
  pass?: readonly string[];
  /** The coding agent whose run is recorded. */
  agent?: AgentSession | undefined;
  /** Where requests go, and what the recordings note of it. Default: to the target as they are. */
  route?: RecordingRoute | undefined;
}

/** Another way of a recording than straight to its target. */
export interface RecordingRoute {
  /** `recorder` counts what is refused. */
  readonly send: (recorder: ProxyRecorder) => Send;
  /** Notes in the cassette of a conversation. */
  readonly extensionsOf: (conversation: number) => CassetteExtensions;
  /** Why the finished run did not go this way. */
  readonly problem: () => CassetteError | undefined;
}

export interface ProxyOptions extends RecordingOptions {
  port: number;
  json: boolean;
  /** Runs with the clients' settings in its environment. The proxy stops when it ends. */
  command?: readonly string[];
}

/** A recording through a proxy. */
export interface Recording {
  readonly target: URL;
  readonly recorder: ProxyRecorder;
  readonly handler: HttpHandler;
  /** Writes the rest. Call it when the server is closed. */
  readonly end: () => Promise<Recorded>;
}

/** Checks the options and the place of the files, before anything is spent. */
export async function openRecording(options: RecordingOptions, io: CommandIo): Promise<Recording> {
  const { refresh } = options;
  resolveMode(io.env, refresh ? "refresh" : "record");
  const target = parseTarget(options.target);
  const isPassed = parsePass(options.pass);
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const { agent } = options;
  const hashFilter = await readFilterOptions(options, files);
  const output = await createProxyOutput(recordingPath(io.env, options.out, io.cwd), {
    files,
    store,
    cwd: io.cwd,
    overwrite: refresh,
    moved: (conversation) => saver.changed(conversation),
  });
  await output.check();

  const note = createNotes(io);
  const watcher: ProxyWatcher = {
    lost: (why) => printWhy(note, "not recorded: ", why),
    without: (what) => note("recorded without: ", what),
    passedOn: ({ method, path }, why) => printWhy(note, `passed on, not recorded: ${method} ${path}: `, why),
    exchanged: ({ method, path }, why) =>
      why === undefined
        ? note("recorded as an exchange: ", `${method} ${path}`)
        : printWhy(note, `recorded as an exchange: ${method} ${path}: `, why),
    opened: (conversation, answered) => agent?.workspace.opened(conversation, answered),
    kept: (conversation) => saver.changed(conversation),
    closed: () => note(CLOSED),
  };
  const values = secretsOf(io.env);
  const isRedacted = options.redact !== false;
  const redact = isRedacted && withValues(undefined, values);
  const recording = { redact, ...defined({ hashFilter, streams: options.streams, keepErrors: options.keepErrors }) };
  const recorder: ProxyRecorder = createProxyRecorder(watcher, { ...recording, isFiltered: agent !== undefined });
  // A replay of a coding agent compares its prompts without folders, and needs the recorded ones for its answers.
  const warnOfPlace = agent === undefined ? createPlaceWarning(io, note) : () => undefined;
  const saver = createSaver({
    cassetteOf: (conversation) => recorder.toCassette(conversation, headOf(options, conversation)),
    write(conversation, cassette) {
      warnOfPlace(conversation, cassette);
      return output.write(conversation, cassette, recorder.nameOf(conversation));
    },
    written: (conversation) => recorder.written(conversation),
    failed: (why) => printWhy(note, "not written: ", why),
  });
  const handler = proxyHandler({
    ...{ target, recorder, isPassed },
    ...defined({ send: options.route?.send(recorder) }),
    claim: (name) => output.claim(name),
    findSecrets: isRedacted ? createSecretFinder({ rules: SECRET_RULES, values }) : () => [],
    note: (why) => note("not answered: ", why),
    sentBack: (why) => note("sent back: ", why),
    forgot: (why) => note(why),
  });
  return {
    ...{ target, recorder },
    handler: agent === undefined ? handler : resultsInOrder(lookingFirst(agent, handler)),
    async end() {
      const changed = await agent?.workspace.end();
      if (changed !== undefined) saver.changed(changed);
      recorder.end();
      const saved = await saver.finish();
      for (const file of output.stale()) note("left from an earlier recording: ", file);
      return { recorder, saved, twins: await output.twins() };
    },
  };
}

function headOf({ agent, route }: RecordingOptions, conversation: number): RecordingHead {
  const workspace = agent?.workspace.extensionOf(conversation);
  return { extensions: { ...route?.extensionsOf(conversation), ...defined({ workspace }) } };
}

const CLOSED = `more than ${MAX_OPEN_CONVERSATIONS} conversations were recorded. The oldest are closed: a turn that continues one begins a new file.`;

/** Records until `stop` or the end of its command, and exits as the command did if it failed. Throws if nothing was recorded. */
export async function recordProxy(options: ProxyOptions, io: CommandIo, stop: Stop = untilSignal()): Promise<void> {
  try {
    const { target, recorder, handler, end } = await openRecording(options, io);
    const server = await listen(handler, {
      port: options.port,
      onRefused: (request, why) => recorder.refuse(request, why),
      tunnel: options.agent && tunnelRule(options.agent, (request) => recorder.tunnel(request)),
    });
    const settings = { ...clientSettings(server.url, target), ...(await options.agent?.configure(server.url)) };
    let ended: number;
    try {
      if (options.command === undefined) {
        const print = options.json ? createNotes(io) : createPrinter(io);
        print(`recording at ${server.url}, in front of `, target.href);
        print(`   ${settingsText(settings)}`);
      }
      ended = await untilOver(options, { io, env: { ...io.env, ...settings }, stop });
    } finally {
      await server.close();
    }
    const recorded = { ...(await end()), ended };
    const problem = options.route?.problem();
    if (problem !== undefined) {
      printRecording(recorded, options.refresh, createNotes(io));
      throw problem;
    }
    finish(recorded, options, io);
  } finally {
    stop.now();
  }
}

/** What a recording wrote. */
export interface Recorded {
  readonly recorder: ProxyRecorder;
  readonly saved: readonly Saved[];
  /** By file, another recording that begins with the same prompt. */
  readonly twins: ReadonlyMap<string, Twin>;
}

interface Outcome extends Recorded {
  /** The exit code of the command. It wins unless it is 0. */
  ended: number;
}

function finish({ ended, ...recorded }: Outcome, options: ProxyOptions, io: CommandIo): void {
  const { recorder, saved } = recorded;
  const { json, command } = options;
  // Stdout belongs to the command.
  const print = json || command !== undefined ? createNotes(io) : createPrinter(io);
  if (saved.length === 0 && ended === 0) {
    printRequests(recorder.rows(), RECORDING_WORDS, createNotes(io));
    throw nothingRecorded(recorder.lost, recorder.rows(), options);
  }
  const exitCode = ended !== 0 ? ended : exitCodeOfRecording(recorded);
  io.exit(exitCode);
  if (json) {
    writeJson(io, "record", exitCode, toJsonRecording(recorded));
    return;
  }
  if (saved.length === 0) print({ look: "bad", text: "no turn was recorded" });
  printRecording(recorded, options.refresh, print);
}

/** 2 if a file was not written, 1 if a request was not recorded. */
export function exitCodeOfRecording({ recorder, saved }: Recorded): ExitCode {
  if (saved.some((one) => "error" in one)) return EXIT.failed;
  const isComplete = recorder.lost.length + passedOnIn(recorder).length + recorder.without.size === 0;
  return isComplete ? EXIT.ok : EXIT.drift;
}

function passedOnIn(recorder: ProxyRecorder): readonly DoorRow[] {
  return recorder.rows().filter(({ outcome }) => outcome === "passed-on");
}

export function toJsonRecording({ recorder, saved, twins }: Recorded): object {
  const cassettes = saved.map((one) => ({ ...one, ...twinOf(one, twins) }));
  const requests = recorder.rows().map(toJsonRow);
  const passedOn = passedOnIn(recorder).map(({ method, path, count, reason }) => ({ method, path, count, reason }));
  return { cassettes, lost: recorder.lost, passedOn, without: Object.fromEntries(recorder.without), requests };
}

export function printRecording({ recorder, saved, twins }: Recorded, isRefresh: boolean, print: PrintLine): void {
  for (const one of saved) {
    if ("error" in one) printWhy(print, { look: "bad", text: `not written, ${sizeText(one)}: ` }, one.error);
    else print("recorded ", one.file, `, ${sizeText(one)}`);
    printTwin(twinOf(one, twins), isRefresh, print);
  }
  printRequests(recorder.rows(), RECORDING_WORDS, print);
  for (const [what, turns] of recorder.without) {
    print({ look: "bad", text: `recorded without, ${count(turns, "turn")}: ` }, what);
  }
  const lost = recorder.lost.length;
  if (lost > 0) print({ look: "bad", text: `${count(lost, "turn")} could not be recorded` });
}

function twinOf(one: Saved, twins: ReadonlyMap<string, Twin>): Twin | undefined {
  return one.file === undefined ? undefined : twins.get(one.file);
}

function printTwin(twin: Twin | undefined, isRefresh: boolean, print: PrintLine): void {
  if (twin === undefined) return;
  const same = { look: "warn", text: "   begins with the same request as " } as const;
  if ("repeats" in twin) {
    print(same, twin.repeats, " of this run: a replay needs both, and answers in the recorded order");
    return;
  }
  // --refresh replaces only a file of the same name. The twin has another name.
  const replace = isRefresh ? "" : ", or record with --refresh to replace recordings";
  print(same, twin.twin, `, an earlier recording: delete one of the two${replace}`);
}

function nothingRecorded(
  lost: readonly string[],
  rows: readonly DoorRow[],
  { out, command }: ProxyOptions,
): CassetteError {
  const also = lost.length === 0 ? "" : `, and ${count(lost.length, "request")} could not be recorded`;
  const hint = lost.length > 0 ? "The lines above say why." : whyNothing(rows, command !== undefined);
  return new CassetteError("nothing-recorded", `no turn was recorded${also}`, { file: out, hint });
}

function whyNothing(rows: readonly DoorRow[], isCommand: boolean): string {
  const requested = rows.filter(({ outcome }) => outcome !== "probe");
  if (requested.length === 0) {
    return isCommand
      ? `The command sent no request to this proxy. Let it read its base URL from ${BASE_VARIABLES}.`
      : "Point the client's base URL at this proxy, and check its answers.";
  }
  if (requested.every(({ outcome }) => outcome === "failed")) {
    return "Every request failed. Check the key, the model and --target. To record the vendor's errors too, add --keep-errors.";
  }
  const names = requested.map(({ method, path }) => `${method} ${path}`).join(", ");
  return `The client requested ${names}. The lines above say why it is not recorded.`;
}
