// examples/durable/restate.mjs
import * as restate from "@restatedev/restate-sdk";
import { journaled } from "playhead/execution";
import { Agent } from "playhead/session";
import { model, tools } from "./desk.mjs";

/** A session is a virtual object: Restate runs one `send` of a key at a time, and keeps its state. */
const desk = restate.object({
  name: "desk",
  handlers: {
    async send(ctx, input) {
      const version = ctx.request().id;
      const steps = journaled((name, work) => ctx.run(name, work), version);
      const sessionStore = {
        load: () => ctx.get("session"),
        async commit(_key, { state }) {
          ctx.set("session", { state, version });
          return { ok: true, version };
        },
        delete: async () => ctx.clear("session"),
      };
      const agent = new Agent({ model: steps.provider(model), tools: steps.tools(tools), host: { sessionStore } });
      const { error, text } = await (await agent.session(ctx.key).send(input)).result();
      // Restate runs the handler again after any other error.
      if (error?.retryable === false) throw new restate.TerminalError(error.message);
      if (error) throw error;
      return text;
    },
  },
});

restate.serve({ services: [desk], port: Number(process.env.PORT ?? 9080) });
