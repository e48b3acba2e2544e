// Tries one request against an unused cassette: the turn that answers it, or the report of the miss.

import type { LlmTurnRequest, Wire, WireRequest } from "../../core/index.js";
import { CassetteError, type MissReport } from "../errors.js";
import type { HashFilterOption } from "../prompt/hash-filters.js";
import { cassetteProvider } from "../replay/replay.js";
import { toAsked } from "./asked.js";
import { serveCassette } from "./served-cassette.js";

/** The turn that answers a request (`turnIndex` from 0), or the report of the miss. */
export type WhyVerdict = { kind: "match"; turnIndex: number } | { kind: "miss"; report: MissReport };

/** The cassette to try, the `file` that messages name, and the filters that both sides pass. */
export interface WhyRecording {
  readonly cassette: unknown;
  readonly file: string;
  readonly hashFilter?: HashFilterOption;
}

/** The result of replaying `request`. Throws `CassetteError` if the cassette or the request is refused. */
export async function whyRequest(recording: WhyRecording, request: LlmTurnRequest): Promise<WhyVerdict> {
  const { cassette, ...options } = recording;
  const provider = cassetteProvider(cassette, { ...options, allowRedacted: true, ports: { warn: () => undefined } });
  return toVerdict(async () => {
    await provider.turn(request);
    return provider.used()[0] ?? 0;
  });
}

/** {@link whyRequest} for a request that came over a vendor's wire, which loses some of what a recording has. */
export async function whyWireRequest(
  { cassette, file, ...options }: WhyRecording,
  wire: Wire,
  request: WireRequest,
): Promise<WhyVerdict> {
  const served = serveCassette(cassette, file, [], { ...options, allowRedacted: true });
  const asked = toAsked(wire, request);
  const exact = served.findExact(asked);
  const alike = exact?.isContext === true ? undefined : served.findAlike(asked);
  const near = (alike?.isContext === true ? alike : undefined) ?? exact ?? alike ?? served.nearest(asked);
  return toVerdict(async () => {
    await served.play(asked, near);
    return near?.turnIndex ?? 0;
  });
}

async function toVerdict(play: () => Promise<number>): Promise<WhyVerdict> {
  try {
    return { kind: "match", turnIndex: await play() };
  } catch (error) {
    if (!(error instanceof CassetteError) || error.miss === undefined) throw error;
    // There is no run, so the turn is the nearest one.
    const turn = error.miss.nearest?.turnIndex ?? 0;
    return { kind: "miss", report: { ...error.miss, turn } };
  }
}
