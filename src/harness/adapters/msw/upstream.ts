// The real vendor behind an intercepted request, as a provider: what it is asked goes out as the very request that came, the
// answer goes back as it comes, and a copy of it is read. So whatever records a provider records the client of a vendor.

import { CassetteError, MAX_RECORDED_BODY_BYTES } from "../../../cassette/index.js";
import {
  AgentError,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Wire,
} from "../../../core/index.js";
import { readWhole, withBody } from "./response.js";

interface Intercepted {
  readonly wire: Wire;
  readonly request: Request;
}

export interface Upstream {
  readonly provider: LlmProviderAdapter;
  /**
   * Says what to send when the provider is asked this. Resolves when the vendor's answer begins, an error of the vendor too;
   * rejects where none comes, and stays open where the provider is not asked.
   */
  expect(asked: LlmTurnRequest, intercepted: Intercepted): Promise<Response>;
}

/** The vendor answered with an error: the client has it, and there is nothing to keep. */
export class VendorRefusal extends AgentError {
  constructor(status: number) {
    super("provider-http", `the vendor answered HTTP ${status}, which is passed on and not recorded`);
    this.name = "VendorRefusal";
  }
}

interface Pending extends Intercepted {
  readonly opened: (response: Response) => void;
  readonly failed: (error: unknown) => void;
}

/** `send` lets a request out past MSW. */
export function createUpstream(send: (request: Request) => Promise<Response>): Upstream {
  const pending = new WeakMap<LlmTurnRequest, Pending>();
  const names = new Set<string>();

  /** Sends what belongs to `asked`; the copy of the answer that is ours. */
  async function open(
    asked: LlmTurnRequest,
  ): Promise<{ wire: Wire; answer: Response; copy: AsyncIterable<Uint8Array> }> {
    const found = pending.get(asked);
    if (found === undefined) throw new AgentError("invalid-options", "a turn was asked that no request came for");
    const { wire, request, opened, failed } = found;
    names.add(`${wire.name}:${asked.settings?.model ?? "unnamed"}`);
    let answer: Response;
    let refused: Response | undefined;
    try {
      answer = await send(request);
      if (!answer.ok) refused = await readWhole(answer);
    } catch (error) {
      failed(error);
      throw error;
    }
    if (refused !== undefined) {
      opened(refused);
      throw new VendorRefusal(answer.status);
    }
    const [theirs, ours] = answer.body?.tee() ?? [null, null];
    opened(withBody(answer, theirs));
    if (ours !== null) return { wire, answer, copy: bounded(ours) };
    throw new CassetteError("not-recordable", `the vendor answered HTTP ${answer.status} without a body`);
  }

  async function turn(asked: LlmTurnRequest): Promise<LlmTurnResponse> {
    const { wire, copy, answer } = await open(asked);
    const isStream = /event-stream|ndjson/.test(answer.headers.get("content-type") ?? "");
    return wire.read({ bytes: await collect(copy), isStream, isCut: false });
  }

  async function* stream(asked: LlmTurnRequest): AsyncGenerator<LlmStreamEvent, void, undefined> {
    const { wire, copy } = await open(asked);
    const decoder = wire.decoder();
    for await (const bytes of copy) if (!decoder.isEnded) yield* decoder.feed(bytes);
    const { deltas, response } = decoder.end();
    yield* deltas;
    yield { type: "response", response };
  }

  return {
    provider: {
      get name() {
        return names.size === 0 ? "upstream" : [...names].join(" + ");
      },
      turn,
      stream,
    },
    expect(asked, intercepted) {
      const began = new Promise<Response>((opened, failed) => pending.set(asked, { ...intercepted, opened, failed }));
      began.catch(() => undefined);
      return began;
    },
  };
}

async function* bounded(parts: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = parts.getReader();
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > MAX_RECORDED_BODY_BYTES) {
        throw new CassetteError(
          "not-recordable",
          `an answer has more than ${MAX_RECORDED_BODY_BYTES} bytes and was not kept`,
        );
      }
      yield next.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function collect(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    chunks.push(part);
    size += part.length;
  }
  const bytes = new Uint8Array(size);
  for (const chunk of chunks.toReversed()) bytes.set(chunk, (size -= chunk.length));
  return bytes;
}
