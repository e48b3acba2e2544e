// Converts events of the loop to events of a session: the transcript of an answer and its calls.

import type { EventBody, EventDetail } from "../../events/event.js";
import type { LlmMessage } from "../../model/message.js";
import type { SessionEvent } from "../event.js";
import type { CallIds } from "./call-ids.js";

export class Projection {
  readonly #ids: CallIds;
  readonly #tell: (event: SessionEvent) => void;
  /** The public ids of the calls of the current answer. */
  #calls: readonly string[] = [];
  #begun = 0;
  #ended = 0;

  constructor(ids: CallIds, tell: (event: SessionEvent) => void) {
    this.#ids = ids;
    this.#tell = tell;
  }

  /** Continues with the calls of an answer that an earlier process has reported. */
  resume(step: number, answer: LlmMessage): void {
    this.#calls = this.#ids.name(step, answer);
    this.#begun = this.#calls.length;
    this.#ended = 0;
  }

  take(step: number, body: EventBody, detail: EventDetail | undefined): void {
    switch (body.type) {
      case "llm-delta": {
        const type = body.kind === "text" ? "assistant-text-delta" : "assistant-reasoning-delta";
        if (body.kind !== "tool-call") this.#tell({ type, text: body.text });
        return;
      }
      case "llm-turn":
        if (detail?.kind === "turn") this.#answer(step, detail.response.message);
        return;
      case "tool-call":
        this.#tell({
          type: "tool-call",
          toolCallId: this.#calls[this.#begun++] ?? body.callId,
          toolName: body.tool,
          input: body.arguments,
        });
        return;
      case "tool-result":
      case "tool-failed":
      case "tool-rejected": {
        const toolCallId = this.#calls[this.#ended++] ?? body.callId;
        const output = detail?.kind === "tool" ? (detail.content ?? "") : "";
        const event = { type: "tool-result", toolCallId, toolName: body.tool, output } as const;
        this.#tell(body.type === "tool-result" ? event : { ...event, isError: true });
        return;
      }
      default:
        return;
    }
  }

  #answer(step: number, message: Extract<LlmMessage, { role: "assistant" }>): void {
    this.#calls = this.#ids.name(step, message);
    this.#begun = 0;
    this.#ended = 0;
    for (const part of message.reasoning ?? [])
      if (part.type === "text" && part.text !== "") this.#tell({ type: "assistant-reasoning", text: part.text });
    if (message.content !== "") this.#tell({ type: "assistant-text", text: message.content });
  }
}
