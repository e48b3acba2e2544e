// Real traffic of Gemini: every answer decodes or fails by name, streamed and whole agree, and what is written reads back.

import { describe, expect, it } from "vitest";
import { readFileSync, existsSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { AgentError } from "../../../../src/core/errors.js";
import { plainDecoding } from "../../../../src/core/http/json-readers.js";
import { createStreamDecoder } from "../../../../src/core/providers/stream.js";
import { readAnswer } from "../../../../src/core/vendors/answer.js";
import { decodeGemini } from "../../../../src/core/vendors/gemini/decode.js";
import { encodeGemini } from "../../../../src/core/vendors/gemini/encode.js";
import { geminiStream } from "../../../../src/core/vendors/gemini/fold.js";
import { parseGemini } from "../../../../src/core/vendors/gemini/parse.js";
import { streamGemini, writeGemini } from "../../../../src/core/vendors/gemini/write.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";

const FILES = ["gemini", "vertex-gemini"];
interface Exchange { id: string; request: { method: string; url: string; body?: string }; response: { status: number; body?: string } }
const stamp = { id: "1", createdAt: 0, model: "m" };
const read = (text: string, isStream: boolean, note: (n: string) => void = () => undefined) => readAnswer({ bytes: new TextEncoder().encode(text), isStream, isCut: false }, geminiStream, decodeGemini, undefined, note);

describe.each(FILES)("%s", (file) => {
  const path = `../shared/data/http/${file}.jsonl.gz`;
  const exchanges = !existsSync(path) ? [] : gunzipSync(readFileSync(path)).toString().split("\n").filter(Boolean).map((l) => JSON.parse(l) as Exchange);
  it("decodes", () => {
    const counts: Record<string, number> = {};
    const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);
    for (const { id, request, response } of exchanges) {
      const m = /models\/([^:]+):(generateContent|streamGenerateContent)$/.exec(new URL(request.url).pathname);
      if (request.method !== "POST" || !m) { count("other"); continue; }
      try { const turn = parseGemini(JSON.parse(request.body ?? ""), m[1]!, m[2] !== "generateContent"); count("request"); 
        const again = parseGemini(encodeGemini(turn.request), m[1]!, false).request;
        const bare = (r: { messages: readonly object[] }) => JSON.stringify(r.messages.map((x) => ({ ...x, gemini: undefined, toolCallId: undefined })));
        if (bare(again) !== bare(turn.request)) count("encode differs " + id);
        if (JSON.stringify(again.tools) !== JSON.stringify(turn.request.tools)) count("tools differ " + id);
      } catch (e) { count("request refused: " + (e as Error).message.slice(0, 110)); }
      if (response.status >= 400) { count("error"); continue; }
      const isStream = /^\s*(event|data|:|id)/.test(response.body ?? "");
      let answer: LlmTurnResponse;
      try { const notes: string[] = []; answer = read(response.body ?? "", isStream, (n) => notes.push(n)); count(isStream ? "stream" : "whole"); for (const n of notes) count("note " + n);
        if ("gemini" in answer.message) count("layout");
      } catch (e) { if (!(e instanceof AgentError)) throw e; count("answer refused: " + e.message.slice(0, 110)); continue; }
      const strip = (r: LlmTurnResponse) => JSON.stringify({ ...r, usage: undefined });
      const whole = read(JSON.stringify(writeGemini(answer, stamp)), false);
      if (strip(answer) !== strip({ ...whole, ...(answer.model === undefined ? { model: undefined } : {}) } as never)) count("write differs " + id);
      const streamed = read(streamGemini(answer, stamp).join(""), true);
      if (strip(whole) !== strip(streamed)) count("stream differs " + id);
    }
    console.log(file, counts);
    expect(exchanges.length).toBeGreaterThan(0);
  });
});
