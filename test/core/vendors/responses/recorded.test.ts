// Real traffic of the Responses API: every answer decodes or fails by name, streamed and whole agree, and what is written reads back.

import { describe, expect, it } from "vitest";
import { readFileSync, existsSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { AgentError } from "../../../../src/core/errors.js";
import { WIRES } from "../../../../src/core/vendors/vendors.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";

const FILES = ["openai-responses", "codex-responses", "azure-responses", "responses-compatible"];
const wire = WIRES.responses;
interface Exchange { id: string; request: { method: string; url: string; body?: string }; response: { status: number; body?: string } }
const stamp = { id: "1", createdAt: 0, model: "m" };

describe.each(FILES)("%s", (file) => {
  const path = `../shared/data/http/${file}.jsonl.gz`;
  const exchanges = !existsSync(path) ? [] : gunzipSync(readFileSync(path)).toString().split("\n").filter(Boolean).map((l) => JSON.parse(l) as Exchange);
  it("decodes", () => {
    const counts: Record<string, number> = {};
    const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);
    for (const { id, request, response } of exchanges) {
      if (request.method !== "POST" || !/\/responses$/.test(new URL(request.url).pathname)) { count("other"); continue; }
      let turn;
      try { turn = wire.parse(JSON.parse(request.body ?? "")); count("request"); 
        const again = wire.parse(wire.encode(turn.request, "m", 1)).request;
        if (JSON.stringify(again.messages.map(m=>({...m,responses:undefined}))) !== JSON.stringify(turn.request.messages.map(m=>({...m,responses:undefined})))) count("encode differs " + id);
      } catch (e) { count("request refused: " + (e as Error).message.slice(0, 110)); }
      if (response.status >= 400) { count("error"); continue; }
      const bytes = new TextEncoder().encode(response.body ?? "");
      const isStream = /^\s*(event|data|:|id)/.test(response.body ?? "");
      let answer: LlmTurnResponse;
      try { const notes: string[] = []; answer = wire.read({ bytes, isStream, isCut: false }, undefined, (n) => notes.push(n)); count(isStream ? "stream" : "whole"); for (const n of notes) count("note " + n);
        if ("responses" in answer.message) count("layout");
      } catch (e) { if (!(e instanceof AgentError)) throw e; count("answer refused: " + e.message.slice(0, 110)); continue; }
      const strip = (r: LlmTurnResponse) => JSON.stringify(r);
      const whole = wire.read({ bytes: new TextEncoder().encode(JSON.stringify(wire.write(answer, stamp))), isStream: false, isCut: false });
      if (strip({ ...answer, usage: undefined } as never) !== strip({ ...whole, usage: undefined } as never)) count("write differs " + id);
      const streamed = wire.read({ bytes: new TextEncoder().encode(wire.stream(answer, stamp).join("")), isStream: true, isCut: false });
      if (strip({ ...answer, usage: undefined } as never) !== strip({ ...streamed, usage: undefined } as never)) count("stream differs " + id);
    }
    console.log(file, counts);
    expect(exchanges.length).toBeGreaterThan(0);
  });
});
