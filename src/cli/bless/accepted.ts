// `cassette accepted`: why each variant is in a baseline, and whether each line still matches its cassette.

import { join } from "node:path";
import {
  ACCEPTED_FILE,
  listCassettes,
  createCassetteStore,
  DEFAULT_MAX_FILE_BYTES,
  parseAcceptances,
  proofOf,
  readTrust,
  type Acceptance,
  type AcceptanceProof,
  type CassetteStore,
} from "../../cassette/index.js";
import { systemPorts } from "../../core/index.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson } from "../terminal/output.js";
import { readBytes } from "../options/file.js";
import { loadRecording } from "../options/recordings.js";

export interface AcceptedOptions {
  trust?: string;
  json?: boolean;
}

/** `gone`: no such file. `changed`: the file is a different recording. `refused`: it does not load. */
type CassetteState = "there" | "gone" | "changed" | "refused";

interface Listed extends Acceptance {
  state: CassetteState;
  proof: AcceptanceProof;
}

/** Exits 3 when a line or its signature does not hold, or with `--trust` when one is not by a trusted key. */
export async function accepted(folder: string, options: AcceptedOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const file = join(folder, ACCEPTED_FILE);
  const hint = "Name the folder that npx playhead bless writes to.";
  const bytes = await readBytes(files, file, DEFAULT_MAX_FILE_BYTES, { code: "nothing-found", hint });
  const lines = parseAcceptances(new TextDecoder().decode(bytes), file);
  const trust = options.trust === undefined ? undefined : await readTrust(files, options.trust);
  const store = createCassetteStore(files);
  const listed: Listed[] = [];
  for (const line of lines) {
    const state = await stateOf(store, join(folder, line.path), line);
    listed.push({ ...line, state, proof: proofOf(line, systemPorts.now(), trust) });
  }
  const unexplained = findUnexplained((await listCassettes(files, folder)) ?? [], lines);
  const isWrong = ({ state, proof }: Listed): boolean =>
    state !== "there" || proof === "invalid" || (trust !== undefined && proof !== "trusted");
  const wrong = listed.filter(isWrong).length;
  const exitCode = wrong > 0 ? EXIT.integrity : EXIT.ok;
  io.exit(exitCode);
  if (options.json === true) {
    writeJson(io, "accepted", exitCode, { folder, accepted: listed, wrong, unexplained });
    return;
  }
  const line = createPrinter(io);
  for (const one of listed) {
    const { acceptedAt, path, reason, state, proof } = one;
    const look = isWrong(one) ? "bad" : "good";
    line({ look, text: state.padEnd(8) }, `${acceptedAt}  `, path, `  ${proof}`, "  ", reason);
  }
  if (unexplained.length > 0) line({ look: "dim", text: `warning: ${unexplainedText(unexplained)}` });
  line(`${count(listed.length, "acceptance")}, ${wrong} that ${wrong === 1 ? "does" : "do"} not hold`);
}

async function stateOf(store: CassetteStore, file: string, { envelopeHash }: Acceptance): Promise<CassetteState> {
  const loaded = await loadRecording(store, file);
  if (loaded.kind === "failed") return loaded.failure.code === "file-not-found" ? "gone" : "refused";
  const { cassette } = loaded;
  return cassette.version === 2 && cassette.envelopeHash === envelopeHash ? "there" : "changed";
}

const SHOWN_NAMES = 5;

/** The cassettes of a baseline without a reason, recorded there by hand or left by an interrupted bless. */
export function findUnexplained(names: readonly string[], lines: readonly Acceptance[]): string[] {
  const explained = new Set(lines.map(({ path }) => path));
  return names.filter((name) => !explained.has(name));
}

/** "2 cassettes have no reason in accepted.jsonl: a.0.cassette.json, b.0.cassette.json". */
export function unexplainedText(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  const named = [...names.slice(0, SHOWN_NAMES), ...(more > 0 ? [`and ${more} more`] : [])];
  const who = names.length === 1 ? "1 cassette has" : `${names.length} cassettes have`;
  return `${who} no reason in accepted.jsonl: ${named.join(", ")}`;
}
