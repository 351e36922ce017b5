import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type CalloutClient, createClient } from '@callout/client';
import { Problem } from '@callout/core/errors';

type Env = Readonly<Record<string, string | undefined>>;

/** Where an API is, and who calls it. */
export interface Account {
  /** Ends with the API root: `https://callout.example.com/atservicesrest`. */
  readonly url: string;
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
}

const variables = {
  url: 'CALLOUT_URL',
  userName: 'CALLOUT_USER_NAME',
  secret: 'CALLOUT_SECRET',
  apiIntegrationCode: 'CALLOUT_INTEGRATION_CODE',
} as const satisfies Record<keyof Account, string>;

const names = Object.keys(variables) as (keyof Account)[];

/** A client of the API, as this account. */
export function clientOf({ url, ...credential }: Account): CalloutClient {
  return createClient({ baseUrl: url.replace(/\/+$/u, ''), credential });
}

/** The file of `callout login`, in the configuration directory of the user (XDG). */
export function accountFile(env: Env): string {
  const base = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] ?? homedir(), '.config');
  return path.join(base, 'callout', 'credentials.json');
}

/** Keeps an account where only its user can read it. @returns the path of the file. */
export async function keepAccount(env: Env, account: Account): Promise<string> {
  const file = accountFile(env);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // The mode is that of a new file only: a secret written to an old one could be read before its mode is changed.
  await rm(file, { force: true });
  await writeFile(file, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

/** The account from the environment, else from the file. Throws a Problem that says what is missing. */
export async function readAccount(env: Env): Promise<Account> {
  const kept = await readKept(accountFile(env));
  const read = Object.fromEntries(names.map((name) => [name, env[variables[name]] || kept[name] || '']));
  const missing = names.filter((name) => read[name] === '');
  if (missing.length > 0) {
    const lacking = missing.map((name) => variables[name]).join(', ');
    throw Problem.invalid(`no credential: run \`callout login\`, or set ${lacking}`);
  }
  return read as unknown as Account;
}

async function readKept(file: string): Promise<Partial<Account>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<Account>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Problem(
      'invalid',
      [{ code: 'invalid', message: `${file} cannot be read: run \`callout login\` again` }],
      {
        cause: error,
      },
    );
  }
}

/** The credential in a file that `curl --config` reads, as `npm start` writes it. */
export function accountOfCurlConfig(text: string): Omit<Account, 'url'> {
  const header = (name: string): string => new RegExp(`^header = "${name}: (.*)"$`, 'mu').exec(text)?.[1] ?? '';
  const account = {
    userName: header('UserName'),
    secret: header('Secret'),
    apiIntegrationCode: header('ApiIntegrationCode'),
  };
  if (Object.values(account).includes('')) throw Problem.invalid('the file has no headers of a credential');
  return account;
}
