// Tools of the AI SDK that give recorded results. The loop and the schemas stay the SDK's own.

import { isDeepStrictEqual } from "node:util";
import type { CassetteTools, TapeResult } from "../../../cassette/index.js";
import { isPlainObject, showValue, type JsonObject, type ToolMessage } from "../../../core/index.js";
import { toLoose, type Loose } from "../loose.js";
import { notReplayable, takeRecorded, tapeOf, type TapeHandle } from "../recorded-call.js";
import { extrasOf } from "./extras.js";
import { writeOutput } from "./prompt/write.js";

/**
 * The tools for a run. If the handle replays tools (`replay: "both"` or `"tools"`), each `execute` returns its recorded result and the
 * real one is never called. Otherwise these are the same tools. A call that was not recorded ends the run with `TapeMissError`.
 * Tools without `execute` stay as they are.
 */
export function replayTools<T extends object>(handle: TapeHandle, tools: T): T {
  const tape = tapeOf(handle);
  if (!isPlainObject(tools)) throw notReplayable(showValue(tools), "Pass the object of tools that generateText takes.");
  if (tape === undefined) return tools;
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const own = toLoose(tool);
      return [name, typeof own["execute"] === "function" ? replayed(name, own, tape) : tool];
    }),
  ) as T;
}

function replayed(name: string, tool: Loose, tape: CassetteTools): Loose {
  const take = createTaking(name, tool["inputSchema"], tape);
  const toOutput = tool["toModelOutput"] as ((given: unknown) => unknown) | undefined;
  const written = new WeakMap<object, ToolMessage>();
  return {
    ...tool,
    execute: async (input: unknown, options: unknown) => {
      const result = await take(input, toLoose(options)["toolCallId"]);
      const kind = kindOf(result);
      if (result.isError && !(toOutput !== undefined && kind === "error-json")) throw recordedError(result);
      return toOutput === undefined ? outputOf(result, kind) : modelOutput(result, written);
    },
    ...(toOutput === undefined ? {} : { toModelOutput: (given: unknown) => rewritten(given, written, toOutput) }),
  };
}

/** The type of the recorded output; undefined for a plain text. */
function kindOf({ message }: TapeResult): string | undefined {
  const output = message === undefined ? undefined : extrasOf(message)["output"];
  return typeof output === "string" ? output : (toLoose(output)["type"] as string | undefined);
}

function outputOf({ content = "" }: TapeResult, kind: string | undefined): unknown {
  if (kind !== "json") return content;
  try {
    const value: unknown = JSON.parse(content);
    // The SDK would take a string for a plain text.
    return typeof value === "string" ? Object(value) : value;
  } catch {
    return content;
  }
}

/** AI SDK 5 shows the model the error as a text, and later versions its message. */
function recordedError({ content = "" }: TapeResult): Error {
  return Object.assign(new Error(content), { toString: () => content });
}

/** The recording has what the model read, and no longer what the tool returned. */
function modelOutput({ message, content = "" }: TapeResult, written: WeakMap<object, ToolMessage>): object {
  if (message === undefined) return { type: "text", value: content };
  const output = writeOutput(message, extrasOf(message)["output"], "v3");
  written.set(output, message);
  return output;
}

/** AI SDK 5 passes the output alone, with files in a form of its own. An output from elsewhere, such as a stored chat, is the tool's own. */
function rewritten(
  given: unknown,
  written: WeakMap<object, ToolMessage>,
  toOutput: (given: unknown) => unknown,
): unknown {
  const isAlone = !("toolCallId" in toLoose(given) && "output" in toLoose(given));
  const output = isAlone ? given : toLoose(given)["output"];
  const message = typeof output === "object" && output !== null ? written.get(output) : undefined;
  if (message === undefined) return toOutput(given);
  return isAlone ? writeOutput(message, extrasOf(message)["output"], "v2") : output;
}

/** A recorded call, with its arguments after the tool's schema. */
interface ParsedCall {
  readonly result: TapeResult;
  readonly input: unknown;
  /** False if the schema refuses the recorded arguments, which the SDK may have had repaired. */
  readonly isAccepted: boolean;
}

/** Takes results by the arguments that the model wrote, although a tool gets what its schema made of them. */
function createTaking(name: string, schema: unknown, tape: CassetteTools) {
  let parsing: Promise<ParsedCall[]> | undefined;
  const parseAll = () =>
    Promise.all(tape.results.filter((result) => result.name === name).map((result) => parseCall(schema, result)));
  return async (input: unknown, id: unknown): Promise<TapeResult> => {
    const calls = await (parsing ??= parseAll());
    // Without a pause from here on, since calls of one turn run at once.
    const unused = new Set(tape.unused());
    const same = calls.filter((call) => isDeepStrictEqual(call.input, input));
    const left = same.filter(({ result }) => unused.has(result));
    const repaired = calls.find(({ result, isAccepted }) => !isAccepted && result.callId === id && unused.has(result));
    const found = left.find(({ result }) => result.callId === id) ?? left[0] ?? repaired ?? same[0];
    if (found === undefined) return takeRecorded(tape, { name, args: plainOf(input), id });
    return takeRecorded(tape, { name, args: found.result.arguments, id: found.result.callId });
  };
}

async function parseCall(schema: unknown, result: TapeResult): Promise<ParsedCall> {
  try {
    const { value, isAccepted } = await parse(schema, result.arguments);
    return { result, input: value, isAccepted };
  } catch {
    return { result, input: result.arguments, isAccepted: false };
  }
}

/** The input as a miss shows it. A schema may make anything of the arguments. */
function plainOf(input: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(input)) as unknown;
  } catch {
    return String(input);
  }
}

type Validate = (value: unknown) => unknown;

/** The arguments after the tool's schema, or unchanged if it refuses them. A schema of the SDK may be a function that makes it. */
async function parse(given: unknown, args: JsonObject): Promise<{ value: unknown; isAccepted: boolean }> {
  const isMade = typeof given === "function" && !("~standard" in given);
  const schema = toLoose(isMade ? (given as () => unknown)() : given);
  const standard: unknown = typeof given === "function" ? Reflect.get(given, "~standard") : schema["~standard"];
  const validate = toLoose(standard ?? schema)["validate"] as Validate | undefined;
  if (typeof validate !== "function") return { value: args, isAccepted: true };
  const checked = toLoose(await validate(args));
  return "value" in checked ? { value: checked["value"], isAccepted: true } : { value: args, isAccepted: false };
}
