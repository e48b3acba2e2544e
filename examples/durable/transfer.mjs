// examples/durable/transfer.mjs
import { exactlyOnce } from "playhead/postgres";

export const transfer = exactlyOnce(process.env.DATABASE_URL, {
  name: "transfer",
  description: "Moves money between two accounts.",
  schema: {
    type: "object",
    properties: { from: { type: "string" }, to: { type: "string" }, cents: { type: "integer", minimum: 1 } },
    required: ["from", "to", "cents"],
  },
  async invoke({ from, to, cents }, client) {
    await client.query("UPDATE accounts SET cents = cents - $1 WHERE name = $2", [cents, from]);
    await client.query("UPDATE accounts SET cents = cents + $1 WHERE name = $2", [cents, to]);
    return { moved: cents };
  },
});
