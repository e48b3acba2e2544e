// The executor of graph vertices: one vertex to one outcome. If several steps would fail, the order of the steps decides which failure wins.

import { defined } from "../defined.js";
import { AgentError } from "../errors.js";
import type { EventLog } from "../events/log.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import { fallbackProvider, type FallbackOptions } from "../providers/fallback.js";
import { link } from "../runtime/link.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";
import { isThenable, untilAborted } from "../time/wait.js";
import { abortError, assertNotAborted } from "../tools/abort.js";
import type { ToolSet } from "../tools/registry.js";
import { createHeard } from "./attempts.js";
import { readAuthored, type Authored } from "./authored.js";
import { checkDeps, type AgentRunnerDeps, type CheckedDeps } from "./host/deps.js";
import { createNodeProjection, type NodeEventBody } from "./events.js";
import { askHost, createGates } from "./host/gate.js";
import { hostCall, hostFault } from "./host/host-call.js";
import { generateMedia, readModality } from "./media.js";
import { classifyFailure, limitFailure, type NodeErrorCode, type NodeFailure } from "./outcome.js";
import { toFallbackEntries } from "./plan.js";
import { createGrants, toContract, toMessages, toNodeRef, type Contract, type Grant } from "./prepare.js";
import { fillTemplate } from "./prompt/resolve.js";
import { compileTools } from "./tools/registry.js";
import { runAgentTurn, type AgentTurnEnd } from "./turn.js";
import type { NodeExecContext, NodeExecutor, NodeOutcome, NodeRef } from "./vertex.js";

/** Creates an executor, which many runs may share. Throws `AgentError` `invalid-options` for deps that can never work. */
export function createAgentNodeExecutor(deps: AgentRunnerDeps): NodeExecutor {
  const checked = checkDeps(deps);
  const { registry, fsScope, toolTimeoutMs } = checked;
  const grant = createGrants(compileTools(checked.tools, { registry, fsScope, toolTimeoutMs }));
  return { execute: (ctx) => execute(ctx, checked, grant) };
}

async function execute(ctx: NodeExecContext, deps: CheckedDeps, grant: Grant): Promise<NodeOutcome> {
  const ends = new AbortController();
  let isOver = false;
  let unlink = (): void => undefined;
  const tell = (event: NodeEventBody): unknown => ctx.emit(event);
  const emit = (event: NodeEventBody): void => {
    if (isOver || ends.signal.aborted) return;
    const warn = (error: unknown): void =>
      deps.system.warn(`playhead: emit of a vertex threw, but must not: ${quoteForeign(thrownText(error))}`);
    try {
      const told = tell(event);
      if (isThenable(told)) void Promise.resolve(told).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
  try {
    // Each execution has its own signal, so no listener stays on that of the run.
    unlink = link(ctx.signal, ends);
    assertNotAborted(ends.signal);
    const work = runVertex({ ctx, deps, grant, emit, signal: ends.signal });
    const outcome = await untilAborted(work, ends.signal, abortError);
    assertNotAborted(ends.signal);
    return outcome;
  } catch (error) {
    return failed(classifyFailure(error, ends.signal));
  } finally {
    isOver = true;
    unlink();
  }
}

interface Execution {
  readonly ctx: NodeExecContext;
  readonly deps: CheckedDeps;
  readonly grant: Grant;
  readonly emit: (event: NodeEventBody) => void;
  readonly signal: AbortSignal;
}

async function runVertex(execution: Execution): Promise<NodeOutcome> {
  const { ctx, deps, grant, signal } = execution;
  const { vertex, inputs, ctx: values, runOutputs, secretInputNames } = ctx;
  const { id, type } = vertex;
  if (type !== "agent") return failure("internal", `vertex ${id} is of type ${type}, which this executor does not run`);
  const authored = readAuthored(vertex);
  const tools = grant(id, authored);
  const scope = { inputs, ctx: values, runOutputs, ...defined({ secretInputNames }), signal };
  const { prompt_template: template } = authored.node;
  const prompt = await fillTemplate(template, { ...scope, capabilities: deps.resolverCapabilities });
  assertNotAborted(signal);
  const node = toNodeRef(id, authored);
  const surface = await hostCall("resolveMediaSurface", () => deps.resolveMediaSurface?.(node.model));
  if (surface === "generative") return runGenerative(execution, authored, node, prompt);
  const contract = toContract(id, authored, deps.outputCheck);
  return runConversation(execution, { authored, node, tools, prompt, contract });
}

interface Prepared {
  readonly authored: Authored;
  readonly node: NodeRef;
  readonly tools: ToolSet;
  readonly prompt: string;
  readonly contract: Contract;
}

async function runConversation(execution: Execution, prepared: Prepared): Promise<NodeOutcome> {
  const { deps, emit, signal } = execution;
  const { authored, node, tools, prompt, contract } = prepared;
  const { nodeId, model } = node;
  const project = createNodeProjection({ nodeId, model });
  const heard = createHeard((fact) => {
    const event = project(fact);
    if (event !== undefined) emit(event);
  });
  const providerIds = [
    authored.agent.provider,
    ...(authored.agent.fallback_chain ?? []).map(({ provider }) => provider),
  ];
  const { boundary, learn, ...beforeAttempt } = createGates({ nodeId, model, providerIds }, deps);
  const live = (): LlmProviderAdapter => createChain(authored, deps, signal, { hear: heard.hear, ...beforeAttempt });
  const provider = await provideFor(deps, live, node);
  assertNotAborted(signal);
  const { timeoutMs, policies, budget, maxCorrections, system } = deps;
  const end = await runAgentTurn({
    ...{ nodeId, model, tools, provider, heard, project, emit, signal, maxCorrections },
    ...{ messages: toMessages(authored, prompt), limits: budget, ports: system, onAnswer: learn },
    ...defined({ settings: contract.settings, timeoutMs, policies, boundary, log: await openLog(deps, node) }),
  });
  return toOutcome(end, contract);
}

function createChain(
  authored: Authored,
  deps: CheckedDeps,
  signal: AbortSignal,
  { hear, ...gate }: Pick<ReturnType<typeof createHeard>, "hear"> & Pick<FallbackOptions, "beforeAttempt">,
): LlmProviderAdapter {
  const { keyFor, system } = deps;
  const entries = toFallbackEntries(authored, (id) => resolveProvider(deps, id));
  const ask = keyFor && ((id: string) => hostCall("keyFor", () => keyFor(id, signal)));
  return fallbackProvider(entries, {
    ...{ onAttempt: hear, onAttemptStart: hear, ports: system, ...gate },
    ...defined({ sleep: deps.sleep, onAuthError: deps.onAuthError, keyFor: ask }),
  });
}

function resolveProvider(deps: CheckedDeps, id: string): LlmProviderAdapter | undefined {
  let provider: LlmProviderAdapter | undefined;
  try {
    provider = deps.resolveProvider(id);
  } catch (error) {
    throw hostFault("resolveProvider", error);
  }
  if (provider === undefined || typeof provider?.turn === "function") return provider;
  throw new AgentError(
    "capability-missing",
    `resolveProvider of the host returned no provider for ${JSON.stringify(id)}`,
  );
}

/** `live` keeps the error of a chain that cannot be created, so that the host's `provide` does not hide it. */
async function provideFor(
  deps: CheckedDeps,
  live: () => LlmProviderAdapter,
  node: NodeRef,
): Promise<LlmProviderAdapter> {
  const { provide } = deps;
  if (provide === undefined) return live();
  let own: { readonly error: unknown } | undefined;
  const provider: unknown = await hostCall("provide", () =>
    provide(() => {
      try {
        return live();
      } catch (error) {
        own = { error };
        throw error;
      }
    }, node),
  ).catch((error: unknown) => {
    throw own === undefined ? error : own.error;
  });
  if (typeof (provider as Partial<LlmProviderAdapter> | undefined)?.turn === "function")
    return provider as LlmProviderAdapter;
  throw new AgentError("capability-missing", "provide of the host returned no provider");
}

async function openLog(deps: CheckedDeps, node: NodeRef): Promise<EventLog | undefined> {
  return hostCall("log", () => deps.log?.(node));
}

function toOutcome({ stop, stopReason, usage, model, limit = 0 }: AgentTurnEnd, { read }: Contract): NodeOutcome {
  if (stop.kind === "budget") return failed(limitFailure(stop.cap, limit));
  if (stop.kind === "stopped") return failure("turn_limit", stop.reason);
  if (stopReason === "contentFilter") return failure("content_filter", "the vendor's filter cut the answer");
  if (stopReason === "error") return failure("internal", "the vendor ended the answer with an error");
  if (stopReason === "length" && read !== undefined)
    return failure(
      "validation",
      "the answer was cut off at max_tokens, so it is not the JSON that output_schema requires",
    );
  const output = read === undefined ? stop.finalAnswer : read(stop.finalAnswer);
  return { kind: "completed", output, tokensUsed: { input: usage.inputTokens, output: usage.outputTokens, model } };
}

async function runGenerative(
  { ctx, deps, emit, signal }: Execution,
  authored: Authored,
  { nodeId, model, providerId }: NodeRef,
  prompt: string,
): Promise<NodeOutcome> {
  const modality = readModality(ctx.vertex.id, authored.node.modalities);
  const { preEgress, media } = deps;
  const egress = { nodeId, model, turn: 0, estimatedTokens: 0 };
  const reason = await askHost("preEgress", () => preEgress?.(egress));
  assertNotAborted(signal);
  if (reason !== undefined) return failure("turn_limit", reason);
  const provider = resolveProvider(deps, providerId);
  if (provider === undefined)
    throw new AgentError("capability-missing", `the host has no provider for "${providerId}"`);
  const request = { model, prompt, modality, signal };
  const { output, model: answered } = await generateMedia(provider, request, { nodeId, media, emit });
  return { kind: "completed", output, tokensUsed: { input: 0, output: 0, model: answered } };
}

function failed(error: NodeFailure): NodeOutcome {
  return { kind: "failed", error };
}

function failure(code: NodeErrorCode, message: string): NodeOutcome {
  return failed({ code, message: quoteForeign(message), retryable: false });
}
