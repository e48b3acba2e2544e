// Provider and tools whose calls are steps of a durable-execution engine. The loop between them is deterministic, so an engine that
// runs its function again replays the stored steps and goes on behind them.

import { hashJson } from "../canon/digest.js";
import { storeFailed } from "../canon/stored-value.js";
import type { JsonObject } from "../canon/value.js";
import { defined } from "../defined.js";
import { AgentError, ToolArgError, ToolPolicyError, type AgentErrorOptions } from "../errors.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import { isObject } from "../options.js";
import { showValue } from "../text/show.js";
import { isThrown, thrownText } from "../text/thrown.js";
import { toResultText } from "../tools/result.js";
import type { CustomTool, CustomToolContext } from "../tools/tool.js";
import { ExecuteContext, toCustomTools, type AgentTools } from "./tools.js";

/**
 * A step of an engine: runs `work` and stores its result, plain JSON, under `name`. If the surrounding function runs again, it returns
 * the stored result without running `work`. An engine may run `work` again if it was cut off, or retry it if it rejects.
 */
export type DurableStep = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** What `journaled` makes, for one execution of the surrounding function. */
export interface Journaled {
  /**
   * Each turn is a step `turn:<n>`. Does not stream, and does not destroy `provider`. An `AgentError` that is not retryable is stored.
   * Any other error rejects the step, so the engine retries it as configured. Rejects with `AgentError` `store-failed` if a turn is
   * requested with other messages, tools or settings than when it was stored, or if a step returns something else than was stored.
   */
  provider(provider: LlmProviderAdapter): LlmProviderAdapter;
  /**
   * Each call is a step `tool:<name>:<n>`: the text that the model reads, or the message of the error. Unless a tool is `pure`, a step
   * `tool:<name>:<n>:begin` comes first. It shows that a call was cut off: an `idempotent` one is repeated with the same key, and a
   * `manual-recovery` one ends the run with `ToolPolicyError`.
   */
  tools(tools: AgentTools): readonly CustomTool[];
}

/**
 * Makes each turn of a provider and each call of a tool a step of an engine. `id` is the engine's id of the execution, the same each
 * time it runs. Idempotency keys begin with it.
 */
export function journaled(step: DurableStep, id: string): Journaled {
  if (typeof step !== "function" || typeof id !== "string" || id === "")
    throw new TypeError("journaled needs a step function and the id of the execution. Pass journaled(step, id).");
  const counts = new Map<string, number>();
  const nextName = (kind: string): string => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}:${count}`;
  };
  const callTool = async (tool: CustomTool, args: JsonObject, context: CustomToolContext) => {
    const name = nextName(`tool:${tool.name}`);
    let isRepeated = context.retryPolicy !== "pure";
    // Only the execution that stores this step has not begun the call before.
    if (isRepeated) await step(`${name}:begin`, async () => (isRepeated = false));
    const stored = await step(name, async (): Promise<StoredCall> => {
      if (isRepeated && context.retryPolicy === "manual-recovery") return { denied: cutOff(name, id) };
      const own = new ExecuteContext(context, { idempotencyKey: `${id}:${name}`, attempt: isRepeated ? 2 : 1 });
      isRepeated = true;
      return runTool(() => tool.invoke(args, own), context.signal);
    });
    // Any other error would be a result that the model reads.
    if (!isStoredCall(stored)) throw new ToolPolicyError(damaged(name, id, stored).message);
    return readCall(stored, tool.name);
  };
  return {
    provider: (provider) =>
      journalTurns(provider, async (work) => {
        const name = nextName("turn");
        const stored = await step(name, work);
        if (!isStoredTurn(stored)) throw damaged(name, id, stored);
        return stored;
      }),
    tools: (tools) =>
      toCustomTools(tools, "tools").map((tool) => ({
        ...tool,
        invoke: (args, context) => callTool(tool, args, context),
      })),
  };
}

type StoredTurn = { readonly prompt: string } & (
  | { readonly response: LlmTurnResponse }
  | { readonly error: Pick<AgentError, "code" | "message"> & Pick<AgentErrorOptions, "hint" | "kind"> }
);

/** The loop checks the response itself, as it does for any provider. */
function isStoredTurn(stored: unknown): boolean {
  if (!isObject(stored) || typeof stored["prompt"] !== "string") return false;
  const error = stored["error"];
  return (
    error === undefined ||
    (isObject(error) && typeof error["code"] === "string" && typeof error["message"] === "string")
  );
}

function journalTurns(
  provider: LlmProviderAdapter,
  step: (work: () => Promise<StoredTurn>) => Promise<StoredTurn>,
): LlmProviderAdapter {
  let seen = 0;
  return {
    ...defined({ name: provider.name }),
    async turn(request) {
      const { messages, tools = [], settings = {} } = request;
      // Of a prompt that grows, the stored turns cover the beginning.
      const added = messages.length >= seen ? messages.slice(seen) : messages;
      const prompt = hashJson([seen, added, tools, settings]);
      seen = messages.length;
      const stored = await step(() => takeTurn(provider, request, prompt));
      if (stored.prompt !== prompt) throw changed(messages.length);
      if (!("error" in stored)) return stored.response;
      const { code, message, ...options } = stored.error;
      throw new AgentError(code, message, options);
    },
  };
}

async function takeTurn(provider: LlmProviderAdapter, request: LlmTurnRequest, prompt: string): Promise<StoredTurn> {
  try {
    return { prompt, response: await provider.turn(request) };
  } catch (error) {
    if (request.signal?.aborted === true || !isThrown(error, AgentError) || error.retryable) throw error;
    const { code, message, hint, kind } = error;
    return { prompt, error: { code, message, ...defined({ hint, kind }) } };
  }
}

function changed(length: number): AgentError {
  return new AgentError("store-failed", `a prompt of ${length} messages differs from the one whose answer is stored`, {
    hint:
      "Finish an execution with the code that began it. " +
      "Let no clock, random value or time limit outside the steps change what the agent sends.",
  });
}

/** The outcome of a call: the text for the model, or the message of an error. */
type StoredCall =
  | { readonly text: string }
  | { readonly failed: string }
  | { readonly refused: string; readonly field?: string }
  | { readonly denied: string };

async function runTool(invoke: () => unknown, signal: AbortSignal): Promise<StoredCall> {
  try {
    return { text: toResultText(await invoke()).text };
  } catch (error) {
    if (signal.aborted) throw error;
    const message = thrownText(error);
    if (isThrown(error, ToolPolicyError)) return { denied: message };
    return isThrown(error, ToolArgError)
      ? { refused: message, ...defined({ field: error.field }) }
      : { failed: message };
  }
}

function isStoredCall(stored: unknown): boolean {
  return isObject(stored) && ["text", "failed", "refused", "denied"].some((kind) => typeof stored[kind] === "string");
}

function readCall(stored: StoredCall, tool: string): string {
  if ("text" in stored) return stored.text;
  if ("denied" in stored) throw new ToolPolicyError(stored.denied);
  if ("failed" in stored) throw new Error(stored.failed);
  const { refused, field } = stored;
  throw new ToolArgError(refused, { tool, ...defined({ field }) });
}

function damaged(name: string, id: string, stored: unknown): AgentError {
  return storeFailed(
    `step ${name} of execution ${id} returned ${showValue(stored)}, which is not what was stored`,
    "Return the result of the work, or the stored copy of it, from the step function. Give each execution its own id.",
  );
}

function cutOff(name: string, id: string): string {
  return `${name} of execution ${id} was cut off and may have had its effect. Find out, and begin a new execution`;
}
