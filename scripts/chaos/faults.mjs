// The faults of the bench. Each has a file.

import { clocks } from "./clocks.mjs";
import { frozen } from "./frozen.mjs";
import { kills } from "./kills.mjs";
import { operations } from "./operations.mjs";
import { partition } from "./partition.mjs";
import { poison } from "./poison.mjs";
import { register } from "./register.mjs";
import { stops } from "./stops.mjs";
import { takeover } from "./takeover.mjs";
import { transfers } from "./transfers.mjs";
import { turns } from "./turns.mjs";
import { wakeUps } from "./wake-ups.mjs";

export const FAULTS = [
  ...[operations, kills, register, takeover, frozen],
  ...[clocks, partition, stops, poison, turns, wakeUps, transfers],
];
