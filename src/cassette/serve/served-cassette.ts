// One cassette as a server replays it: a request over a wire is put to a replaying provider in the words of the recording.

import { throughWire, wireOf, type LlmMessage, type LlmTurnResponse } from "../../core/index.js";
import { countAlike } from "./alike.js";
import { digestAlike } from "../prompt/digest-alike.js";
import { createFolderMover } from "./folders.js";
import { asFiltered, asKnown, type Asked, type Nearness } from "./asked.js";
import { fits, recordedWords, type ContextRules, type Recorded } from "./recorded-words.js";
import { createExchangePlayer, type ExchangePlayer } from "../exchange/player.js";
import { contextAt } from "../offer/context.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import { rebuildPrompts } from "../prompt/rebuild.js";
import { resolveFilter } from "../prompt/noted-filters.js";
import type { HashFilterOption } from "../prompt/hash-filters.js";
import type { HashFilter } from "../prompt/prompt-delta.js";
import { likenessOf } from "../prompt/json-difference.js";
import { neutralNumbers } from "../redact/placeholder.js";
import { createReplayRedaction, type ReplayRedaction } from "../redact/redactor.js";
import { cassetteProvider, type ReplayOptions } from "../replay/replay.js";
import { readStreams } from "../stream/read.js";
import type { StreamPlan } from "../stream/texts.js";
import {
  comparableContexts,
  createWireFieldCheck,
  type UncomparedFields,
  type WireFieldCheck,
} from "../offer/wire-fields.js";

export interface Served {
  readonly file: string;
  readonly names: ReadonlySet<string>;
  readonly cassette: Cassette;
  readonly exchanges: ExchangePlayer;
  readonly remaining: number;
  /** The hashes of its prompts, each once. */
  readonly promptHashes: Iterable<string>;
  /** The same text for cassettes whose `read` gives the same. */
  readonly reading: string;
  /** The request with its filters, and without fields that cannot be compared with it. */
  readonly read: (asked: Asked) => Asked;
  /** The unused turn with exactly this prompt, preferably with the same tools and settings. Needs the request from `read`. */
  findExact(asked: Asked): Nearness | undefined;
  /** Like `findExact`, except for what the wire loses. Slower. */
  findAlike(asked: Asked): Nearness | undefined;
  /** The nearest turn, used or not; undefined for a cassette without turns. */
  nearest(asked: Asked): Nearness | undefined;
  /** The answer of the turn that was found, with its folders as the request has them. Rejects with the replay's miss. */
  play(asked: Asked, near: Nearness | undefined): Promise<LlmTurnResponse>;
  /** Fields of requests that could not be compared with this recording. */
  readonly uncompared: UncomparedFields;
  /** How the answer of a turn arrived, if that was recorded and fits. */
  planOf(turnIndex: number): StreamPlan | undefined;
}

export interface ServeOptions extends Pick<ReplayOptions, "redact" | "allowRedacted" | "hashFilter"> {
  /** Called once if fields of requests are not compared, since the recording does not say whether it was made with them. */
  readonly warn?: (text: string) => void;
}

/** Throws `CassetteError` if the cassette is refused or cannot be replayed. */
export function serveCassette(value: unknown, file: string, names: Iterable<string>, given: ServeOptions = {}): Served {
  const { warn: warnAll, ...options } = given;
  const warn = (text: string): void => warnAll?.(`${file}: ${text}`);
  const provider = cassetteProvider(value, { ...options, file, streaming: "whole", ports: { warn: () => undefined } });
  const { cassette } = provider;
  const { recording, filter, filterTools, option } = resolveFilter(cassette, options.hashFilter, file);
  const prompts = rebuildPrompts(recording);
  const { contexts: noted = [], redacted } = extensionsOf(recording);
  const contexts = comparableContexts(noted);
  const fields = createWireFieldCheck(noted, warn);
  const rules = { fields, filterTools };
  const streams = readStreams(cassette);
  const used = new Set<number>();
  const redaction = () => createReplayRedaction(redacted, options.redact, file);
  const { judgeExact, measure } = createJudge({ recording, prompts, contexts, rules, used });
  const unused = createUnused(recording);
  const mover = createFolderMover(cassette, option, warn);
  const read = (request: Asked): Asked => asFiltered(asKnown(request, fields), filter);

  function measureAll(request: Asked, turns: readonly number[]): Nearness[] {
    const asked = asRecorded(read(request), redaction, filter);
    return turns.map((index) => measure(asked, index));
  }

  const all = [...cassette.entries.keys()];

  return {
    file,
    names: new Set(names),
    cassette,
    exchanges: createExchangePlayer(cassette, { ...options, file, wireOf }),
    get remaining() {
      return provider.remaining;
    },
    get promptHashes() {
      return unused.keys();
    },
    reading: readingOf(option, fields),
    read,
    findExact: (asked) => pick(judgeExact(asked, unused.get(asked.promptHash) ?? [])),
    findAlike(request) {
      const left = all.filter((index) => !used.has(index));
      return pick(measureAll(request, left).filter((near) => near.isPrompt));
    },
    nearest(request) {
      const measured = measureAll(request, all);
      return measured.find((near) => near.isPrompt) ?? longest(measured);
    },
    async play(asked, near) {
      const left = provider.remaining;
      const answer = provider.turn(recordedWords(asKnown(asked, fields), near, { prompts, contexts, ...rules }));
      // The replay has used its turn by now, since it is synchronous. It can only be the one that was found.
      if (near !== undefined && provider.remaining < left) {
        used.add(near.turnIndex);
        unused.get(recording.entries[near.turnIndex]?.promptHash ?? "")?.delete(near.turnIndex);
        fields.answered(asked.request.settings, asked.request.messages);
      }
      return near === undefined ? answer : mover.move(await answer, near.turnIndex, asked.request.messages);
    },
    get uncompared() {
      return fields.uncompared();
    },
    planOf: (turnIndex) => (mover.moved.has(turnIndex) ? undefined : streams.planOf(turnIndex)),
  };
}

interface Judged extends Omit<Recorded, keyof ContextRules> {
  readonly recording: Cassette;
  readonly rules: ContextRules;
  readonly used: ReadonlySet<number>;
}

/** Compares a request with single turns. */
function createJudge({ recording, prompts, contexts, rules, used }: Judged) {
  const digestsOn = createDigests(prompts ?? []);
  const isExact = (asked: Asked, turnIndex: number) => recording.entries[turnIndex]?.promptHash === asked.promptHash;

  function measure(asked: Asked, turnIndex: number): Nearness {
    const recorded = digestsOn(asked)[turnIndex] ?? [];
    const digests = asked.digests();
    const length = countAlike(recorded, digests);
    const isAlike = prompts !== undefined && length === recorded.length && length === digests.length;
    const isContinued = recorded.length > 0 && length === recorded.length && length < digests.length;
    return { ...judge(asked, turnIndex, isAlike || isExact(asked, turnIndex), length), isContinued };
  }

  function judge(asked: Asked, turnIndex: number, isPrompt: boolean, length: number): Nearness {
    const isContext = isPrompt && fits(contextAt(contexts, turnIndex), asked, rules);
    const likeness = () => likenessOf(prompts?.[turnIndex]?.[length], asked.request.messages[length]);
    return { turnIndex, isUsed: used.has(turnIndex), isPrompt, isContext, isContinued: false, length, likeness };
  }

  /** Judges turns with exactly this prompt, one at a time. */
  function* judgeExact(asked: Asked, turns: Iterable<number>): Generator<Nearness> {
    for (const turnIndex of turns) yield judge(asked, turnIndex, true, asked.request.messages.length);
  }

  return { judgeExact, measure };
}

/** Unused turns by the hashes of their prompts. A hash stays when all of its turns are used. */
function createUnused({ entries }: Cassette): Map<string, Set<number>> {
  const unused = new Map<string, Set<number>>();
  entries.forEach(({ promptHash }, index) => {
    const turns = unused.get(promptHash);
    if (turns === undefined) unused.set(promptHash, new Set([index]));
    else turns.add(index);
  });
  return unused;
}

/** A function among the filters is one that all cassettes of a shelf share, since no cassette can note it. */
function readingOf(option: HashFilterOption | undefined, { isHeld }: WireFieldCheck): string {
  return JSON.stringify([isHeld, option], (_, value: unknown) => (typeof value === "function" ? "function" : value));
}

/** Digests of every recorded prompt as the wire leaves it; computed once per wire, and only if no hash fits. */
function createDigests(prompts: readonly LlmMessage[][]): (asked: Asked) => readonly (readonly string[])[] {
  const digests = new Map<string, (readonly string[])[]>();
  return ({ wire, request }) => {
    const known = digests.get(wire.name);
    if (known !== undefined) return known;
    const all = prompts.map((messages) =>
      digestAlike(neutral(throughWire({ messages }, wire, request)?.messages ?? messages)),
    );
    digests.set(wire.name, all);
    return all;
  };
}

/** The request as the recording would hold it. Placeholders are numbered per prompt, since clients come in any order. */
function asRecorded(
  asked: Asked,
  redaction: () => ReplayRedaction | undefined,
  filter: HashFilter = (messages) => messages,
): Asked {
  const side = redaction();
  if (side === undefined) return asked;
  const { wire, request } = asked;
  const messages = [...filter([...side.scrubber.messages(request.messages)])];
  const plain = throughWire({ ...request, messages }, wire, request)?.messages ?? messages;
  const digests = digestAlike(neutral(plain));
  return { ...asked, digests: () => digests };
}

/** Placeholders numbered by their first appearance in the prompt. */
function neutral(messages: readonly LlmMessage[]): LlmMessage[] {
  return JSON.parse(neutralNumbers(JSON.stringify(messages))) as LlmMessage[];
}

/** The first turn with the same tools and settings, else the first. */
function pick(found: Iterable<Nearness>): Nearness | undefined {
  let first: Nearness | undefined;
  for (const near of found) {
    if (near.isContext) return near;
    first ??= near;
  }
  return first;
}

function longest(measured: readonly Nearness[]): Nearness | undefined {
  return measured.reduce<Nearness | undefined>((best, near) => (isLonger(near, best) ? near : best), undefined);
}

/** On a tie the next unused turn wins, as in a replay of this cassette alone. */
function isLonger(near: Nearness, best: Nearness | undefined): boolean {
  if (best === undefined || near.length > best.length) return true;
  return near.length === best.length && best.isUsed && !near.isUsed;
}
