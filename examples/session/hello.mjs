// One turn of a session, and the events by which its consumer drives it.
//
//   node examples/session/hello.mjs

import { scriptedProvider } from "playhead";
import { Agent } from "playhead/session";

const text = "Hello, Ann.";
const model = scriptedProvider([
  { message: { role: "assistant", content: text }, finalAnswer: text, stopReason: "stop" },
]);
const agent = new Agent({ model, instructions: "Be brief." });

const run = await agent.send("I am Ann.");
const types = [];
for await (const event of run.events()) types.push(event.type);
console.log(types.join(" "));
