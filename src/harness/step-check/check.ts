// The teacher-forced check of one recording. Another model gets each recorded prompt and answers its next turn, so no disagreement
// causes the next one. The kept answers are compared, so a later check of them gives the same result.

import {
  assertTolerances,
  checkCassette,
  type Cassette,
  type CassetteV2,
  type RedactOption,
  type Tolerances,
} from "../../cassette/index.js";
import {
  AgentError,
  assertKnownOptions,
  defined,
  providerName,
  seal,
  showValue,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmToolDefinition,
  type LlmTurnResponse,
  type Ports,
} from "../../core/index.js";
import { DEFAULT_STEP_TIMEOUT_MS } from "../limits.js";
import { answersBuilder, readAnswers } from "./answers.js";
import { askStep } from "./ask.js";
import { compareTurns, type TurnComparison } from "./compare.js";
import { createStepGate, type StepGate, type StepStop } from "./gate.js";
import { createKeeper } from "./keeper.js";
import { readSteps, type Step } from "./prompts.js";

/** A model to check. */
export type StepProvider = LlmProviderAdapter | StepSource;

/** The name of a model, and a function that opens it when the first turn needs it. An error in `open` ends the check. */
export interface StepSource {
  readonly name: string;
  open(): Promise<LlmProviderAdapter>;
}

/** The options of a step check. See docs/step-check.md. */
export interface StepCheckOptions {
  /** Limits, shared by all checks with the same gate. Default: 4 calls at once, and no other limit. */
  readonly gate?: StepGate;
  /** The answers of an earlier check of this recording. Their turns are not asked again. */
  readonly answers?: Cassette;
  /** Called with the answers so far: from time to time and at the end, one call at a time. An error ends the check. */
  readonly keep?: (answers: CassetteV2) => Promise<void> | void;
  /** Tools to offer at every turn instead of the recorded ones. Required if no tools were recorded. */
  readonly tools?: readonly LlmToolDefinition[];
  /** Redaction of the answers before they are kept and compared. Default: secrets, as for `recordingProvider`. */
  readonly redact?: RedactOption;
  /** Differences in arguments to ignore. */
  readonly tolerances?: Tolerances;
  /** Time limit of each call in ms. Default 120,000. */
  readonly timeoutMs?: number;
  readonly ports?: Partial<Ports>;
}

const OPTIONS = ["gate", "answers", "keep", "tools", "redact", "tolerances", "timeoutMs", "ports"];

/** The result for one recorded turn. `not-recorded`: there is no kept answer and no provider. */
export type StepTurn =
  | ({ turn: number; state: "compared"; recorded: LlmTurnResponse; chosen: LlmTurnResponse } & TurnComparison)
  | { turn: number; state: "failed"; reason: string }
  | { turn: number; state: "not-asked"; reason: StepStop | "not-recorded" };

/** The result of checking one recording. */
export interface StepCheck {
  /** The provider that was asked. */
  provider: string;
  recordedProvider: string;
  cassetteId: string;
  /** All recorded turns, in order. */
  turns: StepTurn[];
  /** Sentences on how the questions differ from the recorded ones. */
  notes: string[];
  /** The answers, to keep and pass as `answers` later. Absent if there are none. */
  answers?: CassetteV2;
  /** The number of turns asked in this check. */
  asked: number;
}

/**
 * Asks `provider` for its next turn at each recorded prompt, and compares. Without a provider, it compares only the kept `answers`.
 * Throws `CassetteError` for a refused cassette, and `HarnessError` `not-checkable` or `answers-unfit`. A failed call is a failed turn.
 */
export async function stepCheck(
  cassette: unknown,
  provider: StepProvider | undefined,
  options: StepCheckOptions = {},
): Promise<StepCheck> {
  assertKnownOptions("stepCheck", options, OPTIONS);
  const { gate = createStepGate(), tools, tolerances } = options;
  if (tolerances !== undefined) assertTolerances("stepCheck", tolerances);
  const before = options.answers === undefined ? undefined : checked(options.answers);
  const name = provider === undefined ? (before?.recordedProvider ?? "nobody") : nameOf(provider);
  const { cassette: source, steps, notes } = readSteps(checked(cassette), name, tools);
  const known = before === undefined ? new Map<number, LlmTurnResponse>() : readAnswers(before, source, name);
  const ports = withSystemPorts(options.ports);
  const build = answersBuilder({ source, provider: name, redact: options.redact, ports, before });
  const admitted = steps.slice(0, gate.admit(steps.length));
  const missing = admitted.filter(({ turn }) => !known.has(turn));
  const unanswered =
    provider === undefined
      ? new Map<number, Unanswered>()
      : await askAll(provider, missing, gate, known, () => build(steps, known), options);
  const answers = known.size === 0 ? undefined : await build(steps, known);
  const chosen = answers === undefined ? new Map<number, LlmTurnResponse>() : readAnswers(answers, source, name);
  return {
    provider: name,
    recordedProvider: source.recordedProvider,
    cassetteId: source.cassetteId,
    turns: steps.map((step, index) =>
      index < admitted.length
        ? toStepTurn(step, chosen.get(step.turn), unanswered.get(step.turn), tolerances)
        : { turn: step.turn, state: "not-asked", reason: "max-turns" },
    ),
    notes,
    ...defined({ answers }),
    asked:
      provider === undefined ? 0 : missing.filter(({ turn }) => unanswered.get(turn)?.state !== "not-asked").length,
  };
}

type Unanswered = Exclude<StepTurn, { state: "compared" }>;

/** Asks for the missing turns, adds the answers to `known`, and returns the turns that still have none. */
async function askAll(
  provider: StepProvider,
  missing: readonly Step[],
  gate: StepGate,
  known: Map<number, LlmTurnResponse>,
  build: () => Promise<CassetteV2>,
  options: StepCheckOptions,
): Promise<Map<number, Unanswered>> {
  const unanswered = new Map<number, Unanswered>();
  if (missing.length === 0) return unanswered;
  const adapter = "open" in provider ? await provider.open() : provider;
  const keeper = createKeeper(build, options.keep, () => gate.stop());
  const { timeoutMs = DEFAULT_STEP_TIMEOUT_MS, ports } = options;

  async function ask({ turn, request }: Step): Promise<void> {
    const ticket = await gate.take(request);
    if (typeof ticket === "string") {
      unanswered.set(turn, { turn, state: "not-asked", reason: ticket });
      return;
    }
    const asked = await askStep(adapter, { ...request, timeoutMs }, ports);
    switch (asked.kind) {
      case "answered":
        ticket.settle(asked.response);
        known.set(turn, asked.response);
        keeper.note();
        return;
      case "failed":
        ticket.settle();
        if (asked.lasting) gate.stop();
        unanswered.set(turn, { turn, state: "failed", reason: asked.reason });
    }
  }

  await Promise.all(missing.map((step) => gate.run(() => ask(step))));
  await keeper.end();
  return unanswered;
}

function toStepTurn(
  { turn, recorded }: Step,
  chosen: LlmTurnResponse | undefined,
  why: Unanswered | undefined,
  tolerances: Tolerances | undefined,
): StepTurn {
  if (chosen === undefined) return why ?? { turn, state: "not-asked", reason: "not-recorded" };
  return { turn, state: "compared", recorded, chosen, ...compareTurns(recorded, chosen, tolerances) };
}

/** The checked cassette, without the warning about version 1, which is refused later. */
function checked(cassette: unknown): Cassette {
  return seal(checkCassette(cassette, { ports: { warn: () => undefined } }));
}

function nameOf(provider: StepProvider): string {
  const { turn, open } = (provider ?? {}) as { turn?: unknown; open?: unknown };
  if (typeof turn !== "function" && typeof open !== "function") {
    throw new AgentError("invalid-options", `stepCheck needs a provider, not ${showValue(provider)}`, {
      hint: "Pass a provider, or { name, open }.",
    });
  }
  return "open" in provider ? provider.name : providerName(provider);
}
