// The checked model's answers, as a separate cassette. The recorder writes them in the order of the recording, so redaction applies.
// `extensions.stepCheck` lists the turns they answer.

import {
  extensionsOf,
  recordingProvider,
  type Cassette,
  type CassetteV2,
  type RedactOption,
} from "../../cassette/index.js";
import { defined, fromHex, isPlainObject, type LlmTurnResponse, type Ports } from "../../core/index.js";
import { HarnessError } from "../errors.js";
import type { Step } from "./prompts.js";

const FORMAT_VERSION = 1;

type Answers = ReadonlyMap<number, LlmTurnResponse>;

interface AnswersHead {
  source: CassetteV2;
  provider: string;
  /** Answers of an earlier run that this one continues. */
  before: Cassette | undefined;
  redact: RedactOption | undefined;
  ports: Pick<Ports, "now" | "randomBytes">;
}

/** Returns a function that builds the cassette of the answers so far, each time with the same identity. */
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
 * The answers of a cassette, by turn. Throws `HarnessError` `answers-unfit` for another kind of cassette, or one that belongs to another
 * recording or model.
 */
export function readAnswers(answers: Cassette, source: CassetteV2, provider: string): Map<number, LlmTurnResponse> {
  const note = extensionsOf(answers)["stepCheck"];
  if (!isPlainObject(note) || note["formatVersion"] !== FORMAT_VERSION) {
    throw unfit("the file does not hold answers of a step check", "Record into another file.");
  }
  const from = note["source"];
  if (!isPlainObject(from) || from["envelopeHash"] !== source.envelopeHash) {
    throw unfit(
      "they belong to another recording",
      "If the recording was made again, record the answers into a new file.",
    );
  }
  if (provider !== answers.recordedProvider) {
    throw unfit(`they come from ${answers.recordedProvider}, not from ${provider}`, "Use one file for each model.");
  }
  const turns: readonly unknown[] = Array.isArray(note["turns"]) ? note["turns"] : [];
  const isTurn = (turn: unknown): boolean => typeof turn === "number" && source.entries[turn] !== undefined;
  if (turns.length !== answers.entries.length || !turns.every(isTurn)) {
    throw unfit("their list of turns does not match the recording", "Record them again.");
  }
  return new Map(answers.entries.map(({ response }, index) => [turns[index] as number, response]));
}

function listed({ extensions }: CassetteV2): string[] {
  const names: readonly unknown[] = Array.isArray(extensions?.redacted) ? extensions.redacted : [];
  return names.filter((name) => typeof name === "string");
}

function unfit(why: string, hint: string): HarnessError {
  return new HarnessError("answers-unfit", `the recorded answers cannot be used: ${why}`, hint);
}
