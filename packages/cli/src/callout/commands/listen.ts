import type { Command } from 'commander';
import { Problem } from '@callout/core/errors';
import { openApi } from '../api/open-api.ts';
import { findWebhook } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { entityNamed, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { listen } from '../listen/listen.ts';
import { listOf } from '../webhooks/setting-options.ts';

interface ListenCommandOptions {
  readonly forward: string;
  readonly on: string;
  readonly webhook?: string;
  readonly fields?: string[];
  readonly udf?: string[];
}

/** `callout listen` */
export function addListenCommand(program: Command, context: CommandContext): void {
  program
    .command('listen')
    .description('forward callouts to a local port, through any firewall')
    .requiredOption('--forward <url>', 'where to send them, such as http://localhost:3000/hook')
    .option('--on <entity>', 'what is watched, such as Ticket', 'Company')
    .option('--fields <names>', 'these system fields only, separated by commas', listOf)
    .option('--udf <names>', 'user-defined fields to subscribe to as well, or all', listOf)
    .option('--webhook <webhook>', `use this webhook, whose URL is pull:, instead of a temporary one: ${webhookHelp}`)
    .addHelpText(
      'after',
      `
Makes a temporary webhook on all system fields, and deletes it in the end; after a crash it is deleted within 5 minutes. Each callout is sent with its own headers and bytes. A 2xx within 10 s acknowledges it; anything else is tried again
by the retry schedule.

Examples:
  $ npx callout listen --forward http://localhost:3000/hook
  $ npx callout listen --on Ticket --udf "Contract number" --forward http://localhost:3000/hook
  $ npx callout listen --webhook TicketWebhooks/3 --forward http://localhost:3000/hook --json`,
    )
    .action(async ({ forward, on, webhook, fields, udf = [] }: ListenCommandOptions, command: Command) => {
      if (!/^https?:\/\//u.test(forward) || !URL.canParse(forward)) {
        throw Problem.invalid('--forward must be an http URL, such as http://localhost:3000/hook');
      }
      const catalogue = await readCatalogue(context);
      const entity = entityNamed(catalogue, on);
      if (webhook !== undefined && (fields !== undefined || udf.length > 0)) {
        throw Problem.invalid('a webhook that is there has its own fields: leave --fields and --udf out');
      }
      const { client } = await openApi(context, command);
      const isAll = udf.length === 1 && udf[0]?.toLowerCase() === 'all';
      await listen({
        client,
        // A number alone is that of a webhook on --on.
        source:
          webhook === undefined
            ? { subscription: { entity, fields, udf: isAll ? 'all' : udf } }
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
