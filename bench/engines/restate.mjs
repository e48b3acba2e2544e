// Restate. A job is a call of a service, and a step is `ctx.run`. The server calls the worker, so it has no idle load of its own.

import * as restate from "@restatedev/restate-sdk";
import { freePort } from "../../scripts/free-port.mjs";

// Its SDK needs this function, which Node 20 lacks.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

export async function open({ restate: { admin, ingress }, name }) {
  return {
    async add(id) {
      const response = await fetch(`${ingress}/${name}/job/send`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": id },
        body: JSON.stringify(id),
      });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    },
    async start(work) {
      const handlers = { job: (ctx, id) => work(id, (step, done) => ctx.run(step, done)) };
      const port = await freePort();
      await restate.serve({ services: [restate.service({ name, handlers })], port });
      const body = JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${admin}/deployments`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(await response.text());
    },
    close: async () => undefined,
  };
}
