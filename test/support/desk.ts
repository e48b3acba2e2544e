// The support desk of examples/durable on an engine, and what every engine must keep of it when processes are killed.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { assertBuilt, repositoryRoot } from "./built.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Restate's SDK needs `Promise.withResolvers`, which Node 20 lacks. */
const RESOLVERS = `data:text/javascript,${encodeURIComponent(`
  Promise.withResolvers ??= function () {
    let resolve, reject;
    const promise = new this((...both) => ([resolve, reject] = both));
    return { promise, resolve, reject };
  }
`)}`;

/** An engine with its server, and a way to call the desk on it. */
export interface Engine {
  /** The program of examples/durable, and its environment. */
  readonly program: string;
  env(): Readonly<Record<string, string>>;
  /** Prepares what the engine must know of the program, which has just started. May reject while it starts. */
  connect(): Promise<void>;
  /** Resolves with the answer. May reject while a process is down. The same `id` is the same request. */
  send(id: string, key: string, text: string): Promise<unknown>;
  /** Kills the server and starts it again. */
  restart(): Promise<void>;
  /** True if executions that the end of the server cut off go on only once their worker starts again. */
  readonly needsNewWorker: boolean;
}

class Desk {
  readonly #ledger: string;
  readonly #engine: Engine;
  #child: ChildProcess | undefined;

  constructor(engine: Engine, ledger: string) {
    this.#engine = engine;
    this.#ledger = ledger;
    writeFileSync(ledger, "");
  }

  async start(): Promise<void> {
    assertBuilt();
    const program = join(repositoryRoot, "examples/durable", this.#engine.program);
    // The worker ends with this process, however that ends.
    this.#child = spawn("setpriv", ["--pdeathsig", "KILL", process.execPath, "--import", RESOLVERS, program], {
      stdio: "ignore",
      env: { ...process.env, ...this.#engine.env(), LEDGER: this.#ledger },
    });
    await untilResolved(() => this.#engine.connect());
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  send(id: string, key: string, text: string): Promise<unknown> {
    return untilResolved(() => this.#engine.send(id, key, text));
  }

  /** Kills the worker or the server, and starts it again. */
  async restart(killed: "worker" | "server"): Promise<void> {
    if (killed === "server") await this.#engine.restart();
    if (killed === "server" && !this.#engine.needsNewWorker) return;
    await this.kill();
    await this.start();
  }

  /** What the desk did, line by line. */
  lines(): string[] {
    return readFileSync(this.#ledger, "utf8").split("\n").slice(0, -1);
  }

  async reaches(isReached: (lines: string[]) => boolean): Promise<void> {
    while (!isReached(this.lines())) await pause(10);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `work` until it resolves. The time limit of the test ends it. */
async function untilResolved<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await pause(50);
    }
  }
}

const KILLS = Number(process.env["PLAYHEAD_KILL_ROUNDS"] ?? 25);
const SESSIONS = ["ann", "ben", "cem", "dag"];

/** The tests of the desk on an engine. */
export function itSurvives(engine: Engine): void {
  const folder = temporaryFolder();
  let desk: Desk | undefined;
  let desks = 0;
  const open = async () => {
    desk = new Desk(engine, folder.path(`ledger-${++desks}`));
    await desk.start();
    return desk;
  };
  afterEach(() => desk?.kill());

  it.each(["worker", "server"] as const)(
    "asks the model nothing again if the %s is killed in a tool",
    async (killed) => {
      const desk = await open();
      const answer = desk.send(`killed-${killed}`, killed, "Refund order 7");
      await desk.reaches((lines) => lines.length === 3);
      await desk.restart(killed);
      expect(await answer).toBe("Order 7: 12 EUR are on their way.");
      const lines = desk.lines();
      const refunds = lines.filter((line) => line.startsWith("refund"));
      expect(lines.filter((line) => line.startsWith("model"))).toEqual([
        "model answers user",
        "model answers tool find_order",
        "model answers tool refund",
      ]);
      expect(refunds.length).toBeLessThanOrEqual(2);
      expect(new Set(refunds).size).toBe(1);
    },
    120_000,
  );

  it(`loses and doubles nothing in ${KILLS} kills of a worker or the server`, async () => {
    const desk = await open();
    let isOver = false;
    const talk = async (key: string) => {
      let sent = 0;
      while (!isOver) {
        const order = ++sent;
        const answer = await desk.send(`${key}-${order}`, key, `Refund order ${order}`);
        expect(answer).toBe(`Order ${order}: 12 EUR are on their way.`);
      }
      return sent;
    };
    const talks = Promise.all(SESSIONS.map(talk));
    for (let kill = 0; kill < KILLS; kill++) {
      const { length } = desk.lines();
      await desk.reaches((lines) => lines.length > length);
      await pause((kill * 70) % 300);
      await desk.restart(kill % 5 === 4 ? "server" : "worker");
    }
    isOver = true;
    const sent = (await talks).reduce((sum, each) => sum + each);
    const lines = desk.lines();
    const models = lines.filter((line) => line.startsWith("model"));
    expect(new Set(lines.filter((line) => line.startsWith("refund"))).size).toBe(sent);
    expect(models.length).toBeGreaterThanOrEqual(3 * sent);
    // A kill cuts off at most one call of each session.
    expect(models.length).toBeLessThanOrEqual(3 * sent + KILLS * SESSIONS.length);
  }, 600_000);
}
