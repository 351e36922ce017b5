import { type Command, Option } from 'commander';
import { type SignatureKind, signatureKinds } from '@callout/domain/callout/signature-kind';
import { Problem } from '@callout/domain/problem';
import { openApi } from '../api/open-api.ts';
import { findWebhook } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { fromEnvironment } from '../input/secret-options.ts';
import { entityNamed, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { forwardUrl } from '../listen/forward.ts';
import { listen } from '../listen/listen.ts';
import { listenSecret } from '../listen/own-webhook.ts';
import { listOf } from '../webhooks/setting-options.ts';

interface ListenCommandOptions {
  readonly forward?: string;
  readonly on: string;
  readonly webhook?: string;
  readonly fields?: string[];
  readonly udf?: string[];
  readonly secretEnv?: string;
  readonly signature?: SignatureKind;
}

/** `callout listen` */
export function addListenCommand(program: Command, context: CommandContext): void {
  program
    .command('listen')
    .description('print callouts, or forward them to a local port, through any firewall')
    .option('--forward <where>', 'a port of this machine or a URL to send them to; without it they are only printed')
    .option('--on <entity>', 'what is watched, such as Ticket', 'Company')
    .option('--fields <names>', 'these system fields only, separated by commas', listOf)
    .option('--udf <names>', 'user-defined fields to subscribe to as well, or all', listOf)
    .option('--webhook <webhook>', `use this webhook, whose URL is pull:, instead of a temporary one: ${webhookHelp}`)
    .option('--secret-env <variable>', 'the environment variable with the secret that signs the callouts')
    .addOption(
      new Option('--signature <kind>', 'how they are signed: with the secret, a key pair or both').choices(
        signatureKinds,
      ),
    )
    .addHelpText(
      'after',
      `
Makes a temporary webhook on all system fields, and deletes it in the end; after a crash it is deleted within 5 minutes.
Each callout is sent with its own headers and bytes. A 2xx within 10 s acknowledges it; anything else is tried again
by the retry schedule. Without --forward, each callout is acknowledged when it is printed, also that of a --webhook.
--forward takes a port (3000 is http://127.0.0.1:3000/), a host and port, or a URL.
The secret is the same in every run with the same credential, so you configure it once; --secret-env sets another.
Each line says by which signature a callout was verified: hmac by the secret, ed25519 by the public keys of the tenant.

Examples:
  $ callout listen
  $ callout listen --forward 3000
  $ callout listen --forward http://localhost:3000/hook
  $ callout listen --on Ticket --udf "Contract number" --forward http://localhost:3000/hook
  $ callout listen --webhook TicketWebhooks/3 --forward http://localhost:3000/hook --json`,
    )
    .action(async (options: ListenCommandOptions, command: Command) => {
      const { on, webhook, fields, udf = [], secretEnv, signature } = options;
      const forward = options.forward === undefined ? undefined : forwardUrl(options.forward);
      const catalogue = await readCatalogue(context);
      const entity = entityNamed(catalogue, on);
      const isChosen = [fields, secretEnv, signature].some((one) => one !== undefined) || udf.length > 0;
      if (webhook !== undefined && isChosen) {
        throw Problem.invalid(
          'a webhook that is there has its own fields, secret and signature: leave --fields, --udf, --secret-env and --signature out',
        );
      }
      const givenKey = secretEnv === undefined ? undefined : fromEnvironment(context.env, secretEnv);
      const { client, account } = await openApi(context, command);
      const secretKey = givenKey ?? listenSecret(account);
      const isAll = udf.length === 1 && udf[0]?.toLowerCase() === 'all';
      await listen({
        client,
        // A number alone is that of a webhook on --on.
        source:
          webhook === undefined
            ? {
                subscription: {
                  ...{ entity, fields, udf: isAll ? ('all' as const) : udf, secretKey },
                  signatureKind: signature ?? 'hmac',
                },
              }
            : {
                webhook: await findWebhook(
                  client,
                  catalogue,
                  /^\d+$/u.test(webhook) ? `${entity.webhookCollection}/${webhook}` : webhook,
                ),
              },
        forward,
        isJson: command.optsWithGlobals<{ json?: true }>().json === true,
        out: context.out,
        stop: context.stopSignal(),
      });
    });
}
