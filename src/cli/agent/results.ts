// The results of parallel calls, in the order of the calls. Claude Code sends them as its tools end, which differs from run to run, and a
// prompt is compared word for word. A recording and its replay both get them in one order, and so does the vendor.

import type { BodyRead, HttpHandler } from "../../host/index.js";

/** Passes requests on with the `tool_result` blocks of each message in the order of their calls. */
export function resultsInOrder(handler: HttpHandler): HttpHandler {
  return (request) => handler({ ...request, readBody: async () => sortBody(await request.readBody()) });
}

function sortBody(body: BodyRead): BodyRead {
  if (body.kind !== "read") return body;
  const text = new TextDecoder().decode(body.bytes);
  // Most bodies need no parsing.
  if ((text.match(/"tool_result"/g) ?? []).length < 2) return body;
  const sorted = sortResults(text);
  return sorted === undefined ? body : { ...body, bytes: new TextEncoder().encode(sorted) };
}

interface Block {
  type?: unknown;
  id?: unknown;
  tool_use_id?: unknown;
  cache_control?: unknown;
}

/** The body of Anthropic's Messages API with sorted results. Undefined if they are sorted already, or it is not such a body. */
export function sortResults(text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { messages } = (body ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages)) return undefined;
  let calls = new Map<unknown, number>();
  let isChanged = false;
  for (const message of messages as ({ role?: unknown; content?: unknown } | null)[]) {
    const blocks = Array.isArray(message?.content) ? (message.content as Block[]) : [];
    if (message?.role === "assistant") {
      const uses = blocks.filter((block) => block?.type === "tool_use");
      calls = new Map(uses.map(({ id }, index) => [id, index]));
    } else isChanged = sortBlocks(blocks, calls) || isChanged;
  }
  return isChanged ? JSON.stringify(body) : undefined;
}

/** Sorts the results among their own places. A mark for the vendor's cache stays at its place. */
function sortBlocks(blocks: Block[], calls: ReadonlyMap<unknown, number>): boolean {
  const places = blocks.flatMap((block, place) => (block?.type === "tool_result" ? [place] : []));
  const results = places.map((place) => blocks[place] as Block);
  const rank = ({ tool_use_id: id }: Block): number => calls.get(id) ?? calls.size;
  const sorted = [...results].sort((left, right) => rank(left) - rank(right));
  if (sorted.every((block, index) => block === results[index])) return false;
  for (const [index, place] of places.entries()) {
    const { cache_control: _, ...block } = sorted[index] as Block;
    const mark = results[index]?.cache_control;
    blocks[place] = mark === undefined ? block : { ...block, cache_control: mark };
  }
  return true;
}
