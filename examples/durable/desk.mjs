// examples/durable/desk.mjs
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

// LEDGER names a file of all that was done.
const note = (line) => process.env.LEDGER && appendFileSync(process.env.LEDGER, `${line}\n`);
const call = (name, args) => ({
  message: { role: "assistant", content: "", toolCalls: [{ id: "call_1", name, arguments: args }] },
  stopReason: "toolUse",
});

/** In place of a provider: it looks the order up, refunds it, and takes a moment for each answer. */
export const model = {
  async turn({ messages }) {
    await sleep(200);
    const { role, name, content } = messages.at(-1);
    note(`model answers ${role}${name ? ` ${name}` : ""}`);
    if (role === "user") return call("find_order", { number: Number(/\d+/.exec(content)) });
    if (name === "find_order") return call("refund", JSON.parse(content));
    return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
  },
};

export const tools = [
  {
    name: "find_order",
    description: "Looks up an order.",
    schema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
    effect: "read",
    invoke: ({ number }) => ({ number, cents: 1_200 }),
  },
  {
    name: "refund",
    description: "Refunds an order.",
    schema: {
      type: "object",
      properties: { number: { type: "integer" }, cents: { type: "integer" } },
      required: ["number", "cents"],
    },
    retryPolicy: "idempotent", // the payment service takes the key
    async invoke({ number, cents }, { idempotencyKey }) {
      note(`refund ${idempotencyKey}`);
      await sleep(200);
      return `Order ${number}: ${cents / 100} EUR are on their way.`;
    },
  },
];
