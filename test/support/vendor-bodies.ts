// Answers of OpenAI and Anthropic in their wire formats, and a handler that plays them and keeps its requests.

import { HttpResponse } from "msw";

type Body = Record<string, unknown>;

export function gptSays(content: string): Body {
  const usage = { prompt_tokens: 100, completion_tokens: 20 };
  return { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }], usage };
}

export function gptAsks(name: string, args: object): Body {
  const call = { id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  return {
    choices: [{ message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 100, completion_tokens: 20 },
  };
}

export function claudeSays(text: string): Body {
  const usage = { input_tokens: 100, output_tokens: 20 };
  return { content: [{ type: "text", text }], stop_reason: "end_turn", usage };
}

export function claudeAsks(name: string, input: object): Body {
  const usage = { input_tokens: 100, output_tokens: 20 };
  return { content: [{ type: "tool_use", id: "toolu_1", name, input }], stop_reason: "tool_use", usage };
}

/** Answers with one body after another, and repeats the last one. */
export function playBodies(...bodies: readonly Body[]) {
  const asked: Body[] = [];
  const toolName = (tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function?.name;
  return {
    asked: asked as readonly Body[],
    /** The names of the tools that each request offers. */
    toolNames: () => asked.map(({ tools = [] }) => (tools as Parameters<typeof toolName>[0][]).map(toolName)),
    answer: async ({ request }: { request: Request }) => {
      asked.push((await request.json()) as Body);
      return HttpResponse.json(bodies[Math.min(asked.length, bodies.length) - 1] as Body);
    },
  };
}
