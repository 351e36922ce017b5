import type { Command } from 'commander';
import { showCallouts, usualLimit } from '../api/callouts.ts';
import { openApi } from '../api/open-api.ts';
import type { CommandContext } from '../context.ts';
import { addFailedExport } from '../export-failed.ts';
import { failedOptionsOf, queryOf, selectionOf, withFailed, type FailedOptions } from '../failed-options.ts';
import { addFailedRedeliver } from '../redeliver-failed.ts';
import { wholeNumber } from '../input/delivery-options.ts';
import { nameOfWebhook, readCatalogue } from '../input/webhook-named.ts';
import { show, table } from '../show/show.ts';

const columns = ['webhook', 'state', 'callouts', 'reason', 'lastUTC', 'example'];

/** `callout failed`, and list, redeliver and export below it */
export function addFailedCommands(program: Command, context: CommandContext): void {
  const failed = program
    .command('failed')
    .description('show what failed, by webhook and reason; list, redeliver or export it');
  withFailed(failed, { byReason: false })
    .addHelpText(
      'after',
      `
Callouts that used up their attempts are kept as long as others, and are not sent again by themselves. Tests and
deactivation calls are left out: they cannot be redelivered.

Examples:
  $ callout failed
  $ callout failed --since 1d
  $ callout failed list --webhook CompanyWebhooks/3 --reason timeout
  $ callout failed redeliver --reason status5xx
  $ callout failed export > failed.jsonl`,
    )
    .action(async (options: FailedOptions, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const query = await selectionOf(client, catalogue, options);
      const { data } = await client.GET('/v1.0/Callouts/failed', { params: { query } });
      const items = data.items.map((group) => ({
        webhook: nameOfWebhook(catalogue, { entityType: group.entityType, id: group.webhookID }),
        ...group,
      }));
      const rows = items.map(({ webhook, webhookState, count, reason, lastDateTime, example }) => ({
        webhook,
        state: webhookState,
        callouts: count,
        reason,
        lastUTC: lastDateTime.slice(0, 19).replace('T', ' '),
        example,
      }));
      const total = items.reduce((sum, { count }) => sum + count, 0);
      show(context, command, {
        data: items,
        text: table(rows, columns, 'Nothing failed.', context.out.columns),
        note:
          total === 0
            ? undefined
            : `Failed: ${total}. \`callout failed redeliver --dry-run\` says what sending them again means for order.`,
      });
    });
  addFailedList(failed, context);
  addFailedRedeliver(failed, context);
  addFailedExport(failed, context);
}

function addFailedList(failed: Command, context: CommandContext): void {
  withFailed(failed.command('list').description('show the callouts that failed, the newest first'))
    .option('--limit <callouts>', 'how many', wholeNumber, usualLimit)
    .action(async ({ limit }: { readonly limit: number }, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const query = queryOf(await selectionOf(client, catalogue, failedOptionsOf(command)));
      await showCallouts(context, command, { client, catalogue, query, limit });
    });
}
