// A recording of an agent in one folder and home, replayed in others.

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { ask, say } from "../../support/script.js";
import { listen } from "../../support/wire.js";
import { cli, folder } from "../run.js";
import { closeLater } from "./running.js";

/** Tells its folders, does what the model says, and reports it. */
const AGENT = `
const { writeFileSync } = require("node:fs");
const messages = [{ role: "user", content: \`Write a note in \${process.cwd()}. Home: \${process.env.HOME}/.agent\` }];
(async () => {
  for (;;) {
    const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: JSON.stringify({ model: "m", messages }) });
    if (!response.ok) return;
    const { message } = (await response.json()).choices[0];
    const [call] = message.tool_calls ?? [];
    if (call === undefined) return;
    const { path } = JSON.parse(call.function.arguments);
    writeFileSync(path, "hello");
    messages.push(message, { role: "tool", tool_call_id: call.id, content: "wrote " + path });
  }
})();`;

/** Asks for a note in the folder that the prompt names. */
async function vendor(): Promise<string> {
  const server = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { messages: { content: string }[] };
      const [, work] = /in (.+)\. Home/.exec(messages[0]?.content ?? "") ?? [];
      const path = join(work ?? "", "note.txt");
      const call = ask([{ id: "call_1", name: "write", arguments: { path } }]);
      const stamp = { id: "1", createdAt: 0, model: "m", wantsUsage: false };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(VENDORS.openai.write(messages.length === 1 ? call : say(`Wrote ${path}.`), stamp)));
    });
  });
  closeLater(server.close);
  return `${server.baseURL}/v1`;
}

/** A user with a project in its home. */
function homeOf(name: string, project: string): { cwd: string; env: Record<string, string>; note: string } {
  const home = join(folder, name);
  const cwd = join(home, project);
  mkdirSync(cwd, { recursive: true });
  return { cwd, env: { HOME: home }, note: join(cwd, "note.txt") };
}

const command = ["--", process.execPath, "-e", AGENT];

describe("serve --filter path in another folder", () => {
  it("answers with the folders of the replay, so that files are written there", async () => {
    const [ann, bob] = [homeOf("ann", "shop"), homeOf("bob", "work/shop/shop")];
    const out = join(folder, "notes.cassette.json");
    const recorded = await cli(["record", "--proxy", "--target", await vendor(), "--out", out, ...command], ann);
    expect([recorded.code, recorded.err]).toEqual([0, expect.stringContaining("a folder of this machine")]);
    rmSync(ann.note);

    const strict = await cli(["serve", out, ...command], bob);
    expect([strict.code, existsSync(bob.note)]).toEqual([1, false]);

    const replayed = await cli(["serve", out, "--filter", "path", ...command], bob);
    expect(replayed.err).toContain(`answers name ${bob.cwd} in place of the recorded ${ann.cwd}`);
    expect(replayed.err).toContain("2 answered, 0 misses, 0 refused, 0 unused");
    expect([replayed.code, readFileSync(bob.note, "utf8"), existsSync(ann.note)]).toEqual([0, "hello", false]);
  });
});
