// Answers a request from the recorded exchanges of a shelf of cassettes, and explains a miss.

import type { CassetteError, PlainRequest, Shelf, TakenExchange } from "../../cassette/index.js";
import { PIN_HEADER } from "./shelf-reply.js";

/** The answer of an exchange with the headers that name its place. `isCut` means that the connection breaks after the body. */
export function servedExchange({ answer, file, index }: TakenExchange, nameOf: (file: string) => string) {
  const { status, headers, body, isCut = false } = answer;
  const where = { [PIN_HEADER]: encodeURI(nameOf(file)), "x-playhead-exchange": String(index) };
  return { status, headers: { ...headers, ...where }, body, isCut };
}

/** Why no exchange answers a request. Undefined if the shelf holds no exchange at all. */
export function missedExchange(shelf: Shelf, request: PlainRequest, pin?: string): CassetteError | undefined {
  return shelf.counts().some(({ exchanges }) => exchanges !== undefined) ? shelf.exchangeMiss(request, pin) : undefined;
}
