// One cassette as a server replays it: a request over a wire is put to a replaying provider in the words of the recording.

import {
  defined,
  hashJson,
  throughWire,
  type LlmMessage,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Wire,
  type WireRequest,
} from "../../core/index.js";
import { countAlike, digestAlike, type Likeness } from "./alike.js";
import { createFolderMover } from "./folders.js";
import { createExchangePlayer, type ExchangePlayer } from "../exchange/player.js";
import { contextAt } from "../offer/context.js";
import { extensionsOf, type Cassette, type ContextExtension } from "../file/format.js";
import { rebuildPrompts } from "../prompt/rebuild.js";
import { resolveFilter, type ReplayFilter } from "../prompt/noted-filters.js";
import { hashPrompt, type HashFilter } from "../prompt/prompt-delta.js";
import { likenessOf } from "../prompt/json-difference.js";
import { neutralNumbers } from "../redact/placeholder.js";
import { createReplayRedaction, type ReplayRedaction } from "../redact/redactor.js";
import { cassetteProvider, type ReplayOptions } from "../replay/replay.js";
import { readStreams } from "../stream/read.js";
import type { StreamPlan } from "../stream/texts.js";
import {
  comparableContexts,
  createWireFieldCheck,
  fieldsOfOtherWires,
  type UncomparedFields,
  type WireFieldCheck,
} from "../offer/wire-fields.js";

export interface Asked {
  wire: Wire;
  request: WireRequest;
  promptHash: string;
  /** Digests of its messages as the wire leaves them. */
  digests: readonly string[];
}

export interface Nearness extends Likeness {
  readonly turnIndex: number;
  /** The whole prompt is the same, except for what the wire loses. */
  readonly isPrompt: boolean;
  /** Tools and settings are also the same. */
  readonly isContext: boolean;
}

export interface Served {
  readonly file: string;
  readonly names: ReadonlySet<string>;
  readonly cassette: Cassette;
  readonly exchanges: ExchangePlayer;
  readonly remaining: number;
  /** The unused turn with exactly this prompt, preferably with the same tools and settings. */
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

export function toAsked(wire: Wire, request: WireRequest): Asked {
  const { messages } = throughWire(request, wire, request) ?? request;
  return { wire, request, promptHash: hashPrompt(request.messages), digests: digestAlike(messages) };
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
  const { isExact, judge, measure } = createJudge({ recording, prompts, contexts, rules, used });
  const mover = createFolderMover(cassette, option, warn);

  function measureAll(request: Asked, turns: readonly number[]): Nearness[] {
    const asked = asRecorded(asFiltered(asKnown(request, fields), filter), redaction, filter);
    return turns.map((index) => measure(asked, index));
  }

  const all = [...cassette.entries.keys()];
  const unused = () => all.filter((index) => !used.has(index));

  return {
    file,
    names: new Set(names),
    cassette,
    exchanges: createExchangePlayer(cassette, { ...options, file }),
    get remaining() {
      return provider.remaining;
    },
    findExact(request) {
      const asked = asFiltered(asKnown(request, fields), filter);
      const same = unused().filter((index) => isExact(asked, index));
      return pick(same.map((index) => judge(asked, index, true, asked.request.messages.length)));
    },
    findAlike: (request) => pick(measureAll(request, unused()).filter((near) => near.isPrompt)),
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
        fields.answered(asked.request.settings, asked.request.messages);
      }
      return near === undefined ? answer : mover.move(await answer, near.turnIndex, asked.request.messages);
    },
    get uncompared() {
      return fields.uncompared;
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
    const length = countAlike(recorded, asked.digests);
    const isAlike = prompts !== undefined && length === recorded.length && length === asked.digests.length;
    const isContinued = recorded.length > 0 && length === recorded.length && length < asked.digests.length;
    return { ...judge(asked, turnIndex, isAlike || isExact(asked, turnIndex), length), isContinued };
  }

  function judge(asked: Asked, turnIndex: number, isPrompt: boolean, length: number): Nearness {
    const isContext = isPrompt && fits(contextAt(contexts, turnIndex), asked, rules);
    const likeness = () => likenessOf(prompts?.[turnIndex]?.[length], asked.request.messages[length]);
    return { turnIndex, isUsed: used.has(turnIndex), isPrompt, isContext, isContinued: false, length, likeness };
  }

  return { isExact, judge, measure };
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

/** The request without fields of messages that cannot be compared with the recording. */
function asKnown(asked: Asked, fields: WireFieldCheck): Asked {
  const { wire, request } = asked;
  const messages = fields.knownMessages(request.messages);
  return messages === request.messages ? asked : toAsked(wire, { ...request, messages });
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
  return { ...asked, digests: digestAlike(neutral(plain)) };
}

/** The request with the hash and the digests of its filtered prompt. Its messages stay, since the replay filters them itself. */
function asFiltered(asked: Asked, filter: HashFilter | undefined): Asked {
  if (filter === undefined) return asked;
  const { wire, request } = asked;
  const { promptHash, digests } = toAsked(wire, { ...request, messages: [...filter([...request.messages])] });
  return { ...asked, promptHash, digests };
}

/** Placeholders numbered by their first appearance in the prompt. */
function neutral(messages: readonly LlmMessage[]): LlmMessage[] {
  return JSON.parse(neutralNumbers(JSON.stringify(messages))) as LlmMessage[];
}

function pick(found: readonly Nearness[]): Nearness | undefined {
  return found.find((near) => near.isContext) ?? found[0];
}

function longest(measured: readonly Nearness[]): Nearness | undefined {
  return measured.reduce<Nearness | undefined>((best, near) => (isLonger(near, best) ? near : best), undefined);
}

/** On a tie the next unused turn wins, as in a replay of this cassette alone. */
function isLonger(near: Nearness, best: Nearness | undefined): boolean {
  if (best === undefined || near.length > best.length) return true;
  return near.length === best.length && best.isUsed && !near.isUsed;
}

/** How tools and settings are compared. */
interface ContextRules {
  readonly fields: WireFieldCheck;
  readonly filterTools: ReplayFilter["filterTools"];
}

/** True if tools and settings are the recorded ones, as far as the wire carries them, or if none were recorded. */
function fits(recorded: ContextExtension | undefined, asked: Asked, rules: ContextRules): boolean {
  const [tools, settings] = contextOf(recorded, asked, rules);
  return recorded === undefined || (tools !== undefined && settings !== undefined);
}

/** The recorded tools and settings, each only if the wire makes no difference between them and the request's. */
function contextOf(
  recorded: ContextExtension | undefined,
  { wire, request: { settings: given, ...asked } }: Asked,
  { fields, filterTools }: ContextRules,
): [LlmTurnRequest["tools"], LlmTurnRequest["settings"]] {
  const request = { ...asked, settings: fields.known(given) };
  const { model, ...rest } = request.settings;
  const own = { tools: filterTools(request.tools ?? []), settings: rest };
  if (recorded === undefined) return [undefined, undefined];
  const tools = recorded.tools as LlmTurnRequest["tools"] | undefined;
  const settings = recorded.settings as LlmTurnRequest["settings"] | undefined;
  const isTools = recorded.toolsHash === hashJson(own.tools);
  const isSettings = recorded.settingsHash === hashJson(own.settings);
  if (tools === undefined || settings === undefined) {
    return [isTools ? own.tools : undefined, isSettings ? own.settings : undefined];
  }
  const theirs = throughWire({ messages: [], tools, settings }, wire, request);
  const ours = throughWire({ ...request, tools: own.tools, messages: [] }, wire, request);
  return [
    isTools || hashJson(theirs?.tools ?? []) === hashJson(ours?.tools ?? []) ? tools : undefined,
    isSettings || hashJson(theirs?.settings ?? null) === hashJson(ours?.settings ?? {}) ? settings : undefined,
  ];
}

interface Recorded extends ContextRules {
  prompts: readonly LlmMessage[][] | undefined;
  contexts: readonly ContextExtension[];
}

/** The request with its matching parts in the words of the recording, so that a miss names a real difference. */
function recordedWords(
  asked: Asked,
  near: Nearness | undefined,
  { prompts, contexts, ...rules }: Recorded,
): LlmTurnRequest {
  const { wire, request, digests } = asked;
  if (near === undefined) return request;
  const recorded = prompts?.[near.turnIndex] ?? request.messages;
  const context = contextAt(contexts, near.turnIndex);
  const [tools = request.tools, same] = contextOf(context, asked, rules);
  // Fields of other wires could not come over this one, so they are no difference to be reported.
  const settings = same ?? { ...fieldsOfOtherWires(context?.settings, wire.name), ...request.settings };
  // A wire may join or drop messages. Then indexes of the two sides do not correspond.
  const isAligned = digests.length === request.messages.length;
  const messages = near.isPrompt
    ? recorded
    : isAligned
      ? withRecordedStart(recorded.slice(0, near.length), request.messages)
      : request.messages;
  return { messages, ...defined({ tools }), settings };
}

/** The messages after their recorded start. Results of calls in the start get the recorded ids, since ids are compared by order. */
function withRecordedStart(start: readonly LlmMessage[], messages: readonly LlmMessage[]): LlmMessage[] {
  const recorded = callIds(start);
  const ids = new Map(callIds(messages.slice(0, start.length)).map((id, index) => [id, recorded[index] ?? id]));
  const rest = messages
    .slice(start.length)
    .map((message) =>
      message.role === "tool" ? { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId } : message,
    );
  return [...start, ...rest];
}

function callIds(messages: readonly LlmMessage[]): string[] {
  return messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .map(({ id }) => id);
}
