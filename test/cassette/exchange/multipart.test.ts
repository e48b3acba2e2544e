import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { boundaryOf, readParts } from "../../../src/cassette/exchange/multipart.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function encoded(form: FormData): Promise<{ bytes: Uint8Array; boundary: string }> {
  const response = new Response(form);
  const boundary = boundaryOf(response.headers.get("content-type") ?? "") ?? "";
  return { bytes: new Uint8Array(await response.arrayBuffer()), boundary };
}

describe("boundaryOf", () => {
  it("reads a boundary with and without quotes, among other parameters", () => {
    expect(boundaryOf("multipart/form-data; boundary=a-b")).toBe("a-b");
    expect(boundaryOf('Multipart/Mixed; charset="x;y"; boundary="a b"; z=1')).toBe("a b");
    expect(boundaryOf("multipart/form-data")).toBeUndefined();
    expect(boundaryOf("application/json; boundary=a")).toBeUndefined();
    expect(boundaryOf()).toBeUndefined();
  });
});

describe("readParts", () => {
  it("is the same for two encodings of one form", async () => {
    const audio = Uint8Array.of(0, 13, 10, 45, 45, 255, 13, 10);
    const make = () => {
      const form = new FormData();
      form.set("model", "whisper-1");
      form.set("prompt", "zwei\r\nZeilen ü");
      form.set("file", new Blob([audio], { type: "audio/mpeg" }), 'ä "b".mp3');
      return encoded(form);
    };
    const [one, other] = [await make(), await make()];
    const parts = readParts(one.bytes, one.boundary);
    expect(one.boundary).not.toBe(other.boundary);
    expect(readParts(other.bytes, other.boundary)).toEqual(parts);
    expect(parts).toEqual([
      { name: "model", text: "whisper-1" },
      { name: "prompt", text: "zwei\r\nZeilen ü" },
      { name: "file", filename: "ä %22b%22.mp3", type: "audio/mpeg", sha256: sha256(audio), bytes: audio.length },
    ]);
  });

  it("reads empty bodies, parts without headers of interest and text after the end", () => {
    const body =
      "before\r\n--b\r\nX-Y: 1\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=n\r\n\r\n\r\n--b--\r\nafter";
    expect(readParts(new TextEncoder().encode(body), "b")).toEqual([{ text: "x" }, { name: "n", text: "" }]);
    expect(readParts(new TextEncoder().encode("--b--"), "b")).toEqual([]);
  });

  it.each(["", "--b\r\n\r\nx", "--b\r\nno end of headers\r\n--b--", "--c--"])("does not read %j", (body) => {
    expect(readParts(new TextEncoder().encode(body), "b")).toBeUndefined();
  });
});
