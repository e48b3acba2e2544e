// Control of one agent of a fabric, and the protocol that shortens its conversation from outside.

import { isPlainObject, type JsonObject, type JsonValue } from "../../../core/index.js";
import { PlumbError, type ControlMessage, type MemoryDump } from "../../../core/process/index.js";
import type { Hub, Member } from "./hub.js";

/** Sends control messages to one agent, and reads its replies. */
export interface AgentControl {
  send(message: ControlMessage): Promise<void>;
  readonly replies: AsyncIterable<JsonValue>;
  /**
   * Pauses the agent, gives its conversation to `summarise`, replaces it by the result, and resumes. No message is answered meanwhile.
   * Returns the numbers of messages before and after. Rejects with `memory-invalid` if the agent refused the result, and with the
   * error of `summarise`. The agent is resumed then too.
   */
  compact(
    summarise: (dump: MemoryDump) => readonly JsonObject[] | Promise<readonly JsonObject[]>,
  ): Promise<{ readonly old_messages: number; readonly new_messages: number }>;
}

/** The kinds of replies that a compaction waits for. */
const COMPACTION = ["pause_ack", "memory", "memory_set", "resume_ack"];

export function openControl(hub: Hub, member: Member): AgentControl {
  const queue = (member.replies ??= []);
  const send = (message: ControlMessage): Promise<void> =>
    member.child.write("ctrl_in", { kind: "message", value: message as JsonObject });
  const isKind = (reply: JsonValue, kinds: readonly unknown[]): boolean =>
    isPlainObject(reply) && kinds.includes(reply["kind"]);
  const findFree = (): number => queue.findIndex((one) => (member.compacting ?? 0) === 0 || !isKind(one, COMPACTION));
  const count = (change: 1 | -1): void => {
    member.compacting = (member.compacting ?? 0) + change;
    hub.bell.ring();
  };

  /** The next reply of one of these kinds. */
  async function reply(...kinds: string[]): Promise<JsonObject> {
    const find = (): number => queue.findIndex((one) => isKind(one, kinds));
    await hub.until(() => find() !== -1 || member.end !== undefined);
    const [found] = find() === -1 ? [] : queue.splice(find(), 1);
    if (found !== undefined) return found as JsonObject;
    const hint = "Send control messages before the input of the agent ends.";
    throw new PlumbError("aborted", `${member.name} ended before it replied`, hint, { agent: member.name });
  }

  async function* readAll(): AsyncGenerator<JsonValue> {
    for (;;) {
      await hub.until(() => findFree() !== -1 || member.end !== undefined);
      const [next] = findFree() === -1 ? [] : queue.splice(findFree(), 1);
      if (next === undefined) return;
      yield next;
    }
  }

  async function compact(summarise: Parameters<AgentControl["compact"]>[0]) {
    await send({ pause: true });
    let done: JsonObject;
    try {
      await reply("pause_ack");
      await send({ get_memory: true });
      const messages = await summarise((await reply("memory")) as unknown as MemoryDump);
      await send({ set_memory: messages });
    } finally {
      await send({ resume: true });
      // Replies keep their order, so a refusal shows in the reply behind it.
      done = await reply("memory_set", "resume_ack");
    }
    if (done["kind"] === "resume_ack") {
      const hint = "Return whole messages from summarise: each with role and content, and each call with its result.";
      throw new PlumbError("memory-invalid", `${member.name} refused its new conversation`, hint, {
        agent: member.name,
      });
    }
    await reply("resume_ack");
    return { old_messages: Number(done["old_messages"]), new_messages: Number(done["new_messages"]) };
  }

  return {
    send,
    replies: { [Symbol.asyncIterator]: readAll },
    async compact(summarise) {
      count(1);
      try {
        return await compact(summarise);
      } finally {
        count(-1);
      }
    },
  };
}
