// A request of a recording that is not a turn, or a refused turn, as the exchange that a recorder would keep. Secrets are taken out later.

import { NotJsonError, type JsonObject } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import { readAnswer, readRequest, type ScrubJson } from "../../exchange/read.js";
import { checkExchanges } from "../../file/exchanges.js";
import { cleanJson, malformed } from "../foreign-json.js";
import type { RepairKind, RepairLog } from "../repair.js";
import type { HttpExchange } from "./exchange.js";
import { toPlainBytes } from "./plain.js";

const asIs: ScrubJson = (value) => value;

/** Levels of `extensions.exchanges[n]` around its fields. */
const DEPTH = 3;

/** Counts the characters or bytes of each body, and throws once they are too many together. */
export type Budget = (body: { readonly length: number }) => void;

/** The exchange, or why it is left out. */
export function toExchange(found: HttpExchange, dropped: RepairLog, budget: Budget): JsonObject | RepairKind {
  const { method, url, status, type, headers = {} } = found;
  const isUrl = url.startsWith("/") || (/^https?:/i.test(url) && URL.canParse(url));
  if (found.isAsset === true || method === "OPTIONS" || !isUrl) return "exchange-not-model-call";
  if (status < 200 || (status >= 300 && status < 400)) return "call-unanswered";
  const answerType = headers["content-type"] ?? (found.answer.kind === "json" ? "application/json" : undefined);
  const request = toPlainBytes(found.request, "", type);
  const answer = toPlainBytes(found.answer, found.encoding, answerType);
  if ("flaw" in request || "flaw" in answer) return "exchange-unreadable";
  budget(request.bytes);
  budget(answer.bytes);
  for (const body of [found.request, found.answer]) {
    if (body.kind === "text" && !body.text.isWellFormed()) dropped.add("lone-surrogate-replaced");
  }
  try {
    const named = answerType === undefined ? headers : { ...headers, "content-type": answerType };
    const exchange = {
      ...readRequest({ method, url, type, body: request.bytes }, { scrub: asIs, filter: undefined }),
      ...readAnswer({ status, headers: named, body: answer.bytes }, asIs),
    };
    checkExchanges({ exchanges: [exchange] }, (_, message) => {
      throw malformed(message);
    });
    return cleanJson(exchange, dropped, DEPTH) as JsonObject;
  } catch (error) {
    if (error instanceof CassetteError || error instanceof NotJsonError) return "exchange-unreadable";
    throw error;
  }
}
