// Tools of LangChain that give recorded results. They keep the class and the schema of the real ones.

import { toLoose } from "../loose.js";
import { assertList, takeRecorded, tapeOf, type TapeHandle } from "../recorded-call.js";

/** Every way to run a tool. The others lead to `invoke`. */
const LIVE: ReadonlySet<string | symbol> = new Set(["invoke", "call", "_call", "func"]);

/** The fields of a `ToolMessage`. */
export interface RecordedToolMessage {
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string;
  readonly status: "success" | "error";
}

/** The tools for an agent; the same ones unless `handle` replays tools. `toMessage` makes a `ToolMessage`. */
export function replayLangChainTools<T extends object>(
  handle: TapeHandle,
  tools: readonly T[],
  toMessage: (fields: RecordedToolMessage) => unknown,
): T[] {
  const tape = tapeOf(handle);
  assertList(tools, "Pass the list of tools that createAgent takes.");
  if (tape === undefined) return [...tools];
  return tools.map((tool: T) => {
    const { name, invoke } = toLoose(tool);
    // A tool that the vendor runs.
    if (typeof name !== "string" || typeof invoke !== "function") return tool;
    const replayed = async (input: unknown): Promise<unknown> => {
      const { type, id, args } = toLoose(input);
      const isCall = type === "tool_call";
      const { content = "", isError } = takeRecorded(tape, { name, args: isCall ? args : toArguments(input), id });
      if (!isCall && isError) throw new Error(content);
      if (!isCall) return content;
      return toMessage({ tool_call_id: String(id), name, content, status: isError ? "error" : "success" });
    };
    return new Proxy(tool, {
      // The tool itself reads its fields, some of which may be private.
      get: (target, field) => (LIVE.has(field) ? replayed : (Reflect.get(target, field, target) as unknown)),
    });
  });
}

/** A tool of one text gets that text as its input. */
function toArguments(input: unknown): unknown {
  return typeof input === "string" ? { input } : input;
}
