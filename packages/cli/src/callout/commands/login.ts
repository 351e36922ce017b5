import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import { tidyApiRoot, usualRoot } from '@callout/client';
import { accountOfCurlConfig, usualProfile } from '../account.ts';
import { type Account, keepProfile } from '../profiles.ts';
import { clientOf, noticesOf } from '../api/open-api.ts';
import { rightsOf } from './whoami.ts';
import type { CommandContext } from '../context.ts';
import { fromEnvironment, givenSecret } from '../input/secret-options.ts';
import { createPrompt } from '../input/prompt.ts';
import { show } from '../show/show.ts';
import { boundedAnswer } from '../api/bounded-answer.ts';
import { Unreachable } from '../api/unreachable.ts';

interface LoginOptions {
  readonly url?: string;
  readonly userName?: string;
  readonly integrationCode?: string;
  readonly secretEnv?: string;
  readonly curlConfig?: string;
}

/** `callout login` */
export function addLoginCommand(program: Command, context: CommandContext): void {
  program
    .command('login')
    .description('check a credential of the API, and keep it for the other commands')
    .option('--url <url>', 'the API with its root, such as https://callout.example.com/atservicesrest')
    .option('--user-name <name>', 'the user name')
    .option('--integration-code <code>', 'the ApiIntegrationCode')
    .option('--secret-env <variable>', 'the environment variable with the secret, instead of stdin')
    .option('--curl-config <file>', 'a file with the three headers, such as those that npm start writes')
    .addHelpText(
      'after',
      `
On a terminal it asks for what is not given. The secret is never an argument, which every user of the machine could
read; it is typed, or comes from stdin, a file of headers, or the environment.
The credential is kept in $XDG_CONFIG_HOME/callout/credentials.json (~/.config), readable by you alone. --profile keeps
several, and chooses one in every command; CALLOUT_PROFILE does so too. Programs may set CALLOUT_URL, CALLOUT_USER_NAME,
CALLOUT_SECRET and CALLOUT_INTEGRATION_CODE instead.

Examples:
  $ callout login
  $ callout login --url http://127.0.0.1:8080 --curl-config .callout/curl-admin
  $ callout login --url https://callout.example.com/atservicesrest --user-name crm@acme.example --integration-code … < secret
  $ callout login --profile staging --url https://staging.example.com/atservicesrest`,
    )
    .action(async (options: LoginOptions, command: Command) => {
      const { profile = context.env['CALLOUT_PROFILE'] || usualProfile } = command.optsWithGlobals<{
        profile?: string;
      }>();
      if (!/^[\w.@-]{1,60}$/u.test(profile))
        throw Problem.invalid('--profile must be a word of letters, digits, . _ @ or -');
      const typedAccount = await givenAccount(context, options);
      const notices = noticesOf(context, command);
      const account = { ...typedAccount, url: await findApiRoot(typedAccount.url) };
      if (account.url.startsWith('http:') && !/^(?:127\.|localhost$|\[::1\])/u.test(new URL(account.url).hostname)) {
        notices.out.report('Without TLS, everyone on the way can read the secret: use https.');
      }
      const client = await clientOf(account, notices);
      const rights = await rightsOf(client);
      const file = await keepProfile(context.env, profile, account);
      const data = { profile, file, url: account.url, userName: account.userName, ...rights };
      show(context, command, {
        data,
        text: `${account.userName} is signed in at ${account.url}, as ${rights.role}${profile === usualProfile ? '' : `, in the profile ${profile}`}.`,
      });
    });
}

async function givenAccount(context: CommandContext, options: LoginOptions): Promise<Account> {
  const { curlConfig, secretEnv } = options;
  const { stdin, env, out } = context;
  const prompt = stdin.isTTY === true ? createPrompt(stdin, out) : undefined;
  const askFor = async (value: string | undefined, option: string, question: string) => {
    const text = value ?? (await prompt?.line(question)) ?? '';
    if (text === '') throw Problem.invalid(`give --${option}`);
    return text;
  };
  const url = await askFor(options.url, 'url', 'The API, such as https://callout.example.com/atservicesrest:');
  if (curlConfig !== undefined) return { url, ...accountOfCurlConfig(await readCurlConfig(curlConfig)) };
  const userName = await askFor(options.userName, 'user-name and --integration-code, or --curl-config', 'UserName:');
  const apiIntegrationCode = await askFor(
    options.integrationCode,
    'integration-code',
    'The ApiIntegrationCode of this user name:',
  );
  if (secretEnv !== undefined) return { url, userName, apiIntegrationCode, secret: fromEnvironment(env, secretEnv) };
  const secret = prompt === undefined ? await givenSecret(context, undefined) : await prompt.secret('Secret:');
  if (secret === '') {
    throw Problem.invalid(
      'the secret is empty: type it on a terminal, or send it on stdin (`callout login … < secret`), or name a file of headers with --curl-config',
    );
  }
  return { url, userName, apiIntegrationCode, secret };
}

async function readCurlConfig(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw Problem.invalid(
      `${file} cannot be read (${code}): \`npm start\` writes such files into .callout/ of its checkout`,
    );
  });
}

/**
 * The root of the API at a URL from a person, who may have omitted the root, or added the version or a page of the
 * console.
 * @throws Unreachable; a Problem 400 where there is no Callout API.
 */
async function findApiRoot(typedUrl: string): Promise<string> {
  if (!URL.canParse(typedUrl) || !/^https?:/u.test(typedUrl)) {
    throw Problem.invalid(`--url must be an http or https URL, such as https://callout.example.com${usualRoot}`);
  }
  const url = tidyApiRoot(typedUrl);
  for (const root of [url, `${url}${usualRoot}`]) if (await isApi(root)) return root;
  throw Problem.invalid(
    `${url} is not a Callout API: --url ends with the API root, such as https://callout.example.com${usualRoot}`,
  );
}

/** Whether an API responds with its version there; no credential is needed. */
async function isApi(root: string): Promise<boolean> {
  const url = `${root}/v1.0/Version`;
  const response = await fetch(url, { redirect: 'manual' }).catch((error: unknown) => {
    throw new Unreachable(url, error);
  });
  const version: unknown = await boundedAnswer(response, url)
    .json()
    .catch(() => undefined);
  // An API without a useful response at present is an API all the same: the authentication reports the reason.
  if (response.status === 429 || response.status === 503) return true;
  return typeof version === 'object' && version !== null && 'apiVersion' in version;
}
