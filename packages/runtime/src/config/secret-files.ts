import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys that hold a secret: each may be given as a file, `SECRET_KEYS_FILE=/run/secrets/callout-keys`. */
export const secretKeyNames = [
  'DATABASE_URL',
  'REDIS_URL',
  'SECRET_KEYS',
  'OPERATOR_TOKEN',
  'SMTP_URL',
  'OUTBOUND_PROXY',
  'OPERATOR_ALERT_URL',
] as const;

/**
 * Replaces `<KEY>_FILE` by `<KEY>` with the content of the file: containers get secrets as files, and the environment
 * of a process is visible in more places than files. `problems`: by key, why the file cannot be used, without the
 * content.
 */
export function readSecretFiles(environment: Environment): { env: Environment; problems: ReadonlyMap<string, string> } {
  const env: Record<string, string | undefined> = { ...environment };
  const problems = new Map<string, string>();
  for (const name of secretKeyNames) {
    const file = environment[`${name}_FILE`]?.trim();
    delete env[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if ((environment[name] ?? '').trim() !== '') {
      problems.set(name, `${name}_FILE is set, and so is ${name}. Set one of them.`);
      continue;
    }
    try {
      env[name] = readFileSync(file, 'utf8');
    } catch (error) {
      // Its message would repeat the value, which may be the secret itself, put in the wrong place.
      const code = String((error as NodeJS.ErrnoException).code);
      problems.set(name, `${name}_FILE cannot be read (${code}). Set it to the path of a file that holds the value.`);
    }
  }
  return { env, problems };
}
