// The secrets of an environment, found by the names of its variables. The environment is handed in; nothing is read here.

/** A word of a name that says its value is a secret. */
const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH|COOKIE)S?(?:$|_)|_(?:PASS|PWD|PAT)S?(?:$|_)|(?:SECRET|TOKEN|PASSWORD|(?:API|PRIVATE|ACCESS|SECRET)KEY)S?$/i;
/** A shorter value is found in too many words. */
const MIN_LENGTH = 8;
/** Words and paths that stand in such variables and are no secrets. */
const HARMLESS = /^(?:true|false|enabled|disabled|required|undefined|(?:[A-Za-z]:)?[\\/].*|\d{1,10})$/i;
/** One secret in 64 that is written in base64 begins as a path does. */
const BASE64 = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{20,}={0,2}$/;

/** The values of variables whose names look secret, each once, in the order of the names. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.keys(environment)
    .sort()
    .filter((name) => SECRET_NAME.test(name))
    // A value that was read from a file often ends with a line break, and is used without it.
    .map((name) => (environment[name] ?? "").trim())
    .filter(
      (value) => value.length >= MIN_LENGTH && value.isWellFormed() && (!HARMLESS.test(value) || BASE64.test(value)),
    );
  return [...new Set(values)];
}
