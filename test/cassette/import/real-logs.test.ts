import { readdirSync } from "node:fs";
import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { exchangesOf } from "../../../src/cassette/exchange/player.js";
import { yamlToJson } from "../../../src/cli/import/yaml.js";
import { hasShared, readShared, readSharedLines, sharedPath } from "../../support/shared.js";
import { askOracle, findBadHashes, hasPython, toFile } from "./verify.js";

const recordedAt = "2026-11-20T12:00:00.000Z";

/** The cassettes of each file of a folder, and the repairs of all of them. */
const FOLDERS = {
  har: { cassettes: 9, turns: 10, exchanges: 1, repairs: {} },
  "claude-code": {
    cassettes: 6,
    turns: 13,
    exchanges: 0,
    repairs: { "content-list-joined": 1, "meta-line-dropped": 2, "parent-missing": 10 },
  },
  atif: { cassettes: 2, turns: 5, exchanges: 0, repairs: { "field-dropped": 3, "observation-as-user": 3 } },
  "swe-agent": { cassettes: 8, turns: 71, exchanges: 0, repairs: { "call-id-repeated": 10 } },
  "mini-swe-agent": { cassettes: 1, turns: 2, exchanges: 0, repairs: {} },
};

function importFile(path: string): ImportedCassette[] {
  return [...importLog(readShared(path), { source: path.split("/").at(-1) ?? path, recordedAt })];
}

function sum(all: readonly ImportedCassette[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, count } of all.flatMap(({ repairs }) => repairs)) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

function proveAll(all: readonly ImportedCassette[]): void {
  for (const { cassette } of all) expect(findBadHashes(toFile(cassette))).toEqual([]);
  if (hasPython) {
    const unique = all.map((imported, index) => ({ ...imported, path: `${index}/${imported.path}` }));
    expect(askOracle(unique).filter((line) => !line.endsWith(": ok"))).toEqual([]);
  }
}

describe.skipIf(!hasShared).each(Object.entries(FOLDERS))("every real log of %s", (folder, expected) => {
  const files = hasShared ? readdirSync(sharedPath(`data/import/${folder}`)) : [];
  const all = files.flatMap((file) => importFile(`data/import/${folder}/${file}`));

  it("becomes cassettes that the oracle passes", () => {
    expect(all).toHaveLength(expected.cassettes);
    expect(all.reduce((turns, { cassette }) => turns + cassette.entries.length, 0)).toBe(expected.turns);
    expect(all.flatMap(({ cassette }) => exchangesOf(cassette))).toHaveLength(expected.exchanges);
    proveAll(all);
  });

  it("is repaired as often as was counted by hand", () => {
    expect(sum(all)).toEqual(expected.repairs);
  });
});

interface Exchange {
  source: string;
  index: number;
  request: { method: string; url: string; body: string };
  response: { status: number; body: string };
}

const WAYS: Record<string, (exchanges: Exchange[]) => Promise<string>> = {
  "vcr.py": (exchanges) => toYaml(exchanges, ({ url, ...request }) => ({ ...request, uri: url }), toPythonResponse),
  "go-vcr": (exchanges) =>
    toYaml(
      exchanges,
      (request) => request,
      ({ status, body }) => ({ code: status, body }),
    ),
  nock: (exchanges) =>
    Promise.resolve(
      JSON.stringify(
        exchanges.map(({ request, response }) => ({
          ...{ scope: new URL(request.url).origin, path: new URL(request.url).pathname, method: request.method },
          ...{ body: request.body, status: response.status, response: response.body },
        })),
      ),
    ),
};

function toPythonResponse({ status, body }: Exchange["response"]): object {
  return { body: { string: body }, headers: {}, status: { code: status, message: "" } };
}

function toYaml(
  exchanges: readonly Exchange[],
  toRequest: (request: Exchange["request"]) => object,
  toResponse: (response: Exchange["response"]) => object,
): Promise<string> {
  const interactions = exchanges.map(({ request, response }) => ({
    request: toRequest(request),
    response: toResponse(response),
  }));
  return yamlToJson(stringify({ interactions, version: 1 }), "recording.yaml");
}

describe.skipIf(!hasShared).each(["anthropic", "openai", "ollama", "azure-openai"])("real traffic of %s", (name) => {
  const bySource = new Map<string, Exchange[]>();
  for (const exchange of hasShared ? readSharedLines<Exchange>(`data/http/${name}.jsonl.gz`) : []) {
    bySource.set(exchange.source, [...(bySource.get(exchange.source) ?? []), exchange]);
  }
  // Every fourth recording: YAML is slow to read.
  const recordings = [...bySource.values()]
    .filter((_, index) => index % 4 === 0)
    .map((exchanges) => exchanges.toSorted((a, b) => a.index - b.index));

  it("comes to the same cassettes out of each recorder, and every request is a turn, an exchange, counted or refused", async () => {
    const first: ImportedCassette[] = [];
    for (const exchanges of recordings) {
      const found = new Map<string, { runs: ImportedCassette[]; refused: number }>();
      for (const [way, write] of Object.entries(WAYS)) {
        let refused = 0;
        let isEmpty = false;
        const onError = ({ summary }: Error & { summary: string }): void => {
          if (summary.includes("no answered turn")) isEmpty = true;
          else refused++;
        };
        const runs = [...importLog(await write(exchanges), { source: "r.json", recordedAt, onError })];
        const counted = sum(runs);
        const turns = runs.reduce((total, { cassette }) => total + cassette.entries.length, 0);
        const kept = runs.flatMap(({ cassette }) => exchangesOf(cassette)).length;
        const dropped = (counted["error-exchange-dropped"] ?? 0) + (counted["call-unanswered"] ?? 0);
        if (!isEmpty && runs.length > 0) expect(turns + kept + refused + dropped).toBe(exchanges.length);
        found.set(way, { runs, refused });
      }
      const [one, ...others] = [...found.values()];
      for (const other of others) {
        expect(other.refused).toBe(one?.refused);
        expect(
          other.runs.map(({ cassette }) => cassette.entries.map(({ promptHash, response }) => [promptHash, response])),
        ).toEqual(
          one?.runs.map(({ cassette }) => cassette.entries.map(({ promptHash, response }) => [promptHash, response])),
        );
      }
      first.push(...(one?.runs ?? []));
    }
    expect(first.length).toBeGreaterThan(recordings.length / 2);
    proveAll(first);
  }, 60_000);
});
