// Tools of the AI SDK that give recorded results. The loop and the schemas stay the SDK's own.

import type { CassetteTools, TapeResult } from "../../../cassette/index.js";
import { canonicalize, isPlainObject, showValue, type JsonObject, type ToolMessage } from "../../../core/index.js";
import { toJson, toLoose, type Loose } from "../loose.js";
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
  const argumentsOf = createArguments(name, tool["inputSchema"], tape);
  const written = new WeakMap<object, ToolMessage>();
  return {
    ...tool,
    execute: async (input: unknown, options: unknown) => {
      const id = toLoose(options)["toolCallId"];
      const result = takeRecorded(tape, { name, args: await argumentsOf(input, id), id });
      if (result.isError) throw recordedError(result);
      return typeof tool["toModelOutput"] === "function" ? modelOutput(result, written) : outputOf(result);
    },
    ...(typeof tool["toModelOutput"] === "function"
      ? { toModelOutput: (given: unknown) => rewritten(given, written) }
      : {}),
  };
}

function outputOf({ content = "", message }: TapeResult): unknown {
  return message !== undefined && extrasOf(message)["output"] !== undefined ? JSON.parse(content) : content;
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

/** AI SDK 5 passes the output alone, with files in a form of its own. */
function rewritten(given: unknown, written: WeakMap<object, ToolMessage>): unknown {
  const { output = given } = toLoose(given);
  const message = output === given ? written.get(toLoose(given)) : undefined;
  return message === undefined ? output : writeOutput(message, extrasOf(message)["output"], "v2");
}

/** Finds the arguments that the model wrote, from the ones that the schema made of them, by defaults and conversions. */
function createArguments(name: string, schema: unknown, tape: CassetteTools) {
  let parsing: Promise<{ result: TapeResult; key: string }[]> | undefined;
  const parseAll = () =>
    Promise.all(
      tape.results
        .filter((result) => result.name === name)
        .map(async (result) => ({ result, key: keyOf(await parse(schema, result.arguments)) })),
    );
  return async (input: unknown, id: unknown): Promise<unknown> => {
    const key = keyOf(input);
    const same = (await (parsing ??= parseAll())).filter((parsed) => parsed.key === key).map(({ result }) => result);
    const left = same.filter((result) => tape.unused().includes(result));
    const found = left.find((result) => result.callId === id) ?? left[0] ?? same[0];
    return found === undefined ? toJson(input) : found.arguments;
  };
}

function keyOf(value: unknown): string {
  return canonicalize(toJson(value) ?? null);
}

type Validate = (value: unknown) => unknown;

/** The arguments after the tool's schema, or unchanged if it refuses them. A schema of the SDK may be a function that makes it. */
async function parse(given: unknown, args: JsonObject): Promise<unknown> {
  const isMade = typeof given === "function" && !("~standard" in given);
  const schema = toLoose(isMade ? (given as () => unknown)() : given);
  const standard: unknown = typeof given === "function" ? Reflect.get(given, "~standard") : schema["~standard"];
  const validate = toLoose(standard ?? schema)["validate"] as Validate | undefined;
  if (typeof validate !== "function") return args;
  const checked = toLoose(await validate(args));
  return "value" in checked ? checked["value"] : args;
}
