// The faults of the bench. Each has a file.

import { kills } from "./kills.mjs";
import { operations } from "./operations.mjs";
import { register } from "./register.mjs";

export const FAULTS = [operations, kills, register];
