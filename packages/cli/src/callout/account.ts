import { tidyApiRoot } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import { type Account, type Env, type Profiles, readProfiles } from './profiles.ts';

/** An account, and where it was found. */
export interface FoundAccount extends Account {
  /** Null: in the environment. */
  readonly profile: string | null;
}

const variables = {
  url: 'CALLOUT_URL',
  userName: 'CALLOUT_USER_NAME',
  secret: 'CALLOUT_SECRET',
  apiIntegrationCode: 'CALLOUT_INTEGRATION_CODE',
} as const satisfies Record<keyof Account, string>;

const names = Object.keys(variables) as (keyof Account)[];

export const usualProfile = 'default';

/** The account of the caller is unknown. The exit status is 3. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
}

/**
 * The account of a command: of `--profile`, else of the environment, else of `CALLOUT_PROFILE`, else of the profile
 * `default`. An account never comes from two places: a secret is sent only to the installation of the account.
 * @throws NotSignedIn with the remedy.
 */
export async function readAccount(env: Env, named: string | undefined): Promise<FoundAccount> {
  if (named === undefined) {
    const account = accountOfEnvironment(env);
    if (account !== undefined) return { ...account, profile: null };
  }
  const profile = named ?? (env['CALLOUT_PROFILE'] || usualProfile);
  const profiles = await readProfiles(env);
  const account = profiles[profile];
  if (account === undefined) throw new NotSignedIn(missingSentence(profile, profiles));
  return { ...account, profile };
}

function accountOfEnvironment(env: Env): Account | undefined {
  const missing = names.filter((name) => !env[variables[name]]);
  if (missing.length === names.length) return undefined;
  if (missing.length > 0) {
    const lacking = missing.map((name) => variables[name]).join(', ');
    throw Problem.invalid(
      `the environment has only part of a credential: ${lacking} missing. Set all four variables or none, or choose a profile with --profile.`,
    );
  }
  const account = Object.fromEntries(names.map((name) => [name, env[variables[name]]])) as unknown as Account;
  if (!URL.canParse(account.url) || !/^https?:/iu.test(account.url)) {
    throw Problem.invalid(
      'CALLOUT_URL must be an http or https URL, such as https://callout.example.com/atservicesrest',
    );
  }
  return { ...account, url: tidyApiRoot(account.url) };
}

function missingSentence(profile: string, profiles: Profiles): string {
  const profileNames = Object.keys(profiles);
  const kept =
    profileNames.length > 0 ? ` Profiles that are kept: ${profileNames.join(', ')}. Choose one with --profile.` : '';
  const isUsual = profile === usualProfile;
  return `You are not signed in${isUsual ? '' : ` as ${profile}`}: run \`callout login${isUsual ? '' : ` --profile ${profile}`}\`.${kept}`;
}

/** The credential in a file for `curl --config`, as `npm start` writes such files. */
export function accountOfCurlConfig(text: string): Omit<Account, 'url'> {
  const header = (name: string): string => new RegExp(`^header = "${name}: (.*)"$`, 'mu').exec(text)?.[1] ?? '';
  const account = {
    userName: header('UserName'),
    secret: header('Secret'),
    apiIntegrationCode: header('ApiIntegrationCode'),
  };
  if (Object.values(account).includes('')) {
    throw Problem.invalid(
      'the file does not have the three headers UserName, Secret and ApiIntegrationCode. Name one that `npm start` writes, such as .callout/curl-integrator.',
    );
  }
  return account;
}
