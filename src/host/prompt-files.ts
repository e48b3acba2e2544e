// The files that prompt templates of vertices may read: regular UTF-8 files below one folder, and nothing behind a link.

import { AgentError, assertKnownOptions, decodeUtf8, defined, invalidOptions, showValue } from "../core/index.js";
import { MAX_PROMPT_FILE_BYTES } from "./limits.js";
import { VerbError } from "./verbs/error.js";
import { openRoot, type Root } from "./verbs/root.js";
import { parseTarget } from "./verbs/target.js";

/** The options of {@link createPromptFiles}. */
export interface PromptFilesOptions {
  /** The folder of the files. */
  readonly root: string;
  /** Largest size of one file in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
}

/** Reads the files of prompts: the `resolverCapabilities` of `createAgentNodeExecutor`. */
export interface PromptFiles {
  /** Rejects with `AgentError` `invalid-options` for a path that leads nowhere or out of the folder, and for a file that is not UTF-8. */
  readFile(path: string, signal: AbortSignal): Promise<string>;
}

/** Opens a folder of prompt files. Throws `AgentError` `invalid-options` for a wrong option, or a root that is not a folder. */
export function createPromptFiles(options: PromptFilesOptions): PromptFiles {
  assertKnownOptions("createPromptFiles", options, ["root", "maxBytes"]);
  const { root: folder, maxBytes = MAX_PROMPT_FILE_BYTES } = options;
  if (typeof folder !== "string" || folder === "")
    throw invalidOptions(`root of createPromptFiles is ${showValue(folder)}`, "Pass the path of a folder.");
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalidOptions(`maxBytes of createPromptFiles is ${showValue(maxBytes)}`, "Pass a whole number of bytes.");
  const root = openRoot(folder);
  return {
    async readFile(path, signal) {
      signal.throwIfAborted();
      try {
        return await readText(root, path, maxBytes);
      } catch (error) {
        if (error instanceof VerbError) throw refused(path, error.message, error);
        throw error;
      }
    },
  };
}

async function readText(root: Root, path: string, maxBytes: number): Promise<string> {
  const target = parseTarget(path, { root });
  if (target.kind !== "file") throw refused(path, "it must be a path below the folder");
  const { bytes, isWhole } = await root.read(target.path, maxBytes);
  if (!isWhole) throw refused(path, `it has more than ${maxBytes} bytes`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw refused(path, "it is not UTF-8");
  return text;
}

function refused(path: string, why: string, cause?: unknown): AgentError {
  return new AgentError("invalid-options", `the prompt file ${showValue(path)} cannot be read: ${why}`, {
    hint: "Name a text file below the root of createPromptFiles.",
    ...defined({ cause }),
  });
}
