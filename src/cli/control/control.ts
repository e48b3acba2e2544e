// `cassette serve --control`: a program opens and closes cassettes by lines of JSON on stdin, and gets a line of JSON on stdout for
// each. The server ends with its stdin, so it never outlives the program.

import { Readable } from "node:stream";
import { CassetteError } from "../../cassette/index.js";
import { defined } from "../../core/index.js";
import { resolveMode } from "../../harness/index.js";
import { PLACEHOLDER_KEYS, settingsByVendor } from "../child/base-url-variables.js";
import { toFailure } from "../errors.js";
import { listen, untilSignal, type Stop } from "../serve/listen.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes, toJsonError } from "../terminal/output.js";
import { VERSION } from "../version.js";
import { createDoor, type Door } from "./door.js";
import { readLines } from "./lines.js";
import { readOrder } from "./orders.js";

/** Raised when an order or an answer changes its meaning. */
const CONTROL_VERSION = 1;

/** Serves until stdin ends or `stop`. Cassettes that are open then end as those of a failed run. */
export async function control({ port }: { port: number }, io: CommandIo, stop: Stop = untilSignal()): Promise<void> {
  const note = createNotes(io);
  const say = (answer: object): void => io.stdout(`${JSON.stringify(answer)}\n`);
  const door = createDoor(io);
  let isStopped = false;
  try {
    const server = await listen(door.handler, {
      port,
      onRefused: ({ method, path }, why) => note("refused: ", `${method} ${path}: ${why}`),
    });
    try {
      const stdin = io.stdin?.() ?? Readable.from([]);
      void stop.stopped.then(() => {
        isStopped = true;
        stdin.destroy?.();
      });
      const variables = settingsByVendor(`${server.url}/cassette`, io.env);
      const keys = isReplayed(io) ? PLACEHOLDER_KEYS : {};
      say({ listening: server.url, control: CONTROL_VERSION, version: VERSION, variables, keys });
      for await (const line of readLines(stdin)) say(await obey(line, door, server.url));
    } finally {
      await door.end();
      await server.close();
    }
  } catch (error) {
    // Reading ends with an error when stdin is destroyed.
    if (!isStopped) throw error;
  } finally {
    stop.now();
  }
}

/** False for an unclear mode, which the first order reports. */
function isReplayed({ env }: CommandIo): boolean {
  try {
    return ["replay", "auto"].includes(resolveMode(env));
  } catch {
    return false;
  }
}

/** The answer to one order. Never throws. */
async function obey(line: string, door: Door, url: string): Promise<object> {
  try {
    const order = readOrder(line);
    if (order.kind === "close") return { closed: order.id, ...(await door.close(order.id, order.end)) };
    const { id, file, mode, variables, keys } = await door.open(order.file, order.options, url);
    return { opened: id, file, mode, url: `${url}/${id}`, variables, keys };
  } catch (error) {
    const failure = toFailure(error);
    const rerecord = error instanceof CassetteError ? error.rerecord : undefined;
    const { message, hint = "" } = failure;
    const text = error instanceof CassetteError ? error.message : `${message}\n  to do    ${hint}`;
    return { error: { ...toJsonError(failure), ...defined({ rerecord }), text } };
  }
}
