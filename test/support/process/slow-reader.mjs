// node slow-reader.mjs JSON: a fabric in a process of its own, whose output is not read at first. Says what it needed.

import { setTimeout as sleep } from "node:timers/promises";
import { runFabric } from "playhead/process";

const { graph, options, messages, unreadMs } = JSON.parse(process.argv[2]);
const text = "x".repeat(1_000);
const fabric = await runFabric(graph, options);
const rss = () => process.memoryUsage().rss;
const before = rss();
let [most, sent] = [0, 0];
const watch = setInterval(() => (most = Math.max(most, rss())), 20);
const sending = (async () => {
  for (; sent < messages; sent++) await fabric.send(`${sent} ${text}`);
  fabric.end();
})();
await sleep(unreadMs);
const sentUnread = sent;
const asked = performance.now();
const control = fabric.control("poet");
await control.send({ get_memory: true });
const { value: reply } = await control.replies[Symbol.asyncIterator]().next();
const replyMs = performance.now() - asked;
let [outputs, inOrder] = [0, 0];
for await (const value of fabric.output) if (value === `${outputs++} ${text}`) inOrder++;
await sending;
const { agents } = await fabric.done();
clearInterval(watch);
const grownMiB = (most - before) / 1024 / 1024;
console.log(JSON.stringify({ sentUnread, reply: reply.kind, replyMs, outputs, inOrder, grownMiB, agents }));
