// The inputs of a turn.

import type { ReadInput } from "../input.js";
import type { House } from "../live/house.js";
import type { TurnView } from "../plugins/seat.js";
import type { Run } from "../run/run.js";
import type { RunKeeper } from "../state/keeper.js";

/** In a replay, the turn stops after this number of steps and waits until it is aborted. */
export interface Hold {
  readonly steps: number;
  /** Called once the turn has stopped. */
  held(): void;
}

export interface TurnOrder {
  readonly house: House;
  readonly keeper: RunKeeper;
  readonly sessionKey: string;
  readonly run: Run;
  readonly read: ReadInput;
  /** `read` arrives by itself at `turn-start`, and no user sent it. */
  readonly isNotification?: boolean;
  /** Called just before each request to the model. */
  readonly asked?: () => void;
  readonly hold?: Hold;
  /** False: the turn tells its accepted input. */
  readonly isTold: boolean;
  /** The input of a notification enters at `turn-start`. Otherwise the seams of the turn bring it. */
  readonly brings?: boolean;
  /** Overlays that waited for this turn. */
  readonly overlays: readonly ReadInput[];
  /** Steps that may begin before the turn is suspended. Default: any number. */
  readonly maxSteps?: number;
  /** The methods with which a plugin's hook may change this turn. */
  readonly hooks: Pick<TurnView, "steer" | "overlay">;
}
