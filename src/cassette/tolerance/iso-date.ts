// Dates as text: RFC 3339 §5.6, a date alone, a time without an offset. Impossible dates (30 February) and leap seconds do not count.

import type { DateUnit } from "./kinds.js";

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:\d{2})?)?$/;

/** Represents every date where all are equal. */
const ANY_DATE = "1970-01-01";

/** Returns the normal form of a date. Undefined for other text. `instant` converts an offset to UTC. Without one, a date equals only its own kind. */
export function normalDate(text: string, unit: DateUnit): string | undefined {
  const found = DATE.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", offset] = found;
  const date = `${year ?? ""}-${month ?? ""}-${day ?? ""}`;
  const time = `${hour}:${minute}:${second}`;
  const written = Date.parse(`${date}T${time}Z`);
  // Date.parse reads 30 February as 1 or 2 March.
  if (Number.isNaN(written) || secondsOf(written) !== `${date}T${time}`) return undefined;
  const shift = offset === undefined ? 0 : minutesOf(offset);
  if (shift === undefined) return undefined;
  switch (unit) {
    case "any":
      return ANY_DATE;
    case "day":
      return date;
    case "instant": {
      if (found[4] === undefined) return date;
      const moment = secondsOf(written - shift * 60_000);
      // Dates outside the years 0 to 9999 have another form.
      if (moment.length !== 19) return undefined;
      const rest = fraction.replace(/0+$/, "");
      return `${moment}${rest === "" ? "" : `.${rest}`}${offset === undefined ? "" : "Z"}`;
    }
  }
}

function secondsOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "");
}

function minutesOf(offset: string): number | undefined {
  if (offset.length === 1) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (60 * hours + minutes);
}
