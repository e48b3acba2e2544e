// Every recorded request of the three chat wires is read, or refused for a reason that is known here; and what was read goes
// over the wire again unchanged.

import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { throughWire, WIRES, type WireName } from "../../../src/core/vendors/vendors.js";
import { hasShared, readSharedLines } from "../../support/shared.js";
import { exchangeFiles } from "../../support/wire.js";

interface Recorded {
  id: string;
  request: { method: string; url: string; body?: string };
}

function wireOf(url: string): WireName | undefined {
  // Some recorders put a word in the place of the host.
  const pathname = url.replace(/[?#].*$/, "");
  if (pathname.endsWith("/chat/completions")) return "openai";
  if (pathname.endsWith("/messages")) return "anthropic";
  return pathname.endsWith("/api/chat") ? "ollama" : undefined;
}

/** What a turn request has no place for, by what the refusal says. */
const KNOWN = [
  /has a (part|block) of type "(file|file_url|input_audio|audio_url|video_url|document|document_url|container_upload)"/,
  /has a part of type "(image|tool_addition|tool_reference|search_result)"/,
  /n asks for [23] answers/,
  /tools has one of type "[\w.:-]+"/,
  // The vendor refused this one, too.
  /temperature must be a number/,
  // The vendor refused this one, too.
  /tools\.input_schema must be an object/,
  /continues a conversation on the vendor's server \(container\)/,
];

describe.skipIf(!hasShared)("the recorded requests", () => {
  it.each(exchangeFiles)("of %s are read or refused knowingly", (file) => {
    const refused: string[] = [];
    let read = 0;
    for (const { id, request } of readSharedLines<Recorded>(`data/http/${file}.jsonl.gz`)) {
      const name = wireOf(request.url);
      if (name === undefined || (request.body ?? "") === "") continue;
      const wire = WIRES[name];
      try {
        const turn = wire.parse(JSON.parse(request.body ?? ""));
        const again = throughWire(turn.request, wire, turn.request);
        expect(throughWire(again ?? turn.request, wire, turn.request), id).toEqual(again);
        read++;
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        refused.push(error.message);
      }
    }
    expect(read).toBeGreaterThan(0);
    expect(refused.filter((message) => !KNOWN.some((pattern) => pattern.test(message)))).toEqual([]);
  });
});
