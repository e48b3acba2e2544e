// The processes to kill, and the state that must hold afterwards. Each job prepares its folder, names a process to
// start, and checks the files it leaves. `look` throws if a file is torn, or is neither the old nor the new one.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fabricJob } from "./fabric-job.mjs";
import { scriptedProvider } from "../../.playhead/modules/core/index.js";
import {
  formatCassette,
  parseAcceptances,
  parseCassette,
  parseLock,
  recordingProvider,
} from "../../.playhead/modules/cassette/index.js";

const bin = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));
const seedKey = "07".repeat(32);

/** The files that a killed write leaves. The next write into the folder removes them once they are a day old. */
export const LEFTOVER = /^\.playhead-[0-9a-f]{12}\.tmp$/;

export function leftoversIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    LEFTOVER.test(name.split(/[\\/]/).at(-1)),
  );
}

/** Everything in `folder` that is not a whole cassette, a known name or a leftover of a write. */
function assertWhole(folder, known = [], isCassette = (name) => name.endsWith(".cassette.json")) {
  let whole = 0;
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile() || LEFTOVER.test(name.name) || known.includes(name.name)) continue;
    if (!isCassette(name.name)) throw new Error(`${name.name} is a file that nobody should have written`);
    parseCassette(readFileSync(join(name.parentPath, name.name)), { requireIntegrity: true });
    whole++;
  }
  return whole;
}

async function small(text) {
  const answer = { message: { role: "assistant", content: text }, finalAnswer: text, stopReason: "stop" };
  const recorder = recordingProvider(scriptedProvider([answer]));
  await recorder.turn({ messages: [{ role: "user", content: "Go." }] });
  return recorder.toCassette();
}

/** Records in a loop: over one file, and into files that did not exist. */
export const recordJob = {
  name: "record",
  async prepare(folder) {
    writeFileSync(join(folder, "replaced.cassette.json"), formatCassette(await small("the old one")));
  },
  args: (folder, round) => [fileURLToPath(new URL("recorder.mjs", import.meta.url)), folder, String(round)],
  /** The kill is timed from the first save on. */
  waits: true,
  look(folder) {
    if (!existsSync(join(folder, "replaced.cassette.json"))) throw new Error("the file that was replaced is gone");
    return assertWhole(folder);
  },
};

/** Updates a lock with changed cassettes. It must be the old lock or the new one. */
export const lockJob = {
  name: "lock --update",
  async prepare(folder) {
    for (let number = 0; number < 200; number++) {
      writeFileSync(join(folder, `${number}.cassette.json`), formatCassette(await small(`turn ${number}`)));
    }
    writeFileSync(join(folder, "cassettes.lock"), '{\n  "lockVersion": 1,\n  "cassettes": {}\n}\n');
  },
  args: (folder) => [bin, "lock", folder, "--file", join(folder, "cassettes.lock"), "--update"],
  look(folder) {
    const { size } = parseLock(readFileSync(join(folder, "cassettes.lock")));
    if (size !== 0 && size !== 200) throw new Error(`the lock has ${size} of 200 cassettes`);
    return assertWhole(folder, ["cassettes.lock"]);
  },
};

/** Each cassette is signed or unchanged, and verifies. */
export const signJob = {
  name: "sign",
  async prepare(folder) {
    writeFileSync(join(folder, "key.txt"), seedKey, { mode: 0o600 });
    for (let number = 0; number < 100; number++) {
      writeFileSync(join(folder, `${number}.cassette.json`), formatCassette(await small(`turn ${number}`)));
    }
  },
  args: (folder) => [
    bin,
    "sign",
    ...readdirSync(folder).flatMap((name) => (name.endsWith(".cassette.json") ? [join(folder, name)] : [])),
    "--key",
    join(folder, "key.txt"),
  ],
  look: (folder) => assertWhole(folder, ["key.txt"]),
};

/** Every cassette imported so far is whole. */
export const importJob = {
  name: "import",
  async prepare(folder) {
    mkdirSync(join(folder, "out"));
    const log = readFileSync(new URL("../../test/corpus/logs/openai.jsonl", import.meta.url), "utf8").split("\n")[0];
    const lines = Array.from({ length: 400 }, (_, index) => log.replace('"umbrella"', `"umbrella-${index}"`));
    writeFileSync(join(folder, "log.jsonl"), lines.join("\n") + "\n");
  },
  args: (folder) => [bin, "import", join(folder, "log.jsonl"), "--out", join(folder, "out")],
  look: (folder) => assertWhole(folder, ["log.jsonl"]),
};

const BLESSED = 60;

/** A cassette in the baseline has its reason, whenever the process was killed. Running the command again completes everything. */
export const blessJob = {
  name: "bless",
  async prepare(folder) {
    for (const name of ["base", "new"]) mkdirSync(join(folder, name));
    for (let number = 0; number < BLESSED; number++) {
      const text = formatCassette(await small(`turn ${number}`));
      writeFileSync(join(folder, "new", `run.${number}.cassette.json`), text);
    }
    writeFileSync(join(folder, "cassettes.lock"), '{\n  "lockVersion": 1,\n  "cassettes": {}\n}\n');
  },
  args: (folder) => [
    ...[bin, "bless", join(folder, "new"), "--into", join(folder, "base")],
    ...["--lock", join(folder, "cassettes.lock"), "--reason", "as it should be"],
  ],
  look(folder) {
    const names = (path) => readdirSync(path).filter((name) => name.endsWith(".cassette.json"));
    const explained = () => {
      const file = join(folder, "base", "accepted.jsonl");
      return existsSync(file) ? parseAcceptances(readFileSync(file, "utf8")).map(({ path }) => path) : [];
    };
    const silent = names(join(folder, "base")).filter((name) => !explained().includes(name));
    if (silent.length > 0) throw new Error(`${silent.length} cassettes have no reason`);
    const { CI: _ci, ...env } = process.env;
    const again = spawnSync(process.execPath, blessJob.args(folder), { encoding: "utf8", env });
    if (again.status !== 0) throw new Error(`the second bless failed: ${again.stderr}`);
    const { size } = parseLock(readFileSync(join(folder, "cassettes.lock")));
    const counts = [names(join(folder, "base")).length, new Set(explained()).size, explained().length, size];
    if (counts.some((count) => count !== BLESSED)) throw new Error(`of ${BLESSED} there are ${counts.join(", ")}`);
    return assertWhole(folder, ["cassettes.lock", "accepted.jsonl"]);
  },
};

const isKeptOrFailed = (name) => name === "kept.cassette.json" || name.endsWith(".failed.cassette.json");

/** Recordings of failed tests are kept next to their cassettes, which do not change. The ledger names the existing files. */
export const failedJob = {
  name: "failed tests",
  async prepare(folder) {
    writeFileSync(join(folder, "kept.cassette.json"), formatCassette(await small("the old one")));
  },
  args: (folder) => [fileURLToPath(new URL("failing.mjs", import.meta.url)), folder],
  look(folder) {
    const kept = parseCassette(readFileSync(join(folder, "kept.cassette.json")));
    if (kept.entries[0].response.finalAnswer !== "the old one")
      throw new Error("the cassette of a failed test changed");
    const ledger = join(folder, "usage.jsonl");
    const text = existsSync(ledger) ? readFileSync(ledger, "utf8") : "";
    if (text !== "" && !text.endsWith("\n")) throw new Error("the last line of the ledger is torn");
    for (const line of text.split("\n").slice(0, -1)) {
      const { path, mode, turns } = JSON.parse(line);
      if (turns !== (mode === "failed" ? 1 : 0) || !["failed", "unfinished"].includes(mode))
        throw new Error(`the ledger has the line ${line}`);
      if (mode === "failed" && !existsSync(join(folder, path)))
        throw new Error(`the ledger names ${path}, which is not there`);
    }
    return assertWhole(folder, ["usage.jsonl"], isKeptOrFailed);
  },
};

const conversation = fileURLToPath(new URL("conversation.mjs", import.meta.url));

/** Whole steps are stored, no step that was acknowledged is lost, and the conversation goes on to its end. */
export const conversationJob = {
  name: "conversation",
  async prepare() {},
  args: (folder) => [conversation, folder],
  /** The kill is timed from the opened storage on. */
  waits: true,
  look(folder) {
    const { status, stderr } = spawnSync(process.execPath, [conversation, folder, "look"], { encoding: "utf8" });
    if (status !== 0) throw new Error(/^Error: .*$/m.exec(stderr)?.[0] ?? stderr);
    return 1;
  },
};

const session = fileURLToPath(new URL("session.mjs", import.meta.url));
/** Transactions of the session's runs, and a few more. Each round takes the one that is a prime number of places further. */
const TRANSACTIONS = 85;
const STRIDE = 7;

/**
 * The history and the events of an undisturbed run and its background jobs. No tool that must not run twice did, no answer was asked for
 * again, and the end of each job was told once.
 */
export const sessionJob = {
  name: "session",
  async prepare() {},
  /** Every second round dies behind a transaction, each in its turn, if it is not killed before. */
  args: (folder, round) => [
    session,
    folder,
    String(round % 2 === 0 ? 0 : 1 + ((Math.floor(round / 2) * STRIDE) % TRANSACTIONS)),
  ],
  waits: true,
  look(folder) {
    const { status, stderr } = spawnSync(process.execPath, [session, folder, "look"], { encoding: "utf8" });
    if (status !== 0) throw new Error(/^Error: .*$/m.exec(stderr)?.[0] ?? stderr);
    return 1;
  },
};

export const JOBS = [
  ...[recordJob, lockJob, signJob, importJob, blessJob, failedJob, conversationJob, sessionJob],
  fabricJob,
];

/** Prepares a folder once, and copies it for each round. */
export function copyFolder(from, to) {
  cpSync(from, to, { recursive: true });
}
