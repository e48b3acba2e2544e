// What the system's errors say to us.

/** What a file system answers that does not have the operation at all. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP", "EINVAL"]);

/** The system's own code, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** True where another way may work, or none is needed; false for a disk that is full or broken. */
export function isUnsupported(error: unknown): boolean {
  return UNSUPPORTED.has(codeOf(error));
}
