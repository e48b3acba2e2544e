// The agent of the demo: one tool that reads, and a question that takes several pages to answer.

import { createRuntime, defineTool, type LlmProviderAdapter, type RunResult } from "../../core/index.js";
import type { ReadPage } from "./servers.js";

export const SYSTEM_PROMPT = "You research a web site. Read pages with read_page, then answer in one sentence.";
const GOAL = "What is the cheapest rocket kit in this shop, and since when does the shop exist?";

export async function research(
  provider: LlmProviderAdapter,
  readPage: ReadPage,
  systemPrompt = SYSTEM_PROMPT,
): Promise<RunResult> {
  const runtime = createRuntime({
    agents: [{ id: "researcher", systemPrompt, provider, customTools: [pageTool(readPage)], budget: { maxTurns: 10 } }],
  });
  try {
    return await runtime.run({ goal: GOAL });
  } finally {
    await runtime.destroy();
  }
}

function pageTool(readPage: ReadPage) {
  return defineTool<{ path: string }>({
    name: "read_page",
    description: "Read one page of the shop's web site.",
    schema: {
      type: "object",
      required: ["path"],
      properties: { path: { type: "string", description: "Path of the page, such as /" } },
      additionalProperties: false,
    },
    invoke: ({ path }, { signal }) => readPage(path, signal),
  });
}
