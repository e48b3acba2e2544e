// Runs of the stand-in agent through `--agent claude`, in folders of their own, against a model on loopback.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CassetteV2 } from "../../../src/cassette/index.js";
import { cassetteBin } from "../../support/built.js";
import { listen } from "../../support/wire.js";

export const standIn = fileURLToPath(new URL("stand-in.mjs", import.meta.url));

/** A model that lets its agent write note.txt, count it, and say so. It notes the models that were asked for. */
export async function startModel() {
  const models: string[] = [];
  const live = await listen((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as { model: string; messages: unknown[] };
      models.push(body.model);
      const folder = /Working directory: (\S+)\./.exec(JSON.stringify(body.messages))?.[1];
      const use = (name: string, input: object) => ({ type: "tool_use", id: `toolu_${models.length}`, name, input });
      const content =
        [
          use("Write", { file: `${folder}/note.txt`, text: `by ${body.model}` }),
          use("Bash", { command: "wc -c < note.txt" }),
        ][(body.messages.length - 1) / 2] ?? ({ type: "text", text: `Done by ${body.model}.` } as const);
      response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          ...{ id: `msg_${models.length}`, type: "message", role: "assistant", model: body.model, content: [content] },
          ...{ stop_reason: content.type === "text" ? "end_turn" : "tool_use", stop_sequence: null },
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      );
    });
  });
  return { url: live.baseURL, models, close: live.close };
}

/** A repository with one commit and one changed file. */
export function repository(): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-work-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  git("init", "-q", "-b", "trunk");
  writeFileSync(join(folder, "a.txt"), "a");
  writeFileSync(join(folder, ".gitignore"), "ignored/\n__cassettes__/\n");
  git("add", ".");
  git("commit", "-q", "-m", "begin");
  writeFileSync(join(folder, "a.txt"), "b");
  return folder;
}

/** Copies the recordings of one folder to another. */
export function takeRecordings(from: string, to: string): void {
  cpSync(join(from, "__cassettes__"), join(to, "__cassettes__"), { recursive: true });
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `cassette` in `cwd`. */
export function run(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const { ANTHROPIC_API_KEY: _, CI: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [cassetteBin, ...args], { cwd, env: { ...inherited, ...env } });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

export const KEY = { ANTHROPIC_API_KEY: "sk-ant-none" };

/** Records the stand-in agent in a new repository. Resolves to the folder. */
export async function recorded(url: string, ...options: string[]): Promise<string> {
  const folder = repository();
  const ran = await run(
    folder,
    ["record", "--agent", "claude", "--target", url, ...options, "--", "node", standIn],
    KEY,
  );
  if (ran.code !== 0) throw new Error(`${ran.out}\n${ran.err}`);
  return folder;
}

export function load(folder: string, file: string): CassetteV2 {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as CassetteV2;
}
