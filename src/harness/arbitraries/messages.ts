// Arbitrary messages and conversations, as src/core/model/message.ts types them: every role, images, thoughts, calls whose
// arguments were no JSON, failed calls. A conversation is one that a run can have: each call has its result before the next
// answer, and an answer is last.

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
import { text } from "./text.js";
import { callBody, type CallBody } from "./tools.js";

/** A part of what a user says: text, an image within, an image elsewhere. */
export function contentPart(): fc.Arbitrary<ContentPart> {
  return fc.oneof(
    { withCrossShrink: true },
    text().map((content): ContentPart => ({ type: "text", text: content })),
    fc.constantFrom<ContentPart>(
      { type: "image", url: "https://example.com/a.png" },
      { type: "image", mediaType: "image/png", data: "aGk=" },
    ),
  );
}

/** What a model thought, in words with or without a signature, or in the vendor's opaque form. */
export function reasoning(): fc.Arbitrary<Reasoning> {
  return fc.oneof(
    { withCrossShrink: true },
    fc
      .record({ text: text(), signature: text() }, { requiredKeys: ["text"] })
      .map((thought): Reasoning => ({ type: "text", ...thought })),
    text().map((data): Reasoning => ({ type: "redacted", data })),
  );
}

/** The options of the arbitraries of conversations. An unknown one is `AgentError` `invalid-options`. */
export interface ConversationOptions {
  /** Makes the id of the nth call. Default `call-n`. */
  readonly idOf?: (index: number) => string;
  /** Names of tools that are called. Default `look`, `send_mail` and now and then any text. */
  readonly tools?: readonly string[];
  /** Answers of the model, the most. Default 4. */
  readonly maxAnswers?: number;
}

/** One message of any role, with no conversation around it. Shrinks to an empty system message. */
export function message(): fc.Arbitrary<LlmMessage> {
  return fc.oneof(
    { withCrossShrink: true },
    text().map((content): LlmMessage => ({ role: "system", content })),
    userContent.map((content): LlmMessage => ({ role: "user", content })),
    fc.tuple(answer([]), fc.nat(99)).map(([{ content, calls, thoughts }, first]): LlmMessage =>
      toAssistant(
        content,
        calls.map(([body], index) => toCall(`call-${first + index}`, body)),
        thoughts,
      ),
    ),
    fc.tuple(callBody([]), result, text()).map(([{ name }, given, id]): LlmMessage => toResult(id, name, given)),
  );
}

/**
 * A conversation of up to `maxAnswers` answers, every call with its result; it ends with an answer. The ids of calls are
 * unique unless `idOf` says otherwise. Shrinks to an empty question with an empty answer.
 */
export function conversation(options: ConversationOptions = {}): fc.Arbitrary<LlmMessage[]> {
  assertKnownOptions("conversation", options, ["idOf", "tools", "maxAnswers"]);
  const { idOf = (index) => `call-${index}`, tools = [], maxAnswers = 4 } = options;
  return fc
    .record({
      systems: fc.array(text(), { maxLength: 2 }),
      answers: fc.array(answer(tools), { maxLength: maxAnswers }),
    })
    .map((drawn) => layOut(drawn, idOf));
}

const userContent: fc.Arbitrary<UserMessage["content"]> = fc.oneof(
  { withCrossShrink: true },
  { weight: 2, arbitrary: text() },
  { weight: 1, arbitrary: fc.array(contentPart(), { minLength: 1, maxLength: 3 }) },
);

type Result = Pick<ToolMessage, "content" | "isError">;
const result: fc.Arbitrary<Result> = fc.record(
  { content: text(), isError: fc.constant(true as const) },
  { requiredKeys: ["content"] },
);

interface Answer {
  /** What the user says before, unless the answer stands after results of tools. Here, so that what came earlier can be left out. */
  readonly asked: UserMessage["content"];
  readonly content: string;
  readonly calls: readonly (readonly [CallBody, Result])[];
  readonly thoughts: Reasoning[];
}

function answer(tools: readonly string[]): fc.Arbitrary<Answer> {
  return fc.record({
    asked: userContent,
    content: text(),
    calls: fc.array(fc.tuple(callBody(tools), result), { maxLength: 3 }),
    thoughts: fc.array(reasoning(), { maxLength: 2 }),
  });
}

interface Drawn {
  readonly systems: readonly string[];
  readonly answers: readonly Answer[];
}

/** None drawn stands for one that says nothing: a list that must hold one does not shrink to its first. */
const SILENCE: Answer = { asked: "", content: "", calls: [], thoughts: [] };

function layOut({ systems, answers: drawn }: Drawn, idOf: (index: number) => string): LlmMessage[] {
  const answers = drawn.length === 0 ? [SILENCE] : drawn;
  const messages: LlmMessage[] = systems.map((content) => ({ role: "system", content }));
  let used = 0;
  for (const [index, { asked, content, calls, thoughts }] of answers.entries()) {
    if (messages.at(-1)?.role !== "tool") messages.push({ role: "user", content: asked });
    const named = calls.map(([body, given]) => ({ call: toCall(idOf(used++), body), given }));
    messages.push(
      toAssistant(
        content,
        named.map(({ call }) => call),
        thoughts,
      ),
    );
    if (index === answers.length - 1) break;
    for (const { call, given } of named) messages.push(toResult(call.id, call.name, given));
  }
  return messages;
}

function toCall(id: string, body: CallBody): LlmToolCall {
  return { id, ...body };
}

function toAssistant(content: string, toolCalls: LlmToolCall[], thoughts: Reasoning[]): AssistantMessage {
  return {
    role: "assistant",
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts }),
  };
}

function toResult(toolCallId: string, name: string, given: Result): ToolMessage {
  return { role: "tool", toolCallId, name, ...given };
}
