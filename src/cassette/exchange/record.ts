// The exchanges of one recording, in the order of their calls.

import { defined } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { checkExchange } from "../file/exchanges.js";
import type { RecordedExchange } from "../file/format.js";
import type { PlainAnswer, PlainRequest } from "./http.js";
import { readAnswer, readRequest, type ExchangeReading } from "./read.js";

/** A request that waits for its answer. Call one of the two, once. */
export interface OpenExchange {
  /** Keeps the answer. Throws `not-recordable`, and forgets the exchange, if a cassette cannot hold it. */
  answer(answer: PlainAnswer): void;
  /** Forgets the exchange. */
  fail(): void;
}

type Slot = { kind: "pending" } | { kind: "failed" } | { kind: "answered"; exchange: RecordedExchange };

/** An empty list. `reading` rewrites requests, and its `scrub` answers too. */
export function createExchangeLine(reading: ExchangeReading) {
  const slots: Slot[] = [];
  return {
    /** Notes a request at the moment of its call. Throws `not-recordable`. */
    open(given: PlainRequest): OpenExchange {
      const { method, path, query, request } = readRequest(given, reading);
      const index = slots.push({ kind: "pending" }) - 1;
      const settle = (slot: Slot): void => {
        if (slots[index]?.kind === "pending") slots[index] = slot;
      };
      return {
        answer(answer) {
          try {
            const answered = readAnswer(answer, reading.scrub);
            const exchange = { method, path, ...defined({ query, request }), ...answered };
            assertLoadable(exchange);
            settle({ kind: "answered", exchange });
          } catch (error) {
            settle({ kind: "failed" });
            throw error;
          }
        },
        fail: () => {
          settle({ kind: "failed" });
        },
      };
    },
    /** The number of requests that wait for their answer. */
    pending: () => slots.filter(({ kind }) => kind === "pending").length,
    answered: () => slots.flatMap((slot) => (slot.kind === "answered" ? [slot.exchange] : [])),
  };
}

/** Refuses an exchange with which its whole cassette would not load, such as one with the status 700. */
function assertLoadable(exchange: RecordedExchange): void {
  checkExchange(exchange, [], (_, message, pointer) => {
    const what = `${exchange.method} with the status ${exchange.status}`;
    throw new CassetteError("not-recordable", `a cassette cannot hold ${what}: ${message}`, {
      pointer,
      hint: "Answer this request from a test double of your own, or leave it unrecorded.",
    });
  });
}
