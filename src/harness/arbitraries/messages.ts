// Arbitrary messages, and conversations that a run can have: each call has its result before the next answer.

import fc from "fast-check";
import {
  assertKnownOptions,
  type AssistantMessage,
  type ContentPart,
  type LlmMessage,
  type LlmToolCall,
  type Reasoning,
  type ToolMessage,
  type UserMessage,
} from "../../core/index.js";
import { either } from "./either.js";
import { text } from "./text.js";
import { callBody, type CallBody } from "./tools.js";

/** A part of a user message: text, an inline image, or an image by URL. */
export function contentPart(): fc.Arbitrary<ContentPart> {
  return either(
    text().map((content): ContentPart => ({ type: "text", text: content })),
    fc.constantFrom<ContentPart>(
      { type: "image", url: "https://example.com/a.png" },
      { type: "image", mediaType: "image/png", data: "aGk=" },
    ),
  );
}

/** A thought of a model: text with or without a signature, or the vendor's opaque form. */
export function reasoning(): fc.Arbitrary<Reasoning> {
  return either(
    fc
      .record({ text: text(), signature: text() }, { requiredKeys: ["text"] })
      .map((thought): Reasoning => ({ type: "text", ...thought })),
    text().map((data): Reasoning => ({ type: "redacted", data })),
  );
}

export interface ConversationOptions {
  /** Makes the id of the nth call. Default `call-n`. */
  readonly idOf?: (index: number) => string;
  /** Names of tools to call. Default `look`, `send_mail` and sometimes any text. */
  readonly tools?: readonly string[];
  /** Most answers of the model. Default 4. */
  readonly maxAnswers?: number;
}

/** One message of any role, with no conversation around it. Shrinks to an empty system message. */
export function message(): fc.Arbitrary<LlmMessage> {
  return either(
    text().map((content): LlmMessage => ({ role: "system", content })),
    userContent().map((content): LlmMessage => ({ role: "user", content })),
    fc.tuple(answer([]), fc.nat(99)).map(([{ content, calls, thoughts }, first]): LlmMessage => {
      const toolCalls = calls.map(([body], index) => ({ id: `call-${first + index}`, ...body }));
      return toAssistant(content, toolCalls, thoughts);
    }),
    fc
      .tuple(callBody([]), result(), text())
      .map(([{ name }, given, toolCallId]): LlmMessage => ({ role: "tool", toolCallId, name, ...given })),
  );
}

/**
 * A conversation of up to `maxAnswers` answers, every call with its result; it ends with an answer. The ids of calls are
 * unique unless `idOf` says otherwise. Shrinks to an empty question with an empty answer.
 */
export function conversation(options: ConversationOptions = {}): fc.Arbitrary<LlmMessage[]> {
  assertKnownOptions("conversation", options, ["idOf", "tools", "maxAnswers"]);
  const { idOf = (index) => `call-${index}`, tools = [], maxAnswers = 4 } = options;
  const systems = fc.array(text(), { maxLength: 2 });
  return fc
    .tuple(systems, fc.array(answer(tools), { maxLength: maxAnswers }))
    .map(([instructions, answers]) => layOut(instructions, answers, idOf));
}

const userContent = () =>
  either<UserMessage["content"]>([2, text()], fc.array(contentPart(), { minLength: 1, maxLength: 3 }));

type Result = Pick<ToolMessage, "content" | "isError">;
const result = (): fc.Arbitrary<Result> =>
  fc.record({ content: text(), isError: fc.constant(true as const) }, { requiredKeys: ["content"] });

interface Answer {
  /** The question before it, unless the answer follows results of tools. Kept here so that earlier turns can shrink away. */
  readonly asked: UserMessage["content"];
  readonly content: string;
  readonly calls: readonly (readonly [CallBody, Result])[];
  readonly thoughts: Reasoning[];
}

function answer(tools: readonly string[]): fc.Arbitrary<Answer> {
  return fc.record({
    asked: userContent(),
    content: text(),
    calls: fc.array(fc.tuple(callBody(tools), result()), { maxLength: 3 }),
    thoughts: fc.array(reasoning(), { maxLength: 2 }),
  });
}

/** Stands in for an empty list of answers: a list that must hold one would not shrink to its first. */
const SILENCE: Answer = { asked: "", content: "", calls: [], thoughts: [] };

function layOut(systems: readonly string[], drawn: readonly Answer[], idOf: (index: number) => string): LlmMessage[] {
  const answers = drawn.length === 0 ? [SILENCE] : drawn;
  const messages: LlmMessage[] = systems.map((content) => ({ role: "system", content }));
  let used = 0;
  for (const [index, { asked, content, calls, thoughts }] of answers.entries()) {
    if (messages.at(-1)?.role !== "tool") messages.push({ role: "user", content: asked });
    const toolCalls = calls.map(([body]) => ({ id: idOf(used++), ...body }));
    messages.push(toAssistant(content, toolCalls, thoughts));
    if (index === answers.length - 1) break;
    for (const [place, { id, name }] of toolCalls.entries()) {
      messages.push({ role: "tool", toolCallId: id, name, ...(calls[place]?.[1] as Result) });
    }
  }
  return messages;
}

function toAssistant(content: string, toolCalls: LlmToolCall[], thoughts: Reasoning[]): AssistantMessage {
  return {
    role: "assistant",
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts }),
  };
}
