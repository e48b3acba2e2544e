// examples/durable/dbos.mjs
import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { journaled } from "playhead/execution";
import { Agent } from "playhead/session";
import { model, tools } from "./desk.mjs";

const database = new pg.Pool({ connectionString: process.env.DATABASE_URL });
database.on("error", ({ message }) => console.error(message)); // the server restarts
await database.query("CREATE TABLE IF NOT EXISTS desk_sessions (key text PRIMARY KEY, version text, state json)");

const step = (name, work) => DBOS.runStep(work, { name, retriesAllowed: true });

/** Sessions in a table. A commit that runs again finds its own version, and stores the same once more. */
const sessionStore = {
  load: (key) =>
    step("load", async () => {
      const { rows } = await database.query("SELECT version, state FROM desk_sessions WHERE key = $1", [key]);
      return rows[0] ?? null;
    }),
  commit: (key, { state }, { expectedVersion }) =>
    step("commit", async () => {
      const version = DBOS.workflowID;
      const { rowCount } = await database.query(
        `INSERT INTO desk_sessions VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET version = $2, state = $3 WHERE desk_sessions.version IN ($2, $4)`,
        [key, version, JSON.stringify(state), expectedVersion],
      );
      return rowCount === 1 ? { ok: true, version } : { ok: false, reason: "conflict" };
    }),
  delete: (key) => step("delete", () => database.query("DELETE FROM desk_sessions WHERE key = $1", [key])),
};

async function send(key, input) {
  const steps = journaled(step, DBOS.workflowID);
  const agent = new Agent({ model: steps.provider(model), tools: steps.tools(tools), host: { sessionStore } });
  const { error, text } = await (await agent.session(key).send(input)).result();
  if (error) throw error;
  return text;
}

DBOS.registerWorkflow(send, { name: "send" });
DBOS.setConfig({ name: "desk", systemDatabaseUrl: process.env.DATABASE_URL });
await DBOS.launch();
// A partition of the queue is a session: one `send` of a key runs at a time.
await DBOS.registerQueue("desk", { partitionConcurrency: 1, minPollingIntervalMs: 100 });
