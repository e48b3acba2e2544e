// Reads the system's errors.

/** The codes of a file system that does not support the operation. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP", "EINVAL"]);

/** The system's own code, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** True if another way may work, false for a disk that is full or broken. */
export function isUnsupported(error: unknown): boolean {
  return UNSUPPORTED.has(codeOf(error));
}
