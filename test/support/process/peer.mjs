// An agent that is not ours: plain lines, no package. node peer.mjs MODE SPEC
//   echo: answers each message with itself · next: counts `left` down · judge: takes the larger of two, counts it down
//   deaf: never reads · chatty: prints a line that is no item, and never reads · endless: as chatty, without the end of the line · exit: exits with 7 · cut: ends within a line · hang: reads and never answers

import { createInterface } from "node:readline";

const [mode] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const answers = {
  echo: (value) => value,
  next: ({ topic, left }) => ({ topic, left: left - 1 }),
  judge: ([one, two]) => ({ topic: one.topic, left: Math.max(one.left, two.left) - 1 }),
};
if (mode === "exit") {
  console.error("no luck");
  process.exit(7);
}
if (mode === "chatty") console.log("Loading …");
if (mode === "endless") process.stdout.write("Loading …");
if (mode === "deaf" || mode === "chatty" || mode === "endless") setInterval(() => undefined, 1000);
else {
  for await (const line of createInterface({ input: process.stdin })) {
    // A marker passes in order, without an answer.
    if (line.startsWith("\u0001")) process.stdout.write(`${line}\n`);
    else if (mode === "cut") {
      process.stdout.write('"half');
      process.exit(0);
    } else if (mode === "hang") setInterval(() => undefined, 1000);
    else say(answers[mode](JSON.parse(line)));
  }
}
