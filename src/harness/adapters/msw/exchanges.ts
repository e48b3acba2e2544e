// Requests below the base URLs that are not turns: answered from recorded exchanges, or sent to the vendor and recorded.

import type {
  CassetteError,
  ExchangeSide,
  OpenExchange,
  PlainAnswer,
  PlainRequest,
  Shelf,
} from "../../../cassette/index.js";
import { thrownText } from "../../../core/index.js";
import { missedExchange, servedExchange } from "../../wire/shelf-exchange.js";
import { collect, type Collected } from "./collect.js";
import { cutBody, readWhole, separable, withBody } from "./response.js";
import type { Trouble } from "./trouble.js";

/** Answers requests from the exchanges of a recording. */
export interface ExchangeReplay {
  /** The recorded answer, or undefined. */
  answer(request: PlainRequest): Response | undefined;
  /** Why no recorded answer fits. Undefined if the recording holds no exchange at all. */
  miss(request: PlainRequest): CassetteError | undefined;
}

/** Sends a request to the vendor, and records it with its answer. `why` a turn is recorded as an exchange. */
export type RecordExchange = (request: Request, plain: PlainRequest, why?: string) => Promise<Response>;

export async function toPlainRequest(request: Request): Promise<PlainRequest & { body: Uint8Array }> {
  const body = new Uint8Array(await request.clone().arrayBuffer());
  return { method: request.method, url: request.url, type: request.headers.get("content-type") ?? undefined, body };
}

type PlayedSide = Required<Pick<ExchangeSide, "take">> & Pick<ExchangeSide, "miss">;

/** The exchanges of a shelf. */
export function sideOf(shelf: Shelf): PlayedSide {
  return { take: (request) => shelf.exchange(request), miss: (request) => missedExchange(shelf, request) };
}

/** `miss` is absent where the vendor answers instead. */
export function replayExchanges({ take, miss }: PlayedSide, nameOf: (file: string) => string): ExchangeReplay {
  return {
    answer(request) {
      const found = take(request);
      return found === undefined ? undefined : toResponse(servedExchange(found, nameOf));
    },
    miss: (request) => miss?.(request),
  };
}

function toResponse({ status, headers, body, isCut }: ReturnType<typeof servedExchange>): Response {
  const bytes = new Uint8Array(body);
  if (isCut) return new Response(cutBody(bytes), { status, headers });
  // Some statuses allow no body.
  return new Response(bytes.length === 0 ? null : separable(bytes), { status, headers });
}

interface ExchangeRecording {
  readonly open: (request: PlainRequest) => OpenExchange;
  readonly send: (request: Request) => Promise<Response>;
  readonly trouble: Trouble;
  readonly now: () => number;
  /** Records cut answers and refused turns too. */
  readonly keepErrors: boolean;
}

export function recordExchanges({ open, send, trouble, now, keepErrors }: ExchangeRecording): RecordExchange {
  return async (request, plain, why) => {
    const attempt = (keep: () => void): void => {
      try {
        keep();
        trouble.count(request, "exchange", why);
      } catch (error) {
        trouble.count(request, "passed-on", thrownText(error));
      }
    };
    let opened: OpenExchange | undefined;
    let refused: unknown;
    try {
      opened = open(plain);
    } catch (error) {
      refused = error;
    }
    const keep = (answer: PlainAnswer): void =>
      attempt(() => {
        if (opened === undefined) throw refused;
        opened.answer(answer);
      });
    const answer = await send(request).catch(() => undefined);
    const isRefused = why !== undefined && !keepErrors && answer?.ok !== true;
    if (answer === undefined || isRefused) {
      opened?.fail();
      trouble.count(request, "failed");
      return answer ?? Response.error();
    }
    if (!answer.ok) {
      const { response, bytes } = await readWhole(answer);
      keep(toPlainAnswer(answer, bytes));
      return response;
    }
    const [theirs, copy] = answer.body?.tee() ?? [null, null];
    trouble.track(
      collect(copy, now).then(
        (collected) => {
          if (collected.cut === undefined || keepErrors) {
            keep(toPlainAnswer(answer, collected.bytes, collected));
            return;
          }
          opened?.fail();
          trouble.count(request, "passed-on", `the answer broke off: ${thrownText(collected.cut)}`);
        },
        (error: unknown) => {
          opened?.fail();
          trouble.count(request, "passed-on", thrownText(error));
        },
      ),
    );
    return withBody(answer, theirs);
  };
}

/** The bytes come without content encoding, which the transport has undone. */
export function toPlainAnswer(
  { status, headers }: Response,
  body: Uint8Array,
  { cut }: Pick<Collected, "cut"> = { cut: undefined },
): PlainAnswer {
  return { status, headers: Object.fromEntries(headers), body, ...(cut === undefined ? {} : { isCut: true }) };
}
