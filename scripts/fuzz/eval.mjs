// An `.eval` archive has checksums of its members. A damaged archive is refused, or imports as exactly the cassettes
// of the undamaged one. This runs `cassette import` itself, on files in memory.

import { Command } from "commander";
import { canonicalize } from "../../.playhead/modules/core/index.js";
import { parseCassette } from "../../.playhead/modules/cassette/index.js";
import { importCommand } from "../../dist/cli/commands/import.js";
import { Broken } from "./broken.mjs";
import { evalSeeds } from "./logs.mjs";

/** The refusals, and the meaning of each exit code of `cassette import`. */
const ALL_IMPORTED = 0;

const originals = new Map();

export const evalReader = {
  kind: "eval",
  seeds: evalSeeds,
  /** Packed bytes have no visible tokens or structure. */
  levels: ["bytes"],
  /** Tests pass another `importer`, to check that a careless one is found out. */
  async judge(bytes, seed, importer = importArchive) {
    if (!originals.has(seed.name)) originals.set(seed.name, await importArchive(seed.bytes));
    const original = originals.get(seed.name);
    if (original.code !== ALL_IMPORTED) throw new Error(`the seed ${seed.name} is refused: ${original.refusal}`);
    const { code, said, refusal } = await importer(bytes);
    if (said !== original.said && said !== "[]") throw new Broken("it imports with other contents");
    if (code === ALL_IMPORTED && said === "[]") throw new Broken("it imports as nothing, with exit code 0");
    return code === ALL_IMPORTED ? "imports, same contents" : `refused: ${refusal}`;
  },
};

/** The exit code, the contents of the cassettes without their dates, and the code of the first refusal. */
async function importArchive(bytes) {
  const written = [];
  let [code, out] = [0, ""];
  const files = {
    read: () => Promise.resolve({ kind: "read", bytes }),
    write: (path, text) => (written.push([path, text]), Promise.resolve({ kind: "written" })),
  };
  const io = {
    files,
    cwd: "/",
    env: {},
    isTTY: false,
    stderrIsTTY: false,
    stderr: () => {},
    exit: (to) => (code = to),
  };
  const program = new Command();
  importCommand(program, { ...io, stdout: (text) => (out += text) });
  await program.parseAsync(["import", "log.eval", "--out", "out", "--json"], { from: "user" });
  return { code, said: canonicalize(written.sort().map(meaningOf)), refusal: JSON.parse(out).refused[0]?.code };
}

function meaningOf([path, text]) {
  const { recordedAt, envelopeHash, cassetteId, ...rest } = parseCassette(text, { requireIntegrity: true });
  return [path, rest];
}
