// A folder of cassettes for one test: one file for each named part of a run, such as a vertex of a graph or a conversation. Each part gets
// its own provider, so parts that run at the same time never share a recording.

import { join } from "node:path";
import { CASSETTE_SUFFIX, CassetteError, listCassettes } from "../../cassette/index.js";
import { defined, ToolArgError, type CustomTool, type CustomToolContext, type JsonObject } from "../../core/index.js";
import type { LlmProviderAdapter } from "../../core/index.js";
import { slugOf } from "../fixture/slug.js";
import { describeValue } from "../text/describe.js";
import { assertArguments, invalid, type UseCassetteOptions } from "./options.js";
import { checkEnd, type RunEnd } from "./run-end.js";
import type { LiveProvider } from "./live.js";
import { resolveMode } from "./mode.js";
import { createOwnedUseCassette, type CassetteHandle, type HarnessHost } from "./use-cassette.js";
import type { TakenFiles } from "./recording.js";

/** The options of `useCassetteFolder`: those of `useCassette` for every file. The name of a part is the `agentId` of its recording. */
export type CassetteFolderOptions = Omit<UseCassetteOptions, "agentId">;

/** The dispatch of a tool call in a graph: the `ToolRegistry` of `playhead/agent-runner`. */
interface Registry {
  dispatch(
    toolId: string,
    args: JsonObject,
    context: { readonly nodeId: string; readonly signal: AbortSignal },
  ): unknown;
}

/** A host's tools: the `Hook` of `playhead/env`. */
interface HookLike {
  schema?(): readonly { readonly name: string }[];
  dispatch?(name: string, call: HookCall): Promise<unknown> | undefined;
  onStep?(notice: never): unknown;
}

interface HookCall {
  readonly conversationId: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

/** The cassettes of one folder in use by one test, returned by `useCassetteFolder`. */
export interface CassetteFolder {
  /**
   * The provider of the part `name`, in place of the `live` one. Its file is `<slug of name>.cassette.json`, and `<slug>.2.cassette.json`
   * when the same name is used again. Give parts with one name that run at the same time names of their own. Rejects as `useCassette`,
   * and with `invalid-options` for two names with one slug.
   */
  provider(name: string, live: LiveProvider): Promise<LlmProviderAdapter>;
  /** A registry that answers from the tape, or compares live results with it, as `replay` says. `nodeId` is the name of the part. */
  registry<R extends Registry>(registry: R): R;
  /** As `registry`, for a hook. `conversationId` is the name of the part. */
  hook<H extends HookLike>(hook: H): H;
  /** Forgets what was opened as `name`: nothing is written or checked for it. For a part that failed in a run that goes on. */
  drop(name: string): void;
  /**
   * Ends every part, in the order they were opened, and then throws the first error: that of `CassetteHandle.done`, or of a part that could
   * not be opened. A replay also throws `unconsumed` for a cassette of the folder that no part opened.
   */
  done(ended?: RunEnd): Promise<void>;
}

/** `useCassetteFolder`, bound to a host. Rejects with `HarnessError` for the mode, and `CassetteError` `invalid-options`. */
export type UseCassetteFolder = (folder: string, options?: CassetteFolderOptions) => Promise<CassetteFolder>;

/** One opened file. */
interface Opened {
  readonly name: string;
  readonly file: string;
  readonly opening: Promise<CassetteHandle>;
  isDropped: boolean;
}

/** Binds `useCassetteFolder` to a host. The result records each file once. */
export function createUseCassetteFolder(host: HarnessHost): UseCassetteFolder {
  const taken: TakenFiles = new Map();
  return async (folder, options = {}) => {
    assertArguments(folder, options);
    if ("agentId" in options) {
      throw invalid(
        "useCassetteFolder has no option agentId",
        "The name of each part is the agentId of its recording.",
      );
    }
    resolveMode(host.environment, options.mode);
    return openFolder(host, taken, folder, options);
  };
}

function openFolder(
  host: HarnessHost,
  taken: TakenFiles,
  folder: string,
  options: CassetteFolderOptions,
): CassetteFolder {
  const useCassette = createOwnedUseCassette(host, taken, {});
  const opened: Opened[] = [];
  const names = new Map<string, string>();
  const current = new Map<string, CassetteHandle>();

  function place(name: string): string {
    const slug = slugOf(name);
    const other = names.get(slug) ?? name;
    if (other !== name) {
      const both = `${JSON.stringify(other)} and ${JSON.stringify(name)}`;
      throw invalid(`${both} have the same file ${slug}${CASSETTE_SUFFIX}`, "Rename one of the two parts.");
    }
    names.set(slug, name);
    const count = opened.filter((part) => part.name === name).length + 1;
    return join(folder, `${slug}${count === 1 ? "" : `.${count}`}${CASSETTE_SUFFIX}`);
  }

  return {
    async provider(name, live) {
      if (typeof name !== "string" || name === "") {
        throw invalid(`the name of a part is ${describeValue(name)}`, "Pass the id of a vertex or a conversation.");
      }
      const file = place(name);
      const opening = useCassette(file, live, { ...options, agentId: name });
      // `done` reports it.
      opening.catch(() => undefined);
      opened.push({ name, file, opening, isDropped: false });
      current.delete(name);
      const handle = await opening;
      current.set(name, handle);
      return handle.provider;
    },
    registry: (registry) => registryOver(registry, current),
    hook: (hook) => hookOver(hook, current),
    drop(name) {
      for (const part of opened) part.isDropped ||= part.name === name;
      current.delete(name);
    },
    async done(ended) {
      const end = checkEnd(ended);
      const isReplay = await endAll(opened, end);
      if (!isReplay || end.failed === true || !isReplaying(host, options)) return;
      const [left, more] = await findUnopened(host, folder, opened);
      if (left === undefined) return;
      throw new CassetteError("unconsumed", `no part of the run opened ${left}${more}`, {
        file: left,
        hint: "Run the part again that recorded it, or delete the file.",
        ...defined({ rerecord: options.rerecord }),
      });
    },
  };
}

/** Ends every part and throws the first error. Resolves to true if all parts were replayed. */
async function endAll(opened: readonly Opened[], end: RunEnd): Promise<boolean> {
  const errors: unknown[] = [];
  let isReplay = true;
  for (const { opening, isDropped } of opened) {
    if (isDropped) continue;
    try {
      const handle = await opening;
      isReplay &&= handle.mode === "replay";
      await handle.done(end);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return isReplay;
}

/** The first cassette of the folder that no part opened, and the number of others as text. */
async function findUnopened({ files }: HarnessHost, folder: string, opened: readonly Opened[]) {
  const known = new Set(opened.map(({ file }) => file));
  const all = (await listCassettes(files, folder)) ?? [];
  const left = all.map((name) => join(folder, name)).filter((file) => !known.has(file));
  return [left[0], left.length <= 1 ? "" : `, and ${left.length - 1} more`] as const;
}

/** The part that was opened last under each name. */
type Current = ReadonlyMap<string, CassetteHandle>;

function registryOver<R extends Registry>(registry: R, current: Current): R {
  const dispatch: Registry["dispatch"] = (toolId, args, context) => {
    const call = () => registry.dispatch(toolId, args, context);
    return answer(current.get(context.nodeId), toolId, args, context, call);
  };
  return { dispatch } as R;
}

function hookOver<H extends HookLike>(hook: H, current: Current): H {
  const whole: HookLike = {
    schema: () => hook.schema?.() ?? [],
    dispatch(name, call) {
      const handle = current.get(call.conversationId);
      const isOffered = handle?.mode === "replay" && hook.schema?.().some((tool) => tool.name === name) === true;
      if (!isOffered) return hook.dispatch?.(name, call);
      return answer(handle, name, call.args, call, () => claimed(name, hook.dispatch?.(name, call)));
    },
    onStep: (notice) => hook.onStep?.(notice),
  };
  return whole as H;
}

/** The result of a call of a replayed part; `live` is called as the part's `replay` says. */
function answer(
  handle: CassetteHandle | undefined,
  name: string,
  args: JsonObject,
  { signal }: { readonly signal: AbortSignal },
  live: () => unknown,
): Promise<unknown> {
  const tool: CustomTool = { name, description: "", schema: {}, invoke: live };
  const [replaced = tool] = handle?.tools([tool]) ?? [];
  // A stand-in reads the signal of its context and nothing else.
  return Promise.resolve().then(() => replaced.invoke(args, { signal } as CustomToolContext));
}

function claimed(name: string, result: Promise<unknown> | undefined): Promise<unknown> {
  if (result !== undefined) return result;
  throw new ToolArgError(`the hook offers ${name} but does not serve it`, { tool: name });
}

/** Mode `auto` replays a folder as soon as none of its parts is recorded. */
function isReplaying({ environment }: HarnessHost, { mode }: CassetteFolderOptions): boolean {
  return ["replay", "auto"].includes(resolveMode(environment, mode));
}
