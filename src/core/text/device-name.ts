// Names of devices on Windows, which no file can have (Microsoft, "Naming Files, Paths, and Namespaces").

const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[\d\u00b9\u00b2\u00b3]|conin\$?|conout\$?) *(?:\.|$)/iu;

/** True for a device such as `nul` or `COM1`. A device keeps its meaning with any extension: `nul.txt` is one too. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}
