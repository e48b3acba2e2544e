// The answers of the model that is checked, as a cassette of their own: prompt by prompt, in the order of the recording they
// belong to, through the recorder, so that redaction applies. `extensions.stepCheck` says which turns they answer.

import { recordingProvider, type Cassette, type CassetteV2, type RedactOption } from "../../cassette/index.js";
import { defined, fromHex, isPlainObject, type LlmTurnResponse, type Ports } from "../../core/index.js";
import { HarnessError } from "../errors.js";
import type { Step } from "./prompts.js";

const FORMAT_VERSION = 1;

/** By the turn of the recording. */
export type Answers = ReadonlyMap<number, LlmTurnResponse>;

/** What is known before the first answer. */
export interface AnswersHead {
  source: CassetteV2;
  provider: string;
  /** Answers of an earlier run that this one goes on with. */
  before: Cassette | undefined;
  redact: RedactOption | undefined;
  ports: Pick<Ports, "now" | "randomBytes">;
}

/** Builds the cassette of these answers; every one it builds has the same identity. */
export function answersBuilder({ source, provider, before, redact, ports }: AnswersHead) {
  const recordedAt = before === undefined ? ports.now() : Date.parse(before.recordedAt);
  const id = (before?.version === 2 ? fromHex(before.cassetteId) : undefined) ?? ports.randomBytes(16);
  const redacted = [...new Set([...listed(source), ...(before?.version === 2 ? listed(before) : [])])];

  return async (steps: readonly Step[], answers: Answers): Promise<CassetteV2> => {
    const known = steps.filter(({ turn }) => answers.has(turn));
    const queue = known.map(({ turn }) => answers.get(turn) as LlmTurnResponse);
    const recorder = recordingProvider(
      { name: provider, turn: () => Promise.resolve(queue.shift() as LlmTurnResponse) },
      { ...defined({ redact }), ports: { now: () => recordedAt, randomBytes: () => id } },
    );
    for (const { request } of known) await recorder.turn(request);
    const { cassetteId, envelopeHash } = source;
    const turns = known.map(({ turn }) => turn);
    return recorder.toCassette({
      ...defined({ agentId: source.agentId }),
      extensions: {
        ...(redacted.length === 0 ? {} : { redacted }),
        stepCheck: { formatVersion: FORMAT_VERSION, source: { cassetteId, envelopeHash }, turns },
      },
    });
  };
}

/**
 * The answers that a cassette holds, by turn. Throws `HarnessError` `answers-unfit` for one that is no such cassette, or belongs
 * to another recording or another model.
 */
export function readAnswers(answers: Cassette, source: CassetteV2, provider: string): Map<number, LlmTurnResponse> {
  const note = answers.version === 1 ? undefined : answers.extensions?.["stepCheck"];
  if (!isPlainObject(note) || note["formatVersion"] !== FORMAT_VERSION) {
    throw unfit("they are no answers of a step check", "Name another file to record into.");
  }
  const from = note["source"];
  if (!isPlainObject(from) || from["envelopeHash"] !== source.envelopeHash) {
    throw unfit("they answer another recording", "It was recorded again since: record the answers into a new file.");
  }
  if (provider !== answers.recordedProvider) {
    throw unfit(`they are of ${answers.recordedProvider} and not of ${provider}`, "Keep a file for each model.");
  }
  const turns: readonly unknown[] = Array.isArray(note["turns"]) ? note["turns"] : [];
  if (turns.length !== answers.entries.length || !turns.every((turn) => isTurnOf(source, turn))) {
    throw unfit("their list of turns is not that of the recording", "Record them again.");
  }
  return new Map(answers.entries.map(({ response }, index) => [turns[index] as number, response]));
}

function isTurnOf(source: CassetteV2, turn: unknown): boolean {
  return typeof turn === "number" && source.entries[turn] !== undefined;
}

function listed({ extensions }: CassetteV2): string[] {
  const names: readonly unknown[] = Array.isArray(extensions?.redacted) ? extensions.redacted : [];
  return names.filter((name) => typeof name === "string");
}

function unfit(why: string, hint: string): HarnessError {
  return new HarnessError("answers-unfit", `the recorded answers cannot be used: ${why}`, hint);
}
