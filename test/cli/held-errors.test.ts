// An error of the vendor in the middle of a conversation on its server: recorded with its retry, and replayed through every door.

import { describe, expect, it } from "vitest";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { say } from "../support/script.js";
import { startStatefulVendor } from "../support/stateful-vendor.js";
import { listen } from "../support/wire.js";
import { closeLater, load, PLAYERS, RECORDERS } from "./http-doors.js";

/** A vendor that holds conversations, and answers the requests with these numbers with an error. */
async function failingVendor(errors: Readonly<Record<number, "rate-limit" | "server-error">>): Promise<string> {
  const live = await startStatefulVendor(({ messages }) => say(`answer to ${messages.length}`));
  closeLater(live.close);
  let count = 0;
  const gate = await listen((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const name = errors[count++];
      if (name !== undefined) {
        const { status, headers, body } = VENDORS.responses.faults[name] ?? { status: 500, headers: {}, body: "" };
        response.writeHead(status, headers).end(body);
        return;
      }
      const path = incoming.url ?? "";
      void fetch(live.url + path, { method: "POST", body: Buffer.concat(chunks) }).then(async (answer) => {
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
        response.end(await answer.text());
      });
    });
  });
  closeLater(gate.close);
  return gate.baseURL;
}

interface Seen {
  status: number;
  text: string;
  id: string;
  retryAfter: string | null;
}

async function send(url: string, input: string, more: Record<string, unknown> = {}): Promise<Seen> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ model: "m", input, ...more });
  const response = await fetch(`${url}/v1/responses`, { method: "POST", headers, body });
  const text = await response.text();
  const { id = "" } = JSON.parse(text) as { id?: string };
  return { status: response.status, text, id, retryAfter: response.headers.get("retry-after") };
}

/** Begins a conversation, and continues it until the vendor answers, but at most `tries` times. */
async function talk(url: string, tries = 3): Promise<string[]> {
  const begun = await send(url, "Oslo?");
  const seen = [`${begun.status}`];
  for (let left = tries; left > 0; left--) {
    const { status, text, retryAfter } = await send(url, "And Rome?", { previous_response_id: begun.id });
    const said = /answer to \d/.exec(text)?.[0] ?? (JSON.parse(text) as { error: { type: string } }).error.type;
    seen.push([status, said, retryAfter ?? "no header"].join(", "));
    if (status === 200) break;
  }
  return seen;
}

describe.each(Object.keys(RECORDERS))(
  "an error on a turn that continues a conversation, recorded through %s",
  (name) => {
    const record = RECORDERS[name] as (typeof RECORDERS)[string];

    it("comes before the answer of the retry in every replay", async () => {
      const target = await failingVendor({ 1: "rate-limit", 2: "server-error" });
      const expected = ["200", "429, tokens, 2", "500, server_error, no header", "200, answer to 3, no header"];
      const path = await record(target, async (url) => expect(await talk(url)).toEqual(expected));
      const { entries, extensions } = load(path);
      expect([entries.length, extensions?.exchanges?.map(({ status }) => status)]).toEqual([2, [429, 500]]);
      // It holds the whole conversation, since the id of the vendor is another one in a replay.
      expect(JSON.stringify(extensions?.exchanges)).not.toContain("previous_response_id");
      expect(JSON.stringify(extensions?.exchanges?.[0]?.request)).toContain("Oslo?");
      for (const play of Object.values(PLAYERS)) {
        await play(path, async (url) => expect(await talk(url)).toEqual(expected));
      }
    });

    it("is the last word where the client gave up", async () => {
      const target = await failingVendor({ 1: "server-error" });
      const expected = ["200", "500, server_error, no header"];
      const path = await record(target, async (url) => expect(await talk(url, 1)).toEqual(expected));
      expect(load(path).entries).toHaveLength(1);
      for (const play of Object.values(PLAYERS)) {
        await play(path, async (url) => expect(await talk(url, 1)).toEqual(expected));
      }
    });
  },
);
