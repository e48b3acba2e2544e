// createNodeEnv: an environment on Node. It owns a hook, sends events to any number of readers, and finds instruction files.

import {
  AgentError,
  assertKnownOptions,
  createEventBroadcast,
  type Env,
  type EnvEvent,
  type EventBroadcast,
  type EventMessage,
  type Hook,
  type Lagged,
} from "../../core/index.js";
import { DEFAULT_EVENT_CAPACITY } from "../limits.js";
import { readInstructions } from "./instructions.js";

/** The options of {@link createNodeEnv}. */
export interface NodeEnvOptions {
  /** The tools: one hook, or a composite of several. */
  readonly hook: Hook;
  /** The working folder of conversations without their own, relative to `root`. Default ".". */
  readonly cwd?: string;
  /** No instruction file above it is read. Default: the folder of this process. */
  readonly root?: string;
  /** Names of the files that hold instructions. `[]` reads no files. Default `AGENTS.md`. */
  readonly instructionFiles?: readonly string[];
  /** Number of unread events that are held for one reader. Default 1,024. */
  readonly capacity?: number;
}

/** An environment on Node. Created by {@link createNodeEnv}. */
export interface NodeEnv extends Required<Env> {
  subscribeEvents(): AsyncIterableIterator<EventMessage | Lagged>;
  /** Gives a conversation its own working folder from its next run on. Undefined restores the common one. */
  setCwd(conversationId: string, path: string | undefined): void;
  /** Ends all subscriptions. */
  close(): void;
}

const OPTIONS = ["hook", "cwd", "root", "instructionFiles", "capacity"];

/** Throws `AgentError` `invalid-options` for an unknown or invalid option. Nothing is read before the first run. */
export function createNodeEnv(options: NodeEnvOptions): NodeEnv {
  assertKnownOptions("createNodeEnv", options, OPTIONS);
  const { hook, cwd = ".", root = process.cwd(), instructionFiles = ["AGENTS.md"], capacity } = options;
  if (typeof hook !== "object" || hook === null)
    throw refuse("createNodeEnv has no hook", "Pass { hook: compositeHook(…) }.");
  const wrong = instructionFiles.find(
    (name) => typeof name !== "string" || name === "" || /[\\/\0]/.test(name) || name === "..",
  );
  if (wrong !== undefined)
    throw refuse(`instructionFiles of createNodeEnv has ${JSON.stringify(wrong)}`, "Pass file names without a folder.");
  return new Environment({ hook, cwd, root, instructionFiles, capacity: capacity ?? DEFAULT_EVENT_CAPACITY });
}

/** A class, since an environment that is a plain object may have no further methods. */
class Environment implements NodeEnv {
  readonly #options: Required<NodeEnvOptions>;
  readonly #broadcast: EventBroadcast<EventMessage>;
  readonly #folders = new Map<string, string>();

  constructor(options: Required<NodeEnvOptions>) {
    this.#options = options;
    this.#broadcast = createEventBroadcast({ capacity: options.capacity });
  }

  hook(): Hook {
    return this.#options.hook;
  }

  onAgentEvent(agent: string, conversationId: string, event: EnvEvent): void {
    this.#broadcast.publish(Object.freeze({ agent, conversationId, event }));
  }

  subscribeEvents(): AsyncIterableIterator<EventMessage | Lagged> {
    return this.#broadcast.subscribe();
  }

  discoverInstructions(cwd: string): Promise<string | undefined> {
    return readInstructions(this.#options.root, cwd, this.#options.instructionFiles);
  }

  effectiveCwd(conversationId: string): string {
    return this.#folders.get(conversationId) ?? this.#options.cwd;
  }

  setCwd(conversationId: string, path: string | undefined): void {
    if (path === undefined) this.#folders.delete(conversationId);
    else this.#folders.set(conversationId, path);
  }

  close(): void {
    this.#broadcast.close();
  }
}

function refuse(message: string, hint: string): AgentError {
  return new AgentError("invalid-options", message, { hint });
}
