// Dates as text: ISO 8601 in the profile of RFC 3339 §5.6, and beside it a date alone and a time without an offset. What no
// calendar has (a 30th of February, a 25th hour, a leap second) is no date.

import type { DateUnit } from "./kinds.js";

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:\d{2})?)?$/;

/** What stands for every date where all are equal. */
const ANY_DATE = "1970-01-01";

/**
 * The normal form of a date, itself a date; undefined for a text that is none. `instant` moves a time with an offset to UTC;
 * a date alone, or a time without an offset, names no instant and equals only its own kind.
 */
export function normalDate(text: string, unit: DateUnit): string | undefined {
  const found = DATE.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", offset] = found;
  const date = `${year ?? ""}-${month ?? ""}-${day ?? ""}`;
  const time = `${hour}:${minute}:${second}`;
  const written = Date.parse(`${date}T${time}Z`);
  // Date.parse takes a 30th of February for the 1st or 2nd of March.
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
      // Beyond the years 0 to 9999 a date has another form.
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
