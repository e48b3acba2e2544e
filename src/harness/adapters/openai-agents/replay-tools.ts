// Function tools of the OpenAI Agents SDK that give recorded results.

import type { TapeResult } from "../../../cassette/index.js";
import { showValue } from "../../../core/index.js";
import { asText, toLoose, type Loose } from "../loose.js";
import { assertList, notReplayable, takeRecorded, tapeOf, type TapeHandle } from "../recorded-call.js";
import { extrasOf } from "./extras.js";

/** Tools that the vendor runs, so that their results are a part of its answers. */
const REMOTE = "hosted_tool";

/**
 * The tools for an agent. If the handle replays tools (`replay: "both"` or `"tools"`), each function tool gives its recorded result and
 * is never called. Otherwise these are the same tools. A call that was not recorded ends the run with `TapeMissError`. Throws
 * `AgentError` `invalid-options` for a tool of another kind that acts on this machine, such as a shell.
 */
export function replayTools<T extends object>(handle: TapeHandle, tools: readonly T[]): T[] {
  const tape = tapeOf(handle);
  assertList(tools, "Pass the list of tools that an Agent takes.");
  if (tape === undefined) return [...tools];
  return tools.map((tool) => {
    const { type, name, invoke, outputSchema } = toLoose(tool);
    if (type === REMOTE) return tool;
    if (type !== "function" || typeof invoke !== "function") {
      throw notReplayable(`a tool of type ${showValue(type)}`, "Only function tools and hosted tools can be replayed.");
    }
    const replayed = async (_context: unknown, input: unknown, details: unknown): Promise<unknown> => {
      const id = toLoose(toLoose(details)["toolCall"])["callId"];
      const result = takeRecorded(tape, { name: asText(name), args: read(input), id });
      return outputSchema === undefined ? outputOf(result) : read(result.content);
    };
    return { ...tool, invoke: replayed };
  });
}

/** The value of a JSON text, or the text. */
function read(input: unknown): unknown {
  try {
    return JSON.parse(asText(input)) as unknown;
  } catch {
    return input;
  }
}

function outputOf({ content = "", message }: TapeResult): unknown {
  const { value } = toLoose(message === undefined ? undefined : extrasOf(message)["output"]);
  return Array.isArray(value) ? value.map((part) => writePart(toLoose(part))) : content;
}

/** A part of a result as a tool returns it. The runner makes the recorded part of it again. */
function writePart({ type, text, image, file, filename, detail, providerData }: Loose): Loose {
  const shared = { ...(providerData === undefined ? {} : { providerData }) };
  if (type === "input_text") return { type: "text", text, ...shared };
  if (type === "input_image") return { type: "image", image, ...(detail === undefined ? {} : { detail }), ...shared };
  const [, mediaType, data] = /^data:([^;,]+);base64,([^]*)$/.exec(asText(file)) ?? [];
  if (filename === undefined) return { type: "file", file, ...shared };
  if (data === undefined) return { type: "file", file: { ...toLoose(file), filename }, ...shared };
  return { type: "file", file: { data, mediaType, filename }, ...shared };
}
