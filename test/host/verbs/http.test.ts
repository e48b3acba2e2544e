// Which hosts the verbs reach, by what way, and how much of an answer they take. All servers are on loopback; a lookup of the
// test's own gives them names.

import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { redirectTarget } from "../../../src/host/verbs/http-fetch.js";
import type { VerbsOptions } from "../../../src/host/verbs/options.js";
import { createVerbs } from "../../../src/host/verbs/verbs.js";
import { refusal, rejection } from "../../support/refusal.js";
import { pages, startSite, useVerb, type Answer, type Site } from "../../support/site.js";

const sites: Site[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.close()));
});
async function site(table: Readonly<Record<string, string | Answer>>): Promise<Site> {
  const one = await startSite(pages(table));
  sites.push(one);
  return one;
}

/** Names by what they resolve to; every other name does not exist. */
const names = (table: Readonly<Record<string, readonly string[]>>, asked: string[] = []): VerbsOptions => ({
  lookup: async (hostname) => {
    asked.push(hostname);
    const found = table[hostname];
    if (found === undefined) throw Object.assign(new Error(`ENOTFOUND ${hostname}`), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  },
});
const extract = (uri: string, options: VerbsOptions = {}, signal?: AbortSignal) =>
  useVerb(createVerbs(options), "extract", { uri, as: "text" }, signal);
const refused = (uri: string, options: VerbsOptions = {}) => rejection(extract(uri, options));
const LOCAL = { allowPrivateNetwork: true };
const answer =
  (headers: Record<string, string>, body: string | Uint8Array, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);
const redirect = (location: string, status = 302): Answer => answer({ location }, "", status);

describe("a host", () => {
  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://①②⑦.0.0.1/",
  ])("PLK-10 that is not public is refused, however it is written: %s", async (uri) => {
    const asked: string[] = [];
    expect(await refused(uri, names({}, asked))).toMatchObject({ name: "VerbError", code: "not-allowed" });
    expect(asked).toEqual([]);
  });

  it("PLK-10 whose name leads to an address that is not public is refused before it is connected to", async () => {
    const inner = await site({ "/": "secret" });
    const table = { "in.test": ["127.0.0.1"], "both.test": ["1.1.1.1", "127.0.0.1"], "six.test": ["::ffff:7f00:1"] };
    for (const name of [...Object.keys(table), "none.test"]) {
      expect(await refused(`http://${name}:${inner.port}/`, names(table))).toMatchObject({
        code: "not-allowed",
        message: `the name ${name} has no address that may be reached`,
      });
    }
    expect(inner.asked).toEqual([]);
  });

  it("is looked up once, so that the address that was checked is the one that is connected to", async () => {
    const inner = await site({ "/": "hello" });
    const answers = ["127.0.0.1", "10.0.0.1"];
    const asked: string[] = [];
    const options: VerbsOptions = {
      allowPrivateNetwork: ["site.test"],
      lookup: async (hostname) => {
        asked.push(hostname);
        return [{ address: answers.shift() ?? "10.0.0.1", family: 4 }];
      },
    };
    expect(await extract(`http://site.test:${inner.port}/`, options)).toMatchObject({ text: "hello" });
    expect(asked).toEqual(["site.test"]);
  });

  it("says no more of a name that leads inside than of one that does not exist", async () => {
    const said = async (name: string) => {
      const error = (await refused(`http://${name}/`, names({ "inner.corp": ["10.1.2.3"] }))) as Error;
      return { ...error, message: error.message.replace(name, "NAME"), cause: error.cause };
    };
    expect(await said("inner.corp")).toEqual(await said("nobody.corp"));
  });

  it("is opened by name, by name and port, by pattern, or with all private ones", async () => {
    const inner = await site({ "/": "hello" });
    const port = String(inner.port);
    const lookup = names({ "a.corp.test": ["127.0.0.1"] });
    const named = `http://a.corp.test:${port}/`;
    for (const allowed of [true, ["A.Corp.test"], [`a.corp.test:${port}`], ["*.corp.test"], [`*.corp.test:${port}`]]) {
      expect(await extract(named, { ...lookup, allowPrivateNetwork: allowed })).toMatchObject({ text: "hello" });
    }
    for (const allowed of [[], ["corp.test"], ["a.corp.test:1"], ["*.a.corp.test"], ["127.0.0.1"]]) {
      expect(await refused(named, { ...lookup, allowPrivateNetwork: allowed })).toMatchObject({ code: "not-allowed" });
    }
    expect(await extract(inner.url, { allowPrivateNetwork: [`127.0.0.1:${port}`] })).toMatchObject({ text: "hello" });
    expect(await refused(inner.url, { allowPrivateNetwork: ["*.0.0.1"] })).toMatchObject({ code: "not-allowed" });
  });

  it("at which clouds keep credentials is not opened with all private ones", async () => {
    for (const uri of [
      "http://169.254.169.254/",
      "http://[fd00:ec2::254]/",
      "http://0.0.0.0/",
      "http://100.100.100.200/",
    ]) {
      expect(await refused(uri, LOCAL)).toMatchObject({ code: "not-allowed" });
    }
  });

  it("outside allowHosts is refused, and allowHosts opens nothing private", async () => {
    const inner = await site({ "/": "hello" });
    expect(await extract(inner.url, { ...LOCAL, allowHosts: ["127.0.0.1"] })).toMatchObject({ text: "hello" });
    expect(await refused(inner.url, { ...LOCAL, allowHosts: ["site.test"] })).toMatchObject({ code: "not-allowed" });
    expect(await refused(inner.url, { allowHosts: ["127.0.0.1"] })).toMatchObject({ code: "not-allowed" });
  });

  it("with a user name in its URL is refused", async () => {
    for (const uri of ["http://a@127.0.0.1/", "http://a:b@127.0.0.1/", "http://:b@127.0.0.1/"]) {
      expect(await refused(uri, LOCAL)).toMatchObject({ code: "bad-target" });
    }
  });

  it("that nobody answers at is unreachable, and no address is named", async () => {
    const gone = await site({});
    await gone.close();
    const error = (await refused(`http://gone.test:${gone.port}/`, {
      ...LOCAL,
      ...names({ "gone.test": ["127.0.0.1"] }),
    })) as Error;
    expect(error).toMatchObject({ code: "unreachable" });
    expect(error.message).not.toContain("127.0.0.1");
  });

  it("that speaks no HTTP is unreachable", async () => {
    const odd = await site({ "/": (request) => void request.socket.end("SSH-2.0-hello\r\n") });
    expect(await refused(odd.url, LOCAL)).toMatchObject({ code: "unreachable" });
  });
});

describe("a redirect", () => {
  it("is followed, and the final URL told", async () => {
    const one = await site({ "/": redirect("/b", 307), "/b": redirect("c", 308), "/c": "there" });
    expect(await extract(one.url, LOCAL)).toMatchObject({ uri: `${one.url}/c`, text: "there" });
  });

  it.each([
    ["a private address", "http://127.0.0.1:PORT/"],
    ["a name that leads to one", "http://in.test:PORT/"],
    ["the address where clouds keep credentials", "http://169.254.169.254/"],
    ["a file", "file:///etc/passwd"],
    ["a URL with credentials", "http://a:b@site.test:PORT/"],
  ])("PLK-10 to %s is refused like a target of that kind", async (_name, location) => {
    const inner = await site({ "/": "secret" });
    const outer = await site({ "/": redirect(location.replace("PORT", String(inner.port))) });
    const options = {
      ...names({ "site.test": ["127.0.0.1"], "in.test": ["127.0.0.1"] }),
      allowPrivateNetwork: ["site.test"],
    };
    expect(await refused(`http://site.test:${outer.port}/`, options)).toMatchObject({
      name: "VerbError",
      code: expect.stringMatching(/^(not-allowed|bad-target)$/) as string,
    });
    expect([outer.asked.length, inner.asked]).toEqual([1, []]);
  });

  it("is followed five times and no more, unless the options say another number", async () => {
    const one = await site(
      Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`/${i}`, i === 6 ? "end" : redirect(`/${i + 1}`)])),
    );
    expect(await extract(`${one.url}/1`, LOCAL)).toMatchObject({ text: "end" });
    expect(await refused(`${one.url}/0`, LOCAL)).toMatchObject({ code: "redirect" });
    expect(await refused(`${one.url}/5`, { ...LOCAL, maxRedirects: 0 })).toMatchObject({ code: "redirect" });
  });

  it("from https to http is refused, and from http to https is not", () => {
    expect(refusal(() => redirectTarget(new URL("https://a.test/"), "http://a.test/"))).toMatchObject({
      code: "redirect",
    });
    expect(refusal(() => redirectTarget(new URL("https://a.test/"), "http://["))).toMatchObject({ code: "redirect" });
    expect(redirectTarget(new URL("http://a.test/x"), "https://b.test").href).toBe("https://b.test/");
    expect(redirectTarget(new URL("https://a.test/x/y"), "../z").href).toBe("https://a.test/z");
  });

  it("takes header fields of one origin to no other", async () => {
    const other = await site({ "/": "other" });
    const one = await site({ "/": redirect(`http://127.0.0.1:${other.port}/`) });
    await extract(one.url, { ...LOCAL, userAgent: "bird/1", headers: { [one.url]: { authorization: "Bearer k" } } });
    expect(one.requests[0]?.headers).toMatchObject({ authorization: "Bearer k", "user-agent": "bird/1" });
    expect(other.requests[0]?.headers).toMatchObject({ "user-agent": "bird/1" });
    expect(other.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(other.requests[0]?.headers).not.toHaveProperty("referer");
  });
});

describe("a body", () => {
  it.each([
    ["gzip", gzipSync("hello")],
    ["br", brotliCompressSync("hello")],
    ["identity", Buffer.from("hello")],
    ["gzip, br", brotliCompressSync(gzipSync("hello"))],
  ])("is read from %s", async (encoding, body) => {
    const one = await site({ "/": answer({ "content-encoding": encoding, "content-type": "text/plain" }, body) });
    expect(await extract(one.url, LOCAL)).toMatchObject({ text: "hello" });
  });

  it.each([
    ["zstd", Buffer.from("x"), "content"],
    ["gzip,gzip,gzip", Buffer.from("x"), "content"],
    ["gzip", Buffer.from("no gzip"), "unreachable"],
  ])("is refused in %s", async (encoding, body, code) => {
    const one = await site({ "/": answer({ "content-encoding": encoding }, body) });
    expect(await refused(one.url, LOCAL)).toMatchObject({ code });
  });

  it("PLK-10 that unpacks beyond the limit is refused, whatever it says of its size", async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const one = await site({
      "/gzip": answer({ "content-encoding": "gzip" }, bomb),
      "/br": answer({ "content-encoding": "br" }, brotliCompressSync(Buffer.alloc(20 * 1024 * 1024))),
      "/twice": answer({ "content-encoding": "gzip, gzip" }, gzipSync(bomb)),
    });
    for (const path of ["/gzip", "/br", "/twice"]) {
      expect(await refused(one.url + path, LOCAL)).toMatchObject({ code: "too-large" });
    }
  });

  it("PLK-10 that is too large, or never ends, is refused and its connection closed", async () => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const pour: Answer = (_request, response) => {
      const more = () => void response.write("x".repeat(64 * 1024), (error) => error ?? setImmediate(more));
      response.on("close", closed);
      more();
    };
    const one = await site({
      "/endless": pour,
      "/declared": (_request, response) => void response.writeHead(200, { "content-length": "99999999" }).write("x"),
      "/exact": answer({ "content-type": "text/plain" }, "x".repeat(100)),
      "/over": answer({ "content-type": "text/plain" }, "x".repeat(101)),
    });
    const options = { ...LOCAL, maxBytes: 100 };
    for (const path of ["/endless", "/declared", "/over"]) {
      expect(await refused(one.url + path, options)).toMatchObject({ code: "too-large" });
    }
    await isClosed;
    expect(await extract(`${one.url}/exact`, options)).toMatchObject({ total: 100 });
  });

  it("PLK-10 that stalls, like a head that does, ends with the time that one target has", async () => {
    const one = await site({
      "/head": () => undefined,
      "/body": (_request, response) => void response.writeHead(200, { "content-type": "text/plain" }).write("x"),
    });
    for (const path of ["/head", "/body"]) {
      expect(await refused(one.url + path, { ...LOCAL, timeoutMs: 100 })).toMatchObject({ code: "timeout" });
    }
    const hanging = { ...LOCAL, timeoutMs: 100, lookup: () => new Promise<never>(() => undefined) };
    expect(await refused("http://slow.test/", hanging)).toMatchObject({ code: "timeout" });
  });

  it("PLK-10 that only the end of the connection ends is not accepted as content if the time limit or the signal cut it off", async () => {
    const controller = new AbortController();
    const begin: Answer = (_request, response) => {
      response.socket?.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nbegun");
    };
    const one = await site({
      "/time": begin,
      "/signal": (request, response) => {
        begin(request, response);
        setImmediate(() => controller.abort(new Error("enough")));
      },
    });
    expect(await refused(`${one.url}/time`, { ...LOCAL, timeoutMs: 100 })).toMatchObject({ code: "timeout" });
    await expect(extract(`${one.url}/signal`, LOCAL, controller.signal)).rejects.toThrow("enough");
  });

  it("that breaks off is refused", async () => {
    const one = await site({
      "/": (_request, response) => {
        response.writeHead(200, { "content-length": "10" });
        response.write("x", () => response.destroy());
      },
    });
    expect(await refused(one.url, LOCAL)).toMatchObject({ code: "unreachable" });
  });
});

describe("a switch of protocols", () => {
  it("PLK-10 that nobody asked for is refused and its connection closed", async () => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const one = await site({
      "/": (request, response) => {
        request.socket.on("close", closed);
        response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
      },
    });
    expect(await refused(one.url, LOCAL)).toMatchObject({ name: "VerbError", code: "unreachable" });
    await isClosed;
  });
});

describe("the signal", () => {
  it("PLK-100 ends the connection, whether the head or the body is awaited", async () => {
    for (const begin of [() => undefined, (response: Parameters<Answer>[1]) => void response.write("x")]) {
      const controller = new AbortController();
      let closed: () => void = () => undefined;
      const isClosed = new Promise<void>((resolve) => (closed = resolve));
      const one = await site({
        "/": (request, response) => {
          request.socket.on("close", closed);
          begin(response);
          setImmediate(() => controller.abort(new Error("enough")));
        },
      });
      await expect(extract(one.url, LOCAL, controller.signal)).rejects.toThrow("enough");
      await isClosed;
    }
  });

  it("that has fired already keeps a request from being sent", async () => {
    const one = await site({ "/": "hello" });
    await expect(extract(one.url, LOCAL, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(one.asked).toEqual([]);
  });
});

describe("createVerbs", () => {
  it.each<[string, object]>([
    ["an unknown option", { roots: "." }],
    ["an invalid limit", { maxBytes: 0 }],
    ["an invalid time", { timeoutMs: Number.NaN }],
    ["an invalid count", { maxRedirects: -1 }],
    ["a host with a scheme", { allowHosts: ["https://a.test"] }],
    ["a host that is not text", { allowPrivateNetwork: [1] }],
    ["hosts that are not a list", { allowPrivateNetwork: "a.test" }],
    ["header fields of no origin", { headers: { "https://a.test/path": {} } }],
    ["header fields without an origin", { headers: { authorization: "x" } }],
    ["a header field with a line end", { headers: { "https://a.test": { a: "b\r\nc" } } }],
    ["a user agent with a line end", { userAgent: "a\r\nb" }],
    ["write that is not a boolean", { write: "yes" }],
  ])("refuses %s", (_name, options) => {
    expect(refusal(() => createVerbs(options as VerbsOptions))).toMatchObject({ code: "invalid-options" });
  });
});
