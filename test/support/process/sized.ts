// How much the long tests of processes do. `npm run laws` runs them in full.

const isFull = process.env["PLAYHEAD_PROCESSES"] === "full";

export function sized<T>(small: T, full: T): T {
  return isFull ? full : small;
}
