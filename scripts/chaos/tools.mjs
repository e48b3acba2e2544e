// The tools of the processes. Some write to tables outside of the store, once for each key.

import pg from "pg";
import { exactlyOnce } from "playhead/postgres";

const TEXT = { type: "object", properties: { text: { type: "string" } } };

/** Notes a text in the ledger, or with a `table` also in the database, in one transaction with its key. */
export function noteTool({ url, schema, table, noted }) {
  if (table === undefined) {
    const execute = ({ text }, { idempotencyKey }) => {
      noted(text, idempotencyKey);
      return "noted";
    };
    return { note: { description: "Notes.", inputSchema: TEXT, retryPolicy: "idempotent", execute } };
  }
  const tool = {
    ...{ name: "note", description: "Notes.", schema: TEXT },
    async invoke({ text }, client, { idempotencyKey }) {
      await client.query(`INSERT INTO ${table} VALUES ($1)`, [text]);
      noted(text, idempotencyKey);
      return "noted";
    },
  };
  return [exactlyOnce(url, tool, { schema })];
}

/** Moves money between two rows, and books it. The process dies before or after the statement with the number `dies.at`. */
export function transferTool({ url, schema, isLoose, dies }) {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  let count = 0;
  const dying = (client) => ({
    release: (error) => client.release(error),
    on: () => undefined,
    async query(text, values) {
      count += 1;
      const isNow = count === dies?.at;
      if (isNow && !dies.isAfter) process.kill(process.pid, "SIGKILL");
      const result = await client.query(text, values);
      if (isNow) process.kill(process.pid, "SIGKILL");
      return result;
    },
  });
  const connections = {
    query: (text, values) => pool.query(text, values),
    connect: async () => dying(await pool.connect()),
  };
  const loose = dying(pool);
  const bank = bankOf(schema);
  return exactlyOnce(
    { pool: connections },
    {
      ...{ name: "transfer", description: "Moves money.", schema: { type: "object" } },
      async invoke({ cents }, client) {
        const sql = isLoose ? loose : client;
        await sql.query(`UPDATE ${bank}_accounts SET cents = cents - $1 WHERE name = 'ann'`, [cents]);
        await sql.query(`UPDATE ${bank}_accounts SET cents = cents + $1 WHERE name = 'ben'`, [cents]);
        await sql.query(`INSERT INTO ${bank}_bookings VALUES ($1)`, [cents]);
        return { cents };
      },
    },
    { schema },
  );
}

/** The tables of the money are outside of the schema, which holds nothing else. */
export const bankOf = (schema) => `public.${schema}`;
