import { expect, it } from "vitest";
import { isDeviceName } from "../../../src/core/text/device-name.js";

it.each(["nul", "CON", "aux.txt", "com1", "LPT9.cassette.json", "COM²", "conin$", "prn .txt"])(
  "%s is a device",
  (name) => {
    expect(isDeviceName(name)).toBe(true);
  },
);

it.each(["null", "com", "com12", "console", "my-nul", "auxiliary.txt", ""])("%s is an ordinary name", (name) => {
  expect(isDeviceName(name)).toBe(false);
});
