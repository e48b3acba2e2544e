// A tool whose effect is in the database itself. Its effect and a note of it are one transaction, so it happens once, however often the
// call is repeated.

import {
  AgentError,
  assertKnownOptions,
  invalidOptions,
  defineTool,
  isObject,
  isStoreId,
  showValue,
  sleep,
  systemPorts,
  type CustomTool,
  type CustomToolContext,
  type JsonObject,
} from "../../core/index.js";
import { FIRST_RETRY_MS, MAX_EFFECT_ATTEMPTS } from "../limits.js";
import { runHashOf } from "../sql/claims.js";
import { createValues, type ValueCodec, type Values } from "../sql/codec.js";
import { findByKey } from "../sql/engine.js";
import { hashNames } from "../sql/names.js";
import { readColumns } from "../sql/rows.js";
import { assertSchema, connectTo, DEFAULT_SCHEMA, ignoreErrors, storeName } from "./connection/connections.js";
import { createTexts } from "./dialect.js";
import { assertDatabase, toConnections, type OwnedConnections, type PostgresDatabase } from "./connection/driver.js";
import { transact } from "./transaction.js";
import type { PgQuery } from "./connection/types.js";

/** A tool for {@link exactlyOnce}. Its SQL must go through `client`, which is one transaction. */
export interface ExactlyOnceTool<Args extends object> extends Omit<CustomTool<Args>, "invoke" | "retryPolicy"> {
  invoke(args: Args, client: PgQuery, context: CustomToolContext): Promise<unknown>;
}

/** The options of {@link exactlyOnce}. */
export interface ExactlyOnceOptions {
  /** The schema of the host. Default `playhead`. */
  readonly schema?: string;
  /** The codec of the host, for stored results. */
  readonly codec?: ValueCodec;
}

/**
 * Makes a tool whose effect happens once. `invoke` may run again after a conflict or a lost connection, but only one of its transactions is
 * kept. A repeated call returns the stored result, which is kept as long as its run. The host's tables must exist.
 * Throws `AgentError` `invalid-options`. A call without an `idempotencyKey` rejects with `capability-missing`.
 */
export function exactlyOnce<Args extends object = JsonObject>(
  database: PostgresDatabase,
  tool: ExactlyOnceTool<Args>,
  options: ExactlyOnceOptions = {},
): CustomTool {
  assertDatabase(database);
  assertTool(tool);
  assertKnownOptions("exactlyOnce", options, ["schema", "codec"]);
  const { schema = DEFAULT_SCHEMA, codec } = options;
  assertSchema(options.schema);
  const values = createValues(codec);
  let connecting: Promise<OwnedConnections> | undefined;
  const connect = () => (connecting ??= toConnections(database));
  return defineTool<Args>({
    effect: "write",
    ...tool,
    retryPolicy: "idempotent",
    async invoke(args, context) {
      const key = keyOf(context);
      const { pool } = await connect();
      ignoreErrors(pool);
      const terms = {
        ...{ name: storeName(schema), schema, ports: systemPorts, toText: createTexts(schema) },
        connect: () => connectTo(pool, systemPorts, storeName(schema)),
      };
      return repeatedly(context.signal, () =>
        transact(terms, async (sql, client) => {
          const hash = hashNames("effect", key);
          await sql.lockList(hash);
          const row = await findByKey(sql, "SELECT result FROM effects WHERE key_hash = ?", hash);
          if (row !== undefined) return readResult(values, row, key);
          const result = await toText(values, await tool.invoke(args, client, context), key);
          const { wallMs } = await sql.now();
          await sql.run(
            "INSERT INTO effects (key_hash, run_hash, result, stored_at) VALUES (?, ?, ?, ?)",
            ...[hash, runOf(context, key), result, wallMs],
          );
          return readResult(values, { result }, key);
        }),
      );
    },
  });
}

function assertTool(tool: unknown): void {
  const hint = "Pass an object with name, description, schema and invoke.";
  if (!isObject(tool)) throw invalidOptions(`exactlyOnce cannot use the tool ${showValue(tool)}`, hint);
  const { name, invoke, retryPolicy } = tool;
  if (typeof name !== "string" || name === "") throw invalidOptions(`the tool's name is ${showValue(name)}`, hint);
  if (typeof invoke !== "function") throw invalidOptions(`invoke of tool ${name} is ${showValue(invoke)}`, hint);
  if (retryPolicy === undefined) return;
  throw invalidOptions(`tool ${name} has a retryPolicy`, "Leave it out. A tool of exactlyOnce is always `idempotent`.");
}

function keyOf({ idempotencyKey }: Partial<CustomToolContext>): string {
  if (typeof idempotencyKey === "string" && idempotencyKey !== "") return idempotencyKey;
  throw new AgentError("capability-missing", "the call of the tool has no idempotencyKey", {
    hint: "Call the tool through an agent, or pass a context with an idempotencyKey.",
  });
}

/** If the answer to a commit is lost, the commit may have happened. The next attempt finds its note, or makes the effect. */
async function repeatedly<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isLost = error instanceof AgentError && error.code === "store-failed" && error.retryable;
      if (!isLost || attempt === MAX_EFFECT_ATTEMPTS) throw error;
    }
    await sleep(FIRST_RETRY_MS * attempt, systemPorts, signal);
  }
}

const toText = async (values: Values, result: unknown, key: string): Promise<string | null> =>
  result === undefined ? null : values.toText(`the result of ${key}`, result);

async function readResult(values: Values, row: Readonly<Record<string, unknown>>, key: string): Promise<unknown> {
  const text = readColumns("effects", key, row).textOrNull("result");
  return text === null ? undefined : values.toValue(`the result of ${key}`, text);
}

/** The run of the call, whose end decides how long the note is kept. */
function runOf({ toolCallId }: CustomToolContext, key: string): Uint8Array | null {
  const runId = key.endsWith(`:${toolCallId}`) ? key.slice(0, -toolCallId.length - 1) : "";
  return isStoreId(runId) ? runHashOf(runId) : null;
}
