import { expect, it } from "vitest";
import { cli } from "../run.js";
import { cassetteOf, placeJson } from "./running.js";

it.each([
  ["", "An empty one would be every address of this machine."],
  ["no-such-host.invalid", "hint: Choose another --host."],
])("serve refuses the address %j, and says what to do", async (host, text) => {
  const file = placeJson("host.cassette.json", cassetteOf({ q: "a" }));
  const { code, err } = await cli(["serve", file, "--port", "0", "--host", host]);
  expect([code, err]).toEqual([2, expect.stringContaining(text)]);
});
