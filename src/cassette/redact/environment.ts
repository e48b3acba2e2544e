// Finds the secrets of an environment by the names of its variables. The caller passes the environment.

/** Words in a variable's name that mark its value as a secret. */
const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH|COOKIE)S?(?:$|_)|_(?:PASS|PWD|PAT)S?(?:$|_)|(?:SECRET|TOKEN|PASSWORD|(?:API|PRIVATE|ACCESS|SECRET)KEY)S?$/i;
/** A shorter value is found in too many words. */
const MIN_LENGTH = 8;
/** Harmless values of such variables: words, paths and short numbers. */
const HARMLESS = /^(?:true|false|enabled|disabled|required|undefined|(?:[A-Za-z]:)?[\\/].*|\d{1,10})$/i;
/** One base64 secret in 64 begins with `/`, like a path. */
const BASE64 = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{20,}={0,2}$/;

/** Returns the distinct values of variables whose names look secret, sorted by name. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.keys(environment)
    .sort()
    .filter((name) => SECRET_NAME.test(name))
    // A value read from a file often ends with a line break, which programs strip before use.
    .map((name) => (environment[name] ?? "").trim())
    .filter(
      (value) => value.length >= MIN_LENGTH && value.isWellFormed() && (!HARMLESS.test(value) || BASE64.test(value)),
    );
  return [...new Set(values)];
}
