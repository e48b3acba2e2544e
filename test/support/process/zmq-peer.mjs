// An agent that is not ours, over ZeroMQ. node zmq-peer.mjs MODE SPEC
//   echo, next, judge, exit, hang: as peer.mjs · deaf: never says that it is ready · cut: exits after an answer, without an end
//   garbage, two-frames: answers with bytes that are no item

import { Pull, Push } from "zeromq";

const [mode] = process.argv.slice(2);
const answers = {
  next: ({ topic, left }) => ({ topic, left: left - 1 }),
  judge: ([one, two]) => ({ topic: one.topic, left: Math.max(one.left, two.left) - 1 }),
};
if (mode === "exit") {
  console.error("no luck");
  process.exit(7);
}
const endpoint = (name) => process.env[`PLUMB_ENDPOINT_${name}`] ?? "";
const topic = Buffer.from("peer");
const frame = (payload) => Buffer.concat([Buffer.from([0, 0, 0, topic.length]), topic, payload]);
const payloadOf = (bytes) => bytes.subarray(4 + bytes.readUInt32BE(0));
/** Provenance stands between the mark and the value. */
const valueOf = (payload) => (payload[0] === 2 ? payload.subarray(5 + payload.readUInt32BE(1)) : payload);
const answer = (value) => (mode in answers ? Buffer.from(JSON.stringify(answers[mode](JSON.parse(value)))) : value);
const END = frame(Buffer.alloc(0));

const output = new Push({ sendHighWaterMark: 0, linger: 5000 });
const replies = new Push({ sendHighWaterMark: 0, linger: 1000 });
await output.bind(endpoint("OUTPUT"));
await replies.bind(endpoint("CTRL_OUT"));
const input = new Pull();
input.connect(endpoint("INPUT"));
if (mode !== "deaf") await replies.send(frame(Buffer.from('{"status":"ready"}')));

for (;;) {
  const payload = payloadOf((await input.receive())[0]);
  if (payload.length === 0) break;
  const isMarker = payload[0] === 1;
  if (mode === "garbage" && !isMarker) await output.send(Buffer.from([9]));
  else if (mode === "two-frames" && !isMarker) await output.send([frame(Buffer.from("1")), "2"]);
  else if (mode !== "hang" || isMarker) await output.send(frame(isMarker ? payload : answer(valueOf(payload))));
  if (mode === "cut" && !isMarker) break;
}
input.close();
if (mode !== "cut") {
  console.error("data_in ended");
  await output.send(END);
}
output.close();
if (endpoint("CTRL_IN") !== "") {
  const control = new Pull();
  control.connect(endpoint("CTRL_IN"));
  for (;;) {
    const payload = payloadOf((await control.receive())[0]);
    if (payload.length === 0) break;
    console.error(`ctrl_in ${valueOf(payload)}`);
  }
  console.error("ctrl_in ended");
  control.close();
  await replies.send(END);
}
replies.close();
