import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { webhookCollections } from '@callout/client';
import { Problem } from '@callout/core/errors';
import type { CommandContext } from '../context.ts';
import { fromEnvironment, givenSecret } from '../input/given-secret.ts';
import { accountOfCurlConfig, clientOf, keepAccount, readAccount } from '../listen/account.ts';
import { listen } from '../listen/listen.ts';
import { show } from '../show/show.ts';

interface LoginOptions {
  readonly url: string;
  readonly userName?: string;
  readonly integrationCode?: string;
  readonly secretEnv?: string;
  readonly curlConfig?: string;
}

interface ListenCommandOptions {
  readonly forward: string;
  readonly on: string;
  readonly webhook?: number;
}

/** `callout login` and `callout listen`: for integrators, over the API. */
export function addListenCommands(program: Command, context: CommandContext): void {
  program
    .command('login')
    .description('keep a credential of the API for the commands of integrators')
    .requiredOption('--url <url>', 'the API with its root, such as https://callout.example.com/atservicesrest')
    .option('--user-name <name>', 'the user name; its secret is read from stdin')
    .option('--integration-code <code>', 'the ApiIntegrationCode')
    .option('--secret-env <variable>', 'the environment variable with the secret, instead of stdin')
    .option('--curl-config <file>', 'a file with the three headers, as npm start writes it')
    .addHelpText(
      'after',
      `
The credential is kept in $XDG_CONFIG_HOME/callout/credentials.json (~/.config), readable by you alone.
CALLOUT_URL, CALLOUT_USER_NAME, CALLOUT_SECRET and CALLOUT_INTEGRATION_CODE come before it.

Examples:
  $ npx callout login --url http://127.0.0.1:8080/atservicesrest --curl-config .callout/curl-integrator
  $ npx callout login --url https://callout.example.com/atservicesrest --user-name crm@acme.example --integration-code … < secret`,
    )
    .action(async (options: LoginOptions, command: Command) => {
      if (!URL.canParse(options.url)) throw Problem.invalid('--url must be a URL');
      const account = { url: options.url, ...(await givenAccount(context, options)) };
      await clientOf(account).GET('/v1.0/ThresholdInformation');
      const file = await keepAccount(context.env, account);
      show(context, command, { data: { file, userName: account.userName }, text: `${account.userName} is signed in.` });
    });

  program
    .command('listen')
    .description('forward callouts to a local port, through any firewall')
    .requiredOption('--forward <url>', 'where they go, such as http://localhost:3000/hook')
    .option('--on <collection>', 'what is watched', 'CompanyWebhooks')
    .option('--webhook <id>', 'a webhook with the URL pull: instead of one for the time of listening', (text) => {
      if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('It must be the id of a webhook.');
      return Number(text);
    })
    .addHelpText(
      'after',
      `
Makes a webhook on all fields for as long as it listens, and deletes it in the end; after a crash it is deleted within 5 minutes.
Each callout is sent with its own headers and bytes. A 2xx within 10 s acknowledges it; anything else is tried again by the schedule.

Examples:
  $ npx callout listen --forward http://localhost:3000/hook
  $ npx callout listen --on TicketWebhooks --webhook 3 --forward http://localhost:3000/hook --json`,
    )
    .action(async ({ forward, on, webhook }: ListenCommandOptions, command: Command) => {
      if (!/^https?:\/\//u.test(forward) || !URL.canParse(forward))
        throw Problem.invalid('--forward must be an http URL');
      const collection = webhookCollections.find((name) => name === on);
      if (collection === undefined) throw Problem.invalid(`--on must be one of ${webhookCollections.join(', ')}`);
      const api = clientOf(await readAccount(context.env));
      const { json } = command.optsWithGlobals<{ json?: true }>();
      const { out } = context;
      await listen({ api, out, collection, webhook, forward, isJson: json === true, stop: context.stopSignal() });
    });
}

async function givenAccount(context: CommandContext, options: LoginOptions) {
  const { userName, integrationCode, secretEnv, curlConfig } = options;
  if (curlConfig !== undefined) return accountOfCurlConfig(await readFile(curlConfig, 'utf8'));
  if (userName === undefined || integrationCode === undefined) {
    throw Problem.invalid('give --user-name and --integration-code, or --curl-config');
  }
  const secret =
    secretEnv === undefined ? await givenSecret(context, undefined) : fromEnvironment(context.env, secretEnv);
  return { userName, secret, apiIntegrationCode: integrationCode };
}
