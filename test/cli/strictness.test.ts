// Three promises of a strict replay, from the recording proxy to the server, with the accounts of both.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { say } from "../support/script.js";
import { startStatefulVendor } from "../support/stateful-vendor.js";
import { closeLater, newFolder, proxying } from "./http-doors.js";
import { cli, documentOf, folder } from "./run.js";
import { startServe } from "./serve/running.js";

interface Row {
  method: string;
  path: string;
  outcome: string;
  count: number;
}

async function send(url: string, body: object): Promise<{ status: number; text: string; id: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/v1/responses`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, id: (JSON.parse(text) as { id?: string }).id ?? "" };
}

/** Records what `use` sends, and resolves to the file and the accounts. */
async function record(use: (url: string) => Promise<void>, name = "run") {
  const vendor = await startStatefulVendor(({ messages }) => say(`${messages.length}: ${JSON.stringify(messages)}`));
  closeLater(vendor.close);
  const out = `${newFolder()}/${name}.cassette.json`;
  const proxy = await proxying(vendor.url, out, { json: true });
  await use(proxy.url);
  const { code, out: text } = await proxy.stop();
  const { requests } = JSON.parse(text.slice(text.indexOf("{"))) as { requests: Row[] };
  return { file: join(folder, out), code, requests };
}

const asked = (effort: string) => ({ model: "m", input: "Oslo?", reasoning: { effort } });

describe("a strict replay", () => {
  it("misses for a changed effort, and counts it", async () => {
    const { file, code, requests } = await record(async (url) => {
      expect((await send(url, asked("low"))).status).toBe(200);
    });
    const turn = { method: "POST", path: "/v1/responses", count: 1 };
    expect([code, requests]).toEqual([0, [{ ...turn, outcome: "turn" }]]);
    const server = await startServe([file], { json: true, allowUnused: true });
    const { status, text } = await send(server.url, asked("high"));
    expect([status, text]).toEqual([400, expect.stringContaining("/responses/reasoning")]);
    const served = await server.stop();
    expect([served.code, served.document]).toMatchObject([
      1,
      { answered: 0, misses: [{ code: "settings-changed" }], requests: [{ ...turn, outcome: "missed" }] },
    ]);
  });

  it("gives each of two conversations its own answers in the other order, and a miss to a third", async () => {
    const begin = (url: string, city: string) => send(url, { model: "m", input: `${city}?` });
    const more = (url: string, id: string) => send(url, { model: "m", input: "And then?", previous_response_id: id });
    const cities = ["Oslo", "Rome"];
    const { file, code, requests } = await record(async (url) => {
      const ids: string[] = [];
      for (const city of cities) ids.push((await begin(url, city)).id);
      for (const id of ids) expect((await more(url, id)).status).toBe(200);
    });
    expect([code, requests]).toMatchObject([0, [{ outcome: "turn", count: 4 }]]);
    const files = [file, file.replace(".cassette.json", "-2.cassette.json")];
    const server = await startServe(files, { json: true });
    const begun = new Map<string, string>();
    for (const city of [...cities].reverse()) begun.set(city, (await begin(server.url, city)).id);
    for (const city of [...cities].reverse()) {
      const { status, text } = await more(server.url, begun.get(city) ?? "");
      expect([status, text.includes(city), cities.filter((other) => text.includes(other))]).toEqual([
        200,
        true,
        [city],
      ]);
    }
    // Neither has a third turn.
    const third = await more(server.url, begun.get("Oslo") ?? "");
    expect([third.status, third.text]).toEqual([400, expect.stringContaining("exhausted")]);
    const { code: exit, document } = await server.stop();
    expect([exit, document]).toMatchObject([1, { answered: 4, unused: 0, misses: [{ code: "exhausted" }] }]);
  });

  it("fails a command that swallows a 404, and names the path", async () => {
    const { file, code, requests } = await record(async (url) => {
      await send(url, asked("low"));
      // The vendor's own 404 is recorded, and no failure.
      expect((await fetch(`${url}/v1/files/none`)).status).toBe(404);
    });
    expect([code, requests.map(({ path, outcome }) => `${path} ${outcome}`)]).toEqual([
      0,
      ["/v1/responses turn", "/v1/files/none exchange"],
    ]);
    const agent = join(folder, "swallows.mjs");
    const lines = [
      "const url = process.env.OPENAI_BASE_URL;",
      `const body = ${JSON.stringify(JSON.stringify(asked("low")))};`,
      'await fetch(`${url}/responses`, { method: "POST", headers: { "content-type": "application/json" }, body });',
      "const recorded = await fetch(`${url}/files/none`);",
      "const missed = await fetch(`${url}/files/other`).catch(() => undefined);",
      "console.log(recorded.status, missed?.status);",
    ];
    writeFileSync(agent, lines.join("\n"));
    const ran = await cli(["serve", file, "--json", "--", process.execPath, agent]);
    expect([ran.code, documentOf(ran)]).toMatchObject([
      1,
      { answered: 2, unused: 0, requests: [{}, {}, { method: "GET", path: "/v1/files/other", outcome: "missed" }] },
    ]);
    expect(ran.err).toContain("no recorded exchange answers GET /v1/files/other");
  });
});
