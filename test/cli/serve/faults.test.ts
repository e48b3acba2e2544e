// `cassette serve --faults`: the faults of a plan, over the wires of the vendors.

import { writeFileSync } from "node:fs";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { HTTP_FAULTS } from "../../../src/harness/faults/bodies.js";
import { everyFault, type Fault } from "../../../src/harness/faults/fault.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { TURN_PATHS, turnBody } from "../../support/wire-turns.js";
import { cli, documentOf, place } from "../run.js";
import { cassetteOf, placeJson, send, startServe } from "./running.js";

const one = place("faults-one.cassette.json", cassetteOf({ q: "a" }));
const plan = (name: string, value: unknown) => placeJson(`${name}.json`, value);
const at = (...faults: Fault[]) => ({ schedule: faults.map((fault, call) => ({ call, fault })) });

describe("serve --faults", () => {
  it("refuses first and then gives the recorded turn to the retry of the vendor's own client", async () => {
    const faults = plan(
      "server-error",
      at({ kind: "http", error: "server-error" }, { kind: "network", code: "ECONNRESET" }),
    );
    const server = await startServe([one], { faults, json: true });
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${server.url}/v1`, maxRetries: 2 });
    const answer = await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "q" }] });
    expect(answer.choices[0]?.message.content).toBe("a");
    const { code, err, document } = await server.stop();
    expect([code, document]).toMatchObject([
      0,
      {
        answered: 1,
        unused: 0,
        requests: [
          { method: "POST", path: "/v1/chat/completions", outcome: "fault", count: 2 },
          { outcome: "turn", count: 1 },
        ],
        faults: {
          injected: [
            { call: 0, took: true },
            { call: 1, took: true },
          ],
          pending: [],
        },
      },
    ]);
    expect(err).toContain("fault: POST /v1/chat/completions: http server-error\n");
  });

  it("has the body, status and headers of the wire that the client speaks", async () => {
    const faults = plan("limits", at({ kind: "http", error: "rate-limit" }, { kind: "http", error: "overloaded" }));
    const server = await startServe([one], { faults });
    const limited = await send(server.url, "q", { path: "/v1/messages", max_tokens: 9 });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(JSON.parse(limited.text)).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
    expect((await send(server.url, "q", { path: "/v1/messages", max_tokens: 9 })).status).toBe(529);
    expect((await send(server.url, "q")).text).toContain('"a"');
    const { code, out } = await server.stop();
    expect(code).toBe(0);
    expect(out).toContain("fault injected, http rate-limit: 1 time\nfault injected, http overloaded: 1 time\n");
  });

  it.each(Object.keys(VENDORS) as WireName[])(
    "gives the client of %s each refusal of its vendor, and then the answer",
    async (wire) => {
      const refusals = Object.entries(HTTP_FAULTS[wire]);
      const faults = plan(`all-${wire}`, at(...refusals.map(([error]) => ({ kind: "http", error }) as Fault)));
      const server = await startServe([one], { faults });
      const ask = async () => {
        const body = JSON.stringify(turnBody(wire, "q"));
        const response = await fetch(`${server.url}${TURN_PATHS[wire][0]}`, { method: "POST", body });
        return { status: response.status, headers: response.headers, text: await response.text() };
      };
      expect(refusals.length).toBeGreaterThan(2);
      for (const [, { status, headers, body }] of refusals) {
        const reply = await ask();
        expect([reply.status, reply.text]).toEqual([status, body]);
        for (const [name, value] of Object.entries(headers))
          expect([name, reply.headers.get(name)]).toEqual([name, value]);
      }
      const answered = await ask();
      expect([answered.status, answered.text]).toEqual([200, expect.stringContaining('"a"')]);
      expect((await server.stop()).code).toBe(0);
    },
  );

  it("strikes a turn that continues an answer by its id", async () => {
    const faults = plan("continued", { schedule: [{ call: 1, fault: { kind: "http", error: "rate-limit" } }] });
    const server = await startServe([one], { faults });
    const path = "/v1/responses";
    const { text } = await send(server.url, "", { path, messages: undefined, input: "q" });
    const { id: previous_response_id } = JSON.parse(text) as { id: string };
    const more = { path, messages: undefined, input: "more", previous_response_id };
    expect((await send(server.url, "", more)).status).toBe(429);
    expect((await server.stop()).code).toBe(0);
  });

  it("cuts streams, breaks connections and sends wrong bodies", async () => {
    const faults = plan(
      "torn",
      at(
        { kind: "torn", how: "closed" },
        { kind: "torn", how: "reset" },
        { kind: "torn", how: "error" },
        { kind: "wrong-json", body: "page" },
        { kind: "http", error: "bad-gateway" },
        { kind: "refusal" },
        { kind: "latency", ms: 1 },
      ),
    );
    const server = await startServe([one], { faults });
    const stream = { stream: true };
    const closed = await send(server.url, "q", stream);
    expect([closed.status, closed.text.includes("[DONE]")]).toEqual([200, false]);
    await expect(send(server.url, "q", stream)).rejects.toThrow("terminated");
    expect((await send(server.url, "q", stream)).text).toContain(VENDORS.openai.streamError);
    expect(await send(server.url, "q")).toMatchObject({
      status: 200,
      text: expect.stringContaining("<html>") as string,
    });
    expect((await send(server.url, "q")).status).toBe(502);
    expect((await send(server.url, "q")).text).toContain("content_filter");
    expect((await send(server.url, "q")).text).toContain('"a"');
    const { code, out } = await server.stop();
    expect(code).toBe(0);
    expect(out).toContain("fault injected, latency of 1 ms: 1 time\n");
    expect(out).toContain("POST /v1/chat/completions answered with a fault: 6 times\n");
  });

  it("stays silent until the client leaves", async () => {
    const server = await startServe([one], {
      faults: plan("hang", at({ kind: "hang" }, { kind: "torn", how: "stalled" })),
    });
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "q" }] });
    const leaving = new AbortController();
    const hanging = fetch(`${server.url}/v1/chat/completions`, { method: "POST", body, signal: leaving.signal });
    const stalled = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
    leaving.abort();
    await expect(hanging).rejects.toThrow("aborted");
    expect((await stalled.body?.getReader().read())?.done).toBe(false);
    expect((await send(server.url, "q")).text).toContain('"a"');
    expect((await server.stop()).code).toBe(0);
  });

  it("says which faults never struck, and which had no effect", async () => {
    const quota: Fault = { kind: "http", error: "quota" };
    const faults = plan("late", {
      schedule: [
        { call: 0, fault: quota },
        { call: 5, fault: { kind: "hang" } },
      ],
    });
    const server = await startServe([one], { faults, json: true });
    expect(
      (
        await fetch(`${server.url}/api/chat`, {
          method: "POST",
          body: JSON.stringify({ model: "m", stream: false, messages: [{ role: "user", content: "q" }] }),
        })
      ).status,
    ).toBe(200);
    const { document } = await server.stop();
    expect(document["faults"]).toEqual({
      injected: [{ call: 0, fault: quota, took: false }],
      pending: [{ call: 5, fault: { kind: "hang" } }],
    });
    const never = await startServe([one], { faults });
    const { out } = await never.stop();
    expect(out).toContain("no fault was injected\n");
    expect(out).toContain("fault never injected, hang: 1 time. The client sent too few turns.\n");
  });

  it("counts turns alone, and draws by a seed", async () => {
    const faults = plan("drawn", { faults: [{ kind: "http", error: "server-error" }], rate: 1, maxFaults: 1 });
    const server = await startServe([one], { faults, pass: ["GET /v1/models"] });
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
    expect((await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: "{" })).status).toBe(400);
    expect((await send(server.url, "q")).status).toBe(500);
    expect((await send(server.url, "q")).status).toBe(200);
  });

  it.each([
    ["", [], "the plan is a list: give an object"],
    ["", {}, "faults or a schedule is required"],
    ["/fault", { fault: [] }, 'a plan has no field "fault": it has faults, rate'],
    ["/rate", { faults: [{ kind: "hang" }], rate: 2 }, "rate is 2: give a share from 0 to 1"],
    ["/faults/1", { faults: [{ kind: "hang" }, { kind: "http", error: "busy" }] }, 'error is "busy": give one of'],
    ["/schedule", { schedule: [0, 0].map((call) => ({ call, fault: { kind: "hang" } })) }, "two faults at call 0"],
    ["/schedule/0", { schedule: [{ call: 0, fault: { kind: "hang" }, at: 1 }] }, "has no at: give { call, fault }"],
    ["/schedule/0/fault", { schedule: [{ call: 0, fault: { kind: "hang", ms: 1 } }] }, "hang has no ms"],
    ["/faults/0", { faults: [{ kind: "cut-by-length" }] }, "which changes a recorded answer"],
    ["/faults/0", { faults: [{ kind: "network", code: "ENOTFOUND" }] }, "give ECONNRESET"],
  ])("refuses a plan that is wrong at %j", async (pointer, value, text) => {
    const file = plan("wrong", value);
    const ran = await cli(["serve", one, "--port", "0", "--faults", file, "--json"]);
    expect(ran.code).toBe(2);
    const { error } = documentOf(ran);
    expect(error).toMatchObject({ code: "faults-unreadable", message: expect.stringContaining(text) as string, file });
    expect((error as { pointer?: string }).pointer ?? "").toBe(pointer);
  });

  it("refuses a plan that is missing or not JSON", async () => {
    expect((await cli(["serve", one, "--faults", "nowhere.json"])).err).toContain("nowhere.json does not exist");
    const broken = place("broken.cassette.json", cassetteOf({}));
    writeFileSync(broken, "{");
    const { err } = await cli(["serve", one, "--faults", broken]);
    expect(err).toContain("the plan of faults cannot be read: the file is not JSON, or was cut short");
    expect(err).toContain('  hint: Give a plan such as { "schedule"');
    expect(err).not.toContain("record it again");
  });

  it("takes every fault that a server can cause", async () => {
    const others = ["duplicate-call", "cut-by-length"];
    const possible = everyFault("openai").filter(
      (fault) => !others.includes(fault.kind) && (fault.kind !== "network" || fault.code === "ECONNRESET"),
    );
    const server = await startServe([one], { faults: plan("all", { faults: possible, rate: 0 }) });
    expect((await send(server.url, "q")).status).toBe(200);
  });
});
