// A real Restate server for tests, which scripts/restate.mjs installs from npm. If there is none, its tests are skipped with a message.
// With PLAYHEAD_REQUIRE_RESTATE=1 they fail instead.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { repositoryRoot } from "./built.js";
import { freePort } from "./free-port.js";

const PACKAGES = join(repositoryRoot, ".playhead/restate/node_modules/@restatedev");
const program = join(PACKAGES, `restate-server-${process.platform}-${process.arch}/bin/restate-server`);

export interface TestRestate {
  /** Where clients call services. */
  readonly ingress: string;
  /** Makes the services of an endpoint known to the server. */
  register(endpoint: string): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** `describe` for tests that need a server, which starts before them and stops after them. */
export function describeRestate(name: string, body: (restate: TestRestate) => void): void {
  if (!existsSync(program)) {
    const what = "no Restate; `node scripts/restate.mjs` installs it";
    process.stderr.write(`skipped: ${name}, since there is ${what}\n`);
    describe(name, () => {
      if (process.env["PLAYHEAD_REQUIRE_RESTATE"] === "1") {
        it("has its Restate", () => {
          throw new Error(`PLAYHEAD_REQUIRE_RESTATE=1, and ${what}`);
        });
      } else it.skip(what, () => undefined);
    });
    return;
  }
  describe(name, () => {
    const restate = createRestate();
    beforeAll(() => restate.start(), 120_000);
    afterAll(() => restate.remove(), 60_000);
    body(restate);
  });
}

function createRestate(): TestRestate & { remove(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), "restate-"));
  let ports: { admin: number; ingress: number; node: number } | undefined;
  let child: ChildProcess | undefined;

  const url = (port: number | undefined) => `http://127.0.0.1:${port}`;
  const isUp = (address: string) =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );

  async function start(): Promise<void> {
    ports ??= { admin: await freePort(), ingress: await freePort(), node: await freePort() };
    const env = {
      ...process.env,
      DO_NOT_TRACK: "1",
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_ADMIN__BIND_PORT: String(ports.admin),
      RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
    };
    const args = ["--no-logo", "--base-dir", folder, "--node-name", "test", "--bind-ip", "127.0.0.1"];
    // The server ends with this process, however that ends.
    const command = ["--pdeathsig", "KILL", program, ...args, "--bind-port", String(ports.node)];
    child = spawn("setpriv", command, { stdio: "ignore", cwd: folder, env });
    while (!(await isUp(`${url(ports.admin)}/health`)) || !(await isUp(`${url(ports.ingress)}/restate/health`))) {
      if (child.exitCode !== null) throw new Error("the Restate server did not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  }

  return {
    get ingress() {
      return url(ports?.ingress);
    },
    async register(endpoint) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ uri: endpoint });
      const response = await fetch(`${url(ports?.admin)}/deployments`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`Restate refused ${endpoint}: ${await response.text()}`);
    },
    start,
    kill,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
