// Real traffic of every wire, each request and answer as an exchange: recorded, written, loaded and replayed.

import { afterAll, describe, expect, it } from "vitest";
import type { PlainAnswer, PlainRequest } from "../../../src/cassette/exchange/http.js";
import { createShelf } from "../../../src/cassette/serve/shelf.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import { recordExchanges } from "../../support/exchange-recording.js";
import { verifyKept } from "../../support/oracle.js";
import { hasShared, readSharedLines } from "../../support/shared.js";

interface Line {
  id: string;
  request: { method?: string; url: string; headers?: Record<string, string>; body: string };
  response: { status: number; headers: Record<string, string | string[]>; body: string; body_encoding?: "base64" };
}

const FILES = ["embeddings", "cohere", "gemini-interactions", "bedrock-converse-stream", "xai"];

const typeIn = (headers: Record<string, string | string[]> = {}) => {
  const [, type] = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return Array.isArray(type) ? type[0] : type;
};

const textOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** The bytes, or the value of a body that is JSON: numbers may be spelled in another way. */
function meaning(body: Uint8Array): unknown {
  try {
    return canonicalize(JSON.parse(textOf(body)));
  } catch {
    return [...body];
  }
}

describe.skipIf(!hasShared)("recorded traffic as exchanges", () => {
  afterAll(verifyKept);

  it.each(FILES)("%s comes back as it was", (name) => {
    const lines = readSharedLines<Line>(`data/http/${name}.jsonl.gz`);
    const pairs = lines.map(({ request, response }): [PlainRequest, PlainAnswer] => {
      const { method = "POST", url, body, headers } = request;
      const type = typeIn(response.headers);
      const bytes = Buffer.from(response.body, response.body_encoding ?? "utf8");
      return [
        { method, url, type: typeIn(headers) ?? "application/json", body: Buffer.from(body) },
        { status: response.status, headers: type === undefined ? {} : { "content-type": type }, body: bytes },
      ];
    });
    const cassette = parseCassette(formatCassette(recordExchanges(pairs, { redact: false })));
    const shelf = createShelf([{ file: name, cassette, names: [] }], { redact: false });
    for (const [request, answered] of pairs) {
      const found = shelf.exchange(request);
      expect([found?.answer.status, found && meaning(found.answer.body)]).toEqual([
        answered.status,
        meaning(answered.body),
      ]);
    }
    expect(shelf.counts()).toMatchObject([{ exchanges: { total: lines.length, used: lines.length } }]);
  });
});
