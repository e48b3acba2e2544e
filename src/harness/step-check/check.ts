// The teacher-forced check of one recording: at each recorded prompt another model is asked for its next turn, and nothing is
// carried over, so one disagreement never causes the next. What is compared are the answers as they are kept, so that a check
// from kept answers says the same as the one that asked.

import {
  assertTolerances,
  checkCassette,
  type Cassette,
  type CassetteV2,
  type RedactOption,
  type Tolerances,
} from "../../cassette/index.js";
import {
  assertKnownOptions,
  defined,
  providerName,
  seal,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmToolDefinition,
  type LlmTurnResponse,
  type Ports,
} from "../../core/index.js";
import { answersBuilder, readAnswers } from "./answers.js";
import { askStep } from "./ask.js";
import { compareTurns, type TurnComparison } from "./compare.js";
import { createStepGate, type StepGate, type StepStop } from "./gate.js";
import { createKeeper } from "./keeper.js";
import { readSteps, type Step } from "./prompts.js";

/** A model that is to be checked. */
export type StepProvider = LlmProviderAdapter | StepSource;

/** A model by its name, and how to get at it once a turn has to be asked. What `open` throws ends the check. */
export interface StepSource {
  readonly name: string;
  open(): Promise<LlmProviderAdapter>;
}

/** The options of a step check. See docs/step-check.md. */
export interface StepCheckOptions {
  /** Limits, shared by all checks that are given the same gate. Default: 4 calls at once, and no other limit. */
  readonly gate?: StepGate;
  /** The answers of an earlier check of this recording: these turns are not asked again. */
  readonly answers?: Cassette;
  /** Is given the answers so far, from time to time and at the end, one call after the other. What it throws ends the check. */
  readonly keep?: (answers: CassetteV2) => Promise<void> | void;
  /** Offered at every turn in place of the recorded tools; needed where none are recorded. */
  readonly tools?: readonly LlmToolDefinition[];
  /** What is taken out of the answers before they are kept and compared. Default: secrets, as `recordingProvider` does. */
  readonly redact?: RedactOption;
  /** Which differences in arguments are none. */
  readonly tolerances?: Tolerances;
  /** Milliseconds for each call. Default 120,000. */
  readonly timeoutMs?: number;
  readonly ports?: Partial<Ports>;
}

const OPTIONS = ["gate", "answers", "keep", "tools", "redact", "tolerances", "timeoutMs", "ports"];
const DEFAULT_TIMEOUT_MS = 120_000;

/** One recorded turn. `not-recorded`: there is no provider to ask, and no answer was kept. */
export type StepTurn =
  | ({ turn: number; state: "compared"; recorded: LlmTurnResponse; chosen: LlmTurnResponse } & TurnComparison)
  | { turn: number; state: "failed"; reason: string }
  | { turn: number; state: "not-asked"; reason: StepStop | "not-recorded" };

/** What a check of one recording found. */
export interface StepCheck {
  /** Who was asked. */
  provider: string;
  recordedProvider: string;
  cassetteId: string;
  /** Every recorded turn once, in order. */
  turns: StepTurn[];
  /** Sentences on what the model was asked otherwise than the recorded one. */
  notes: string[];
  /** The answers, to be kept and given back as `answers`. Absent while there is none. */
  answers?: CassetteV2;
  /** Turns that were asked now. */
  asked: number;
}

/**
 * Asks `provider` for its next turn at each recorded prompt, and compares. Without a provider the kept `answers` alone are
 * compared. Throws `CassetteError` for a cassette that does not hold, and `HarnessError` `not-checkable` or `answers-unfit`;
 * a call that fails is a turn that failed.
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
  const build = answersBuilder({ source, provider: name, ...partsOf(options), before });
  const admitted = steps.slice(0, gate.admit(steps.length));
  const missing = admitted.filter(({ turn }) => !known.has(turn));
  const unanswered =
    provider === undefined
      ? new Map<number, Unanswered>()
      : await askAll(provider, missing, { gate, known, build: () => build(steps, known), options });
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

interface Asking {
  gate: StepGate;
  /** Answers are added to it as they come. */
  known: Map<number, LlmTurnResponse>;
  build: () => Promise<CassetteV2>;
  options: StepCheckOptions;
}

/** Asks for the missing turns; gives those that have no answer still. */
async function askAll(
  provider: StepProvider,
  missing: readonly Step[],
  { gate, known, build, options }: Asking,
): Promise<Map<number, Unanswered>> {
  const unanswered = new Map<number, Unanswered>();
  if (missing.length === 0) return unanswered;
  const adapter = "open" in provider ? await provider.open() : provider;
  const keeper = createKeeper(build, options.keep, () => gate.stop());
  const { timeoutMs = DEFAULT_TIMEOUT_MS, ports } = options;

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

/** Version 1 is not warned about, since it is refused in words. */
function checked(cassette: unknown): Cassette {
  return seal(checkCassette(cassette, { ports: { warn: () => undefined } }));
}

function partsOf({ redact, ports }: StepCheckOptions) {
  return { redact, ports: withSystemPorts(ports) };
}

function nameOf(provider: StepProvider): string {
  return "open" in provider ? provider.name : providerName(provider);
}
