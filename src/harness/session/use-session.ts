// One bundle for a test of agents that delegate: a cassette for each agent, and when each background job arrived. A replay is exact
// whatever the timing.

import {
  arrivalsOf,
  CassetteError,
  cassetteProvider,
  createBundleStore,
  missingArrival,
  neverAsked,
  recordingProvider,
  readFilters,
  secretsOf,
  toAgentBundle,
  withValues,
  type AgentBundle,
  type Arrival,
  type CassetteProvider,
  type HashFilterOption,
  type PathBeside,
  type RecordedMember,
  type RecordingProvider,
  type RedactOption,
} from "../../cassette/index.js";
import { defined, type LlmProviderAdapter } from "../../core/index.js";
import { isFresh, resolveMode, type CassetteMode } from "../cassette/mode.js";
import type { UseCassetteOptions } from "../cassette/options.js";
import { createNote, onceNamed, toSize } from "../cassette/ledger-writer.js";
import { recordingPath } from "../cassette/paths.js";
import { fileExists } from "../cassette/recording.js";
import type { RunEnd } from "../cassette/run-end.js";
import type { HarnessHost } from "../cassette/use-cassette.js";
import { invalid } from "../cassette/options.js";
import { describeValue } from "../text/describe.js";

/** The options of `useSession`, as those of `useCassette`. */
export type UseSessionOptions = Pick<
  UseCassetteOptions,
  "mode" | "hashFilter" | "redact" | "allowRedacted" | "maxBytes" | "streams" | "rerecord"
>;

/** What an agent needs to be recorded or replayed. Spread it into the options of `new Agent`. */
export interface SessionAgent {
  readonly name: string;
  readonly model: LlmProviderAdapter;
  /** In a replay. */
  readonly arrivals?: readonly Arrival[];
  readonly onNote: (note: Note) => void;
}

type Note =
  { readonly type: "accepted"; readonly agent: string } | { readonly type: "arrival"; readonly arrival: Arrival };

/** A whole bundle is recorded, replayed, or not used. */
type WholeMode = "replay" | "record" | "refresh" | "live";

/** A bundle in use by one test, returned by `useSession`. */
export interface RecordedSession {
  readonly mode: WholeMode;
  /**
   * The options of the agent `name`. A replay does not call `live`, so it needs no key there. Throws `invalid-options` for a name that is
   * in use, and `plan-changed` for an agent that was not recorded.
   */
  agent(name: string, live: LlmProviderAdapter | (() => LlmProviderAdapter)): SessionAgent;
  /**
   * Ends the run: writes the bundle, or rejects with the first miss, `path-changed`, `unconsumed` for turns or arrivals that were not
   * used, or `plan-changed` for an agent that was not opened. Call it once the run is over.
   */
  done(ended?: Pick<RunEnd, "failed">): Promise<void>;
}

/** `useSession`, bound to a host. Rejects as `useCassette`, and with any error of loading a bundle. */
export type UseSession = (file: string, options?: UseSessionOptions) => Promise<RecordedSession>;

const OPTIONS = ["mode", "hashFilter", "redact", "allowRedacted", "maxBytes", "streams", "rerecord"];

/** Binds `useSession` to a host. `pathBeside` gives the path of a file in the folder of another. */
export function createUseSession(host: HarnessHost, pathBeside: PathBeside): UseSession {
  return async (named, options = {}) => {
    assertArguments(named, options);
    const { files, environment } = host;
    const mode = await modeOf(host, named, options.mode);
    const file = isFresh(mode) ? recordingPath(environment, named) : named;
    const { hashFilter: filters, maxBytes } = options;
    const hashFilter = typeof filters === "string" ? await readFilters(files, filters) : filters;
    const redact = withValues(options.redact, secretsOf({ ...environment }));
    const store = createBundleStore(files, pathBeside);
    const use: Use = { ...defined({ hashFilter }), redact, options, file };
    const limit = defined({ maxBytes });
    const own =
      mode === "live"
        ? liveSide()
        : mode === "replay"
          ? replaySide(await store.load(file, limit), use)
          : await recordSide(use, {
              exists: await fileExists(files, file),
              overwrite: mode === "refresh",
              save: (bundle) => store.save(file, bundle, { overwrite: mode === "refresh", ...limit }),
            });
    const note = createNote(files, environment);
    const done = onceNamed(note, file, async ({ failed = false }) => {
      await own.done(failed);
      if (!failed) await note(file, mode, toSize(own.turns(), 0));
    });
    return { mode, agent: own.agent, done: (ended) => done(ended) };
  };
}

interface Use {
  readonly hashFilter?: HashFilterOption;
  readonly redact: RedactOption;
  readonly options: UseSessionOptions;
  readonly file: string;
}

interface Side extends Pick<RecordedSession, "agent"> {
  done(failed: boolean): Promise<void>;
  turns(): number;
}

/** What every mode notes of a run. */
class Notes {
  /** Agents in the order in which their runs were accepted. */
  readonly path: string[] = [];
  readonly arrivals = new Map<string, Arrival[]>();

  open(name: string): (note: Note) => void {
    if (typeof name !== "string" || name === "")
      throw invalid(`the name of an agent is ${describeValue(name)}`, "Pass the name of the agent.");
    if (this.arrivals.has(name))
      throw invalid(
        `the agent ${JSON.stringify(name)} is opened already`,
        "Give each agent of a session its own name.",
      );
    const arrivals: Arrival[] = [];
    this.arrivals.set(name, arrivals);
    return (note) => {
      if (note.type === "arrival") arrivals.push(note.arrival);
      else this.path.push(name);
    };
  }
}

function liveSide(): Side {
  const notes = new Notes();
  return {
    agent: (name, live) => ({ name, onNote: notes.open(name), model: resolve(live) }),
    done: () => Promise.resolve(),
    turns: () => 0,
  };
}

interface Saving {
  readonly exists: boolean;
  readonly overwrite: boolean;
  readonly save: (bundle: AgentBundle) => Promise<void>;
}

/** Refuses an existing file before anything is spent. */
async function recordSide({ redact, hashFilter, options, file }: Use, saving: Saving): Promise<Side> {
  if (saving.exists && !saving.overwrite)
    throw new CassetteError("file-exists", `${file} exists and was not changed`, {
      file,
      hint: "Record with CASSETTE_MODE=refresh to replace it.",
      ...defined({ rerecord: options.rerecord }),
    });
  const notes = new Notes();
  const recorders = new Map<string, RecordingProvider>();
  const { streams } = options;
  return {
    agent(name, live) {
      const onNote = notes.open(name);
      const model = recordingProvider(resolve(live), { redact, ...defined({ hashFilter, streams }) });
      recorders.set(name, model);
      return { name, onNote, model };
    },
    async done(failed) {
      if (failed) return;
      const members = Array.from(recorders, ([name, recorder]): RecordedMember => {
        const arrivals = notes.arrivals.get(name) ?? [];
        const extensions = arrivals.length === 0 ? {} : { extensions: { arrivals } };
        return [name, recorder.toCassette({ agentId: name, ...extensions })];
      });
      const recorded = members.filter(([, { entries }]) => entries.length > 0);
      if (recorded.length === 0)
        throw new CassetteError("nothing-recorded", "no agent recorded a turn, so no bundle was written", {
          file,
          hint: "Spread agent(name, live) into the options of each Agent, and call done() after the run.",
        });
      const run = { path: notes.path, ended: { kind: "exit" } as const };
      await saving.save(toAgentBundle(run, [...recorders.keys()], recorded));
    },
    turns: () => [...recorders.values()].reduce((sum, { turns }) => sum + turns, 0),
  };
}

function replaySide({ bundle, cassettes }: AgentBundle, { redact, hashFilter, options, file }: Use): Side {
  const notes = new Notes();
  const replays = new Map<string, CassetteProvider>();
  const recorded = new Map(Object.entries(cassettes).map(([name, cassette]) => [name, arrivalsOf(cassette, file)]));
  const { allowRedacted, rerecord } = options;
  return {
    agent(name) {
      const cassette = cassettes[name];
      const onNote = notes.open(name);
      if (cassette === undefined) {
        if (bundle.unasked.includes(name)) return { name, onNote, model: neverAsked(name), arrivals: [] };
        throw planChanged(file, `agent ${JSON.stringify(name)} was not recorded`);
      }
      // Turns of concurrent runs are used in any order.
      const ports = { warn: () => undefined };
      const own = { file: bundle.agents[name]?.cassette ?? file, redact, ports };
      const model = cassetteProvider(cassette, { ...own, ...defined({ hashFilter, allowRedacted, rerecord }) });
      replays.set(name, model);
      return { name, onNote, model, arrivals: recorded.get(name) ?? [] };
    },
    async done(failed) {
      for (const replay of replays.values()) replay.assertAnswered();
      if (failed) return;
      const missing = [...Object.keys(bundle.agents), ...bundle.unasked].find((name) => !notes.arrivals.has(name));
      if (missing !== undefined)
        throw planChanged(file, `agent ${JSON.stringify(missing)} was recorded, and not opened`);
      assertPath(bundle.path, notes.path, file);
      for (const replay of replays.values()) replay.assertConsumed();
      for (const [name, arrivals] of recorded) assertArrived(name, arrivals, notes.arrivals.get(name) ?? [], file);
    },
    turns: () => [...replays.values()].reduce((sum, { cassette }) => sum + cassette.entries.length, 0),
  };
}

/** Background runs are accepted in an order that depends on timing, so only their numbers count. */
function assertPath(recorded: readonly string[], now: readonly string[], file: string): void {
  for (const name of new Set([...recorded, ...now])) {
    const count = (path: readonly string[]): number => path.filter((other) => other === name).length;
    const [was, is] = [count(recorded), count(now)];
    if (was === is) continue;
    throw new CassetteError(
      "path-changed",
      `agent ${JSON.stringify(name)} ran ${is} times, and ${was} times when recorded`,
      {
        file,
        hint: "Undo the change, or record again.",
      },
    );
  }
}

function assertArrived(name: string, recorded: readonly Arrival[], now: readonly Arrival[], file: string): void {
  const missing = missingArrival(recorded, now);
  if (missing === undefined) return;
  const what = `the arrival of job ${missing.task} at ${missing.at} was not used by agent ${JSON.stringify(name)}`;
  throw new CassetteError("unconsumed", what, { file, hint: "Undo the change, or record again." });
}

function planChanged(file: string, what: string): CassetteError {
  return new CassetteError("plan-changed", what, {
    file,
    hint: "Open the agents of the recorded run, or record again.",
  });
}

async function modeOf({ files, environment }: HarnessHost, file: string, given?: CassetteMode): Promise<WholeMode> {
  const mode = resolveMode(environment, given);
  switch (mode) {
    case "fork":
      return "replay";
    case "auto":
      return (await fileExists(files, file)) ? "replay" : "record";
    case "from-first-miss":
      throw invalid("useSession has no mode from-first-miss", "Use refresh to record the whole session again.");
    default:
      return mode;
  }
}

function resolve(live: LlmProviderAdapter | (() => LlmProviderAdapter)): LlmProviderAdapter {
  const provider: Partial<LlmProviderAdapter> | undefined = typeof live === "function" ? live() : live;
  if (typeof provider?.turn === "function") return provider as LlmProviderAdapter;
  throw invalid(
    `the model of an agent of useSession is ${describeValue(provider)}`,
    "Pass a provider such as openaiProvider(…), or a function that returns one.",
  );
}

function assertArguments(file: unknown, options: unknown): void {
  if (typeof file !== "string" || file === "")
    throw invalid(
      `the file of useSession is ${describeValue(file)}`,
      "Pass the path of a bundle, such as desk.bundle.json.",
    );
  if (typeof options !== "object" || options === null)
    throw invalid(`the options of useSession are ${describeValue(options)}`, "Pass an object, or leave them out.");
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined)
    throw invalid(`useSession has an unknown option: ${unknown}`, `The options are ${OPTIONS.join(", ")}.`);
}
