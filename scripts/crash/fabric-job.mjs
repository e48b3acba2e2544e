// A fabric of two agents. The fabric or one of them is killed. Afterwards no process of the round is left, and an output
// that counts as whole has everything.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MESSAGES } from "./fabric.mjs";

const PATIENCE_MS = 3_000;

/** All processes of a round have its folder in their arguments. */
function processesOf(folder) {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .filter((line) => line.includes(`${folder}/`))
    .map((line) => Number.parseInt(line, 10));
}

export const fabricJob = {
  name: "fabric",
  prepare() {
    // A round writes its own specs.
  },
  args: (folder, round) => [
    fileURLToPath(new URL("fabric.mjs", import.meta.url)),
    `${folder}/`,
    Math.floor(round / 2) % 2 === 0 ? "stdio" : "ipc",
  ],
  waits: true,
  victims: processesOf,
  async look(folder) {
    const deadline = performance.now() + PATIENCE_MS;
    while (processesOf(folder).length > 0) {
      if (performance.now() > deadline) throw new Error(`a process is left: ${processesOf(folder).join(", ")}`);
      await sleep(50);
    }
    const read = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
    const outputs = read("outputs").split("\n").slice(0, -1);
    if (outputs.some((text, at) => text !== String(at))) throw new Error(`the outputs are ${outputs.join(" ")}`);
    if (read("end") !== "whole") return 0;
    if (outputs.length !== MESSAGES) throw new Error(`a whole output has ${outputs.length} of ${MESSAGES} messages`);
    return 1;
  },
};
