// The secrets of an environment, found by the names of its variables. The environment is handed in; nothing is read here.

/** A word of a name that says its value is a secret. */
const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:$|_)|(?:SECRET|TOKEN|PASSWORD|APIKEY)$/i;
/** A shorter value is found in too many words. */
const MIN_LENGTH = 8;
/** Words and paths that stand in such variables and are no secrets. */
const HARMLESS = /^(?:true|false|enabled|disabled|required|undefined|(?:[A-Za-z]:)?[\\/].*|\d{1,10})$/i;

/** The values of variables whose names look secret, each once, in the order of the names. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.keys(environment)
    .sort()
    .filter((name) => SECRET_NAME.test(name))
    .map((name) => environment[name] ?? "")
    .filter((value) => value.length >= MIN_LENGTH && value.isWellFormed() && !HARMLESS.test(value));
  return [...new Set(values)];
}
