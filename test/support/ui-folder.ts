// A folder with everything that `cassette ui` shows, and a server of its pages.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildCassette } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { ui } from "../../src/cli/ui/ui.js";
import type { LlmMessage } from "../../src/core/index.js";
import { jsonReport } from "../../src/harness/reports/json.js";
import { nodeFiles } from "../../src/host/files.js";
import { recordRun } from "./drifting-runs.js";
import { HOSTILE, richReport } from "./gate-report.js";

/** A file name that tries to be markup. Disks allow no `/`. */
export const HOSTILE_NAME = `<img src=x onerror=alert(1)>"'\u202egnp.\u200b&lt;`;

export interface UiFolder {
  readonly path: string;
  write(name: string, content: string | CassetteV2): void;
  remove(): void;
}

export function uiFolder(): UiFolder {
  const path = mkdtempSync(join(tmpdir(), "playhead-ui-"));
  let age = 0;
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : formatCassette(content));
      // Files that are written at once would have no order.
      const date = new Date(Date.UTC(2026, 10, 26, 12, 0, ++age));
      utimesSync(file, date, date);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** One item of every kind. */
export function fillFolder({ write }: Pick<UiFolder, "write">): void {
  write("shop/refund.cassette.json", recordRun(["find_user", "get_order", "refund"], 1, true));
  write("shop/refund.failed.cassette.json", recordRun(["find_user", "refund"], 2, false));
  write("shop/damaged.cassette.json", "{");
  write(
    "shop/edited.cassette.json",
    formatCassette(recordRun(["find_user"], 3)).replace("Please refund", "Please repay"),
  );
  write("upgrade.json", jsonReport(richReport()));
  write("mutants.jsonl", mutantLines());
  write("ledger.jsonl", ledgerLine(missOf("the user message changed (message 0)")));
  write("package.json", '{ "name": "shop" }');
}

export function missOf(what: string): object {
  const place = { pointer: "/0/content", recorded: '"Please refund my order."', actual: '"Please cancel my order."' };
  const near = { nearest: { turnIndex: 1, used: false }, messageIndex: 0, also: ["the setting temperature changed"] };
  return { code: "prompt-changed", turn: 1, what, hint: "Undo the change, or record it again.", ...place, ...near };
}

export function ledgerLine(miss: object | undefined, path = "shop/refund.cassette.json"): string {
  return `${JSON.stringify({ file: `/srv/project/${path}`, path, mode: miss === undefined ? "replay" : "unfinished", turns: 0, miss })}\n`;
}

export function mutantLines(text = "the number 100 became 101"): string {
  const plan = {
    line: "plan",
    reportVersion: 1,
    seed: "1",
    kinds: ["arguments"],
    command: ["npx", "vitest"],
    cassettes: {},
  };
  const mutant = (id: string, outcome: string, kind: string) => ({
    ...{ line: "mutant", outcome, exitCode: 0, isTimedOut: false, ms: 10 },
    ...{ id, kind, file: "shop/refund.cassette.json", turn: 1, sentence: text },
    ...{ pointer: "/entries/1/response/message/toolCalls/0/arguments/order", old: "W-100", new: text },
  });
  const lines = [
    plan,
    mutant("aaa", "noticed", "arguments"),
    mutant("bbb", "survived", "arguments"),
    mutant("ccc", "survived", "prompt"),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"line":"mut`;
}

/** A recording in which every text is hostile. */
export function hostileRun(): CassetteV2 {
  const messages: LlmMessage[] = [
    { role: "system", content: HOSTILE },
    { role: "user", content: HOSTILE },
  ];
  const toolCalls = [{ id: "call-0", name: HOSTILE, arguments: { [HOSTILE]: HOSTILE, url: "javascript:alert(1)" } }];
  const message = { role: "assistant" as const, content: HOSTILE, toolCalls };
  const head = {
    recordedAt: "2026-11-20T12:00:00.000Z",
    recordedProvider: HOSTILE.slice(0, 100),
    cassetteId: "9".repeat(32),
  };
  return buildCassette({ ...head, extensions: { outcome: { success: false, error: HOSTILE } } }, [
    {
      promptHash: hashPrompt(messages),
      prompt: { keep: 0, messages },
      response: { message, stopReason: "toolUse", model: HOSTILE },
    },
  ]);
}

export interface ServedUi {
  /** The address of the list, with the key. */
  readonly url: string;
  readonly printed: string;
  readonly notes: () => string;
  stop(): Promise<void>;
}

/** Runs the command in this process until `stop`. */
export async function serveUi(folder: string, cwd = folder): Promise<ServedUi> {
  let [printed, notes] = ["", ""];
  let end: () => void = () => undefined;
  let started: (url: string) => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (end = resolve));
  const starting = new Promise<string>((resolve) => (started = resolve));
  const io = {
    stdout: (text: string) => {
      printed += text;
      const [url] = /http:\S+/.exec(printed) ?? [];
      if (url !== undefined) started(url);
    },
    stderr: (text: string) => void (notes += text),
    exit: () => undefined,
    ...{ env: {}, cwd, isTTY: false, stderrIsTTY: false, files: nodeFiles() },
  };
  const running = ui(folder, { port: 0 }, io, { stopped, now: end });
  const url = await Promise.race([starting, running.then(() => "")]);
  return {
    url,
    printed,
    notes: () => notes,
    async stop() {
      end();
      await running;
    },
  };
}
