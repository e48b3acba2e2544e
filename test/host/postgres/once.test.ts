import pg from "pg";
import { expect, it, vi } from "vitest";
import { AgentError, type CustomToolContext } from "../../../src/core/index.js";
import { exactlyOnce, type ExactlyOnceTool } from "../../../src/host/postgres/once.js";
import type { PgClient, PgPool } from "../../../src/host/postgres/connection/types.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres } from "../../support/servers.js";

interface Transfer {
  readonly cents: number;
}

const TOOL: ExactlyOnceTool<Transfer> = {
  ...{ name: "transfer", description: "Moves money.", schema: { type: "object" } },
  invoke: () => Promise.resolve(undefined),
};

const contextOf = (idempotencyKey: string, toolCallId = "call"): CustomToolContext =>
  ({ idempotencyKey, toolCallId, signal: new AbortController().signal }) as CustomToolContext;

describePostgres("PSS-127 a tool with an effect in the database", (server) => {
  const hosts = postgresHosts(server);

  async function openBank() {
    const schema = server.schema();
    await hosts.open({}, schema);
    await server.sql(`CREATE SCHEMA bank_${schema}; CREATE TABLE bank_${schema}.accounts (name TEXT PRIMARY KEY, cents INT);
      CREATE TABLE bank_${schema}.bookings (cents INT); INSERT INTO bank_${schema}.accounts VALUES ('ann', 1000), ('ben', 0)`);
    const accounts = `bank_${schema}.accounts`;
    const transfer: ExactlyOnceTool<Transfer> = {
      ...{ name: "transfer", description: "Moves money.", schema: { type: "object" } },
      async invoke({ cents }, client) {
        await client.query(`UPDATE ${accounts} SET cents = cents - $1 WHERE name = 'ann'`, [cents]);
        await client.query(`UPDATE ${accounts} SET cents = cents + $1 WHERE name = 'ben'`, [cents]);
        await client.query(`INSERT INTO bank_${schema}.bookings VALUES ($1)`, [cents]);
        return { cents };
      },
    };
    const balance = async () => ({
      accounts: (await server.sql(`SELECT cents FROM ${accounts} ORDER BY name`)).map(({ cents }) => cents),
      bookings: (await server.sql(`SELECT cents FROM bank_${schema}.bookings`)).length,
    });
    return { schema, transfer, balance };
  }

  it.each([
    ["a database that is not one", () => exactlyOnce(undefined as never, TOOL), /the database is undefined/],
    ["a string that is not a URL", () => exactlyOnce("db", TOOL), /does not begin with postgres:/],
    ["no tool", () => exactlyOnce("postgres://x/y", null as never), /cannot use the tool null/],
    ["no name", () => exactlyOnce("postgres://x/y", { ...TOOL, name: "" }), /name is ""/],
    ["no invoke", () => exactlyOnce("postgres://x/y", { name: "t" } as never), /invoke of tool t is undefined/],
    [
      "a policy",
      () => exactlyOnce("postgres://x/y", { ...TOOL, retryPolicy: "idempotent" } as never),
      /has a retryPolicy/,
    ],
  ])("refuses %s when it is made", (_what, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: "invalid-options", message: expect.stringMatching(message) }));
  });

  it("refuses a call without a key", async () => {
    const { schema, transfer } = await openBank();
    const call = exactlyOnce(server.url, transfer, { schema }).invoke({ cents: 1 }, contextOf(""));
    await expect(call).rejects.toMatchObject({ code: "capability-missing" });
  });

  it("has it once for each key, however often it is called, also at once", async () => {
    const { schema, transfer, balance } = await openBank();
    const tool = exactlyOnce(server.url, transfer, { schema });
    expect(tool).toMatchObject({ name: "transfer", effect: "write", retryPolicy: "idempotent" });
    const calls = ["r:1", "r:1", "r:1", "r:2"].map((key) => tool.invoke({ cents: 100 }, contextOf(key)));
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ cents: 100 })));
    expect(await balance()).toEqual({ accounts: [800, 200], bookings: 2 });
    expect(await tool.invoke({ cents: 999 }, contextOf("r:1"))).toEqual({ cents: 100 });
  });

  it("keeps nothing of a call that throws, which may be repeated", async () => {
    const { schema, transfer, balance } = await openBank();
    let isBroken = true;
    const tool = exactlyOnce<Transfer>(
      server.url,
      {
        ...transfer,
        async invoke(args, client, context) {
          await transfer.invoke(args, client, context);
          if (isBroken) throw new Error("no funds");
          return undefined;
        },
      },
      { schema },
    );
    await expect(tool.invoke({ cents: 1 }, contextOf("r:1"))).rejects.toThrow("no funds");
    expect(await balance()).toEqual({ accounts: [1_000, 0], bookings: 0 });
    isBroken = false;
    for (let time = 0; time < 2; time++) expect(await tool.invoke({ cents: 1 }, contextOf("r:1"))).toBeUndefined();
    expect(await balance()).toEqual({ accounts: [999, 1], bookings: 1 });
  });

  it.each([
    ["22012", "SELECT 1 / 0"],
    // The code of a prepared statement with an old plan, too.
    ["0A000", "SELECT 1 FROM pg_class FULL JOIN pg_proc ON relname < proname"],
  ])("passes the error %s of the database to the tool as it is, after one attempt", async (code, text) => {
    const { schema, transfer } = await openBank();
    const invoke = vi.fn<ExactlyOnceTool<Transfer>["invoke"]>((_args, client) => client.query(text));
    const tool = exactlyOnce<Transfer>(server.url, { ...transfer, invoke }, { schema });
    await expect(tool.invoke({ cents: 1 }, contextOf("r:1"))).rejects.toMatchObject({ code });
    expect(invoke).toHaveBeenCalledTimes(1);
  });

  it("has it once when the connection is lost before or after any statement", { timeout: 240_000 }, async () => {
    const { schema, transfer, balance } = await openBank();
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    pool.on("error", () => undefined);
    const fault = { at: 0, isAfter: false, seen: 0 };
    const tool = exactlyOnce({ pool: cut(pool, fault) }, transfer, { schema });
    await tool.invoke({ cents: 1 }, contextOf("r:0"));
    const statements = fault.seen;
    expect(statements).toBeGreaterThan(6);
    let calls = 1;
    for (let at = 1; at <= statements; at++) {
      for (const isAfter of [false, true]) {
        Object.assign(fault, { at, isAfter, seen: 0 });
        expect(await tool.invoke({ cents: 1 }, contextOf(`r:${calls}`))).toEqual({ cents: 1 });
        calls += 1;
        expect(await balance()).toEqual({ accounts: [1_000 - calls, calls], bookings: calls });
      }
    }
    await pool.end();
  });

  it("refuses unknown options, and a run without an id", async () => {
    const { transfer } = await openBank();
    expect(() => exactlyOnce(server.url, transfer, { schema: "Bad" })).toThrow("schema");
    expect(() => exactlyOnce(server.url, transfer, { table: "x" } as never)).toThrow("table");
    const nameless = Object.defineProperty({}, "idempotencyKey", {
      get: () => {
        throw new AgentError("capability-missing", "the run has no id");
      },
    });
    const tool = exactlyOnce(server.url, transfer);
    await expect(tool.invoke({ cents: 1 }, nameless as CustomToolContext)).rejects.toMatchObject({
      code: "capability-missing",
    });
  });
});

/** A pool whose connections end at the statement `at`, before it is sent or after it was answered. */
function cut(pool: pg.Pool, fault: { at: number; isAfter: boolean; seen: number }): PgPool {
  return {
    query: (text, values) => pool.query(text, values),
    async connect() {
      const client = await pool.connect();
      const end = () =>
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      return {
        on: client.on.bind(client) as PgClient["on"],
        release: (error) => client.release(error),
        async query(text, values) {
          const isHit = ++fault.seen === fault.at;
          if (isHit && !fault.isAfter) end();
          const result = await client.query(text, values);
          if (isHit) {
            end();
            throw new Error("the connection was lost");
          }
          return result;
        },
      };
    },
  };
}
