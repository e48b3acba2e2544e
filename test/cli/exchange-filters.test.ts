// Text that changes with each run, in requests that are not turns: recorded on one day, replayed on another, through every door.

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import type { HashFilterOption } from "../../src/cassette/prompt/hash-filters.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { useCassette } from "../../src/entry/harness.js";
import { cassetteHandlers, useCassetteHandlers } from "../../src/entry/msw.js";
import { createCassetteFor } from "../../src/harness/fixture/node-test.js";
import { nodeFiles } from "../../src/host/files.js";
import { answer, get, post, recordExchanges } from "../support/exchange-recording.js";
import { rejection } from "../support/refusal.js";
import { fixedPorts } from "../support/recording.js";
import { folder, place } from "./run.js";
import { startServe } from "./serve/running.js";

const URL_OF_VENDOR = "http://vendor.test";
const baseUrls = { openai: `${URL_OF_VENDOR}/v1` };
const quiet = { ports: { ...fixedPorts(), warn: () => undefined } };
const FIRST = "2026-11-22";
const LATER = "2027-01-09";
const bodyOn = (day: string) => ({ input: [`Notes of ${day}`, "plain"], at: Date.parse(day) / 1_000 });

function recorded(name: string, hashFilter?: HashFilterOption): string {
  const pairs = [
    [post("/v1/embeddings", bodyOn(FIRST)), answer({ data: [1] })],
    [get(`/v1/usage?day=${FIRST}T10%3A00`), answer({ total: 7 })],
  ] as const;
  return place(name, recordExchanges(pairs, { ...quiet, ...(hashFilter === undefined ? {} : { hashFilter }) }));
}

/** Sends both requests of another day. Resolves to the statuses. */
async function send(url: string, day = LATER): Promise<number[]> {
  const headers = { "content-type": "application/json" };
  const embedded = await fetch(`${url}/v1/embeddings`, { method: "POST", headers, body: JSON.stringify(bodyOn(day)) });
  const usage = await fetch(`${url}/v1/usage?day=${day}T10%3A00`);
  return [embedded.status, usage.status];
}

const msw = setupServer();
async function sendThrough(handlers: readonly RequestHandler[]): Promise<number[]> {
  msw.listen({ onUnhandledRequest: "error" });
  msw.resetHandlers(...handlers);
  try {
    return await send(URL_OF_VENDOR);
  } finally {
    msw.resetHandlers();
    msw.close();
  }
}

const FILTERS = ["isoDate", "unixTime"] as const;
const live = () => Promise.reject(new Error("a replay asks nobody"));

describe("exchanges of another day", () => {
  it("hold no date in a recording with filters, and the answers stay as they were", () => {
    const file = recorded("with-filters.cassette.json", FILTERS);
    const { extensions } = parseCassette(readFileSync(file, "utf8")) as CassetteV2;
    expect(extensions).toMatchObject({
      filters: FILTERS,
      exchanges: [
        { request: { json: { input: ["Notes of <date>", "plain"], at: "<time>" } } },
        { query: "day=%3Cdate%3E", response: { json: { total: 7 } } },
      ],
    });
  });

  const DOORS: Record<string, (file: string, hashFilter?: HashFilterOption) => Promise<number[]>> = {
    async serve(file, filter) {
      const server = await startServe([file], filter === undefined ? {} : { filter: filter as readonly string[] });
      const statuses = await send(server.url);
      const { code, err } = await server.stop();
      expect([code, err]).toEqual([0, ""]);
      return statuses;
    },
    async cassetteHandlers(file, hashFilter) {
      const cassette = parseCassette(readFileSync(file, "utf8"));
      const replay = cassetteHandlers(cassette, { baseUrls, ...(hashFilter === undefined ? {} : { hashFilter }) });
      const statuses = await sendThrough(replay);
      await replay.done();
      return statuses;
    },
    async useCassetteHandlers(file, hashFilter) {
      const options = { mode: "replay", baseUrls, ...(hashFilter === undefined ? {} : { hashFilter }) } as const;
      const replay = await useCassetteHandlers(file, options);
      const statuses = await sendThrough(replay);
      await replay.done();
      return statuses;
    },
    async "a filter file of useCassette"(file, hashFilter) {
      const path = join(folder, "day-filters.json");
      writeFileSync(path, JSON.stringify({ filters: hashFilter ?? FILTERS }));
      const replay = cassetteHandlers(await useCassette(file, live, { mode: "replay", hashFilter: path }), {
        baseUrls,
      });
      const statuses = await sendThrough(replay);
      await replay.done();
      return statuses;
    },
    async "the fixture of a test"(file, hashFilter) {
      const tests = mkdtempSync(join(folder, "fixture-"));
      const own = join(tests, "__cassettes__", "day.test.mjs");
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, "embeds.cassette.json"), readFileSync(file));
      const hooks: (() => Promise<void>)[] = [];
      const context = { name: "embeds", passed: true, after: (hook: () => Promise<void>) => void hooks.push(hook) };
      const cassetteFor = createCassetteFor({ files: nodeFiles(), environment: { CASSETTE_MODE: "replay" } });
      const options = hashFilter === undefined ? {} : { hashFilter };
      const at = pathToFileURL(join(tests, "day.test.mjs")).href;
      const handle = await cassetteFor(context, at, live, options);
      const statuses = await sendThrough(cassetteHandlers(handle, { baseUrls }));
      for (const hook of hooks) await hook();
      return statuses;
    },
  };

  it.each(Object.keys(DOORS))("are answered through %s, by noted filters and by those of the replay", async (name) => {
    const open = DOORS[name] as (typeof DOORS)[string];
    const index = Object.keys(DOORS).indexOf(name);
    expect(await open(recorded(`noted-${index}.cassette.json`, FILTERS))).toEqual([200, 200]);
    expect(await open(recorded(`bare-${index}.cassette.json`), FILTERS)).toEqual([200, 200]);
  });

  it("miss without filters, and name the option of the door", async () => {
    const file = recorded("missed.cassette.json");
    const server = await startServe([file]);
    expect(await send(server.url)).toEqual([400, 400]);
    const { code, err } = await server.stop();
    expect(code).toBe(1);
    expect(err).toContain(
      "POST /v1/embeddings was recorded with another body; the two differ only in a date and a time",
    );
    expect(err).toContain("Or start cassette serve with --filter isoDate,unixTime.");
    expect(err).toContain("GET /v1/usage was recorded with another query; the two differ only in a date");
    expect(err).not.toContain("hashFilter");
    const replay = cassetteHandlers(parseCassette(readFileSync(file, "utf8")), { baseUrls });
    expect(await sendThrough(replay)).toEqual([400, 400]);
    expect(((await rejection(replay.done())) as Error).message).toContain(
      'put hashFilter: ["isoDate", "unixTime"] into',
    );
  });

  it("still miss where more changed, with the advice of the door", async () => {
    const server = await startServe([recorded("more.cassette.json")]);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ ...bodyOn(LATER), dimensions: 2 });
    const { status } = await fetch(`${server.url}/v1/embeddings`, { method: "POST", headers, body });
    const { err } = await server.stop();
    expect([status, err.includes("differ only")]).toEqual([400, false]);
    expect(err).toContain("record again (npx playhead record --proxy --refresh)");
    expect(err).not.toContain("CASSETTE_MODE");
  });

  it("fail the test of a fixture if one is unused", async () => {
    const handle = await useCassette(recorded("unused.cassette.json"), live, { mode: "replay" });
    cassetteHandlers(handle, { baseUrls });
    await expect(handle.done()).rejects.toThrow("2 of 2 recorded exchanges were never requested");
    const unclaimed = await useCassette(recorded("unclaimed.cassette.json"), live, { mode: "replay" });
    await expect(unclaimed.done()).rejects.toThrow("2 of 2 recorded exchanges were never requested");
  });
});
