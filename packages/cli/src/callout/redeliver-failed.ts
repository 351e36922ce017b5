import type { Command } from 'commander';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { CalloutClient, Schemas } from '@callout/client';
import { openApi } from './api/open-api.ts';
import type { CommandContext } from './context.ts';
import { isConfirmed } from './input/confirmed.ts';
import { nameOfWebhook, readCatalogue } from './input/webhook-named.ts';
import { show } from './show/show.ts';
import { failedOptionsOf, selectionOf, withFailed } from './failed-options.ts';

type Queued = Schemas['QueuedOfTenant'];

/** `callout failed redeliver` */
export function addFailedRedeliver(failed: Command, context: CommandContext): void {
  withFailed(
    failed
      .command('redeliver')
      .description('send what failed again, of all webhooks, after saying what that means for order')
      .argument('[calloutIDs...]', 'only these callouts'),
  )
    .option('--dry-run', 'only count them, and say what it would mean for order')
    .option('--yes', 'do it without being asked')
    .addHelpText(
      'after',
      `
It shows how many callouts are meant and whether receivers get older values after newer ones, and asks. Callouts of
inactive and deleted webhooks stay as they are, and the exit status is then 1.

Examples:
  $ callout failed redeliver --dry-run
  $ callout failed redeliver --webhook CompanyWebhooks/3 --reason status5xx,timeout --since 1d
  $ callout failed redeliver 019cb6a1-0000-7000-8000-000000000001 --yes`,
    )
    .action(
      async (
        calloutIDs: string[],
        { dryRun, yes }: { readonly dryRun?: true; readonly yes?: true },
        command: Command,
      ) => {
        const catalogue = await readCatalogue(context);
        const { client } = await openApi(context, command);
        const { webhookGUID, ...selection } = await selectionOf(client, catalogue, failedOptionsOf(command));
        const body = {
          ...selection,
          states: ['failed' as const],
          ...(webhookGUID !== undefined && { webhookGUIDs: [webhookGUID] }),
          ...(calloutIDs.length > 0 && { calloutIDs }),
        };
        if (dryRun === true || yes !== true) {
          const preview = await post(client, { ...body, dryRun: true });
          if (dryRun === true || preview.queued === 0) {
            showQueued(context, command, catalogue, preview);
            return;
          }
          const what = [`Callouts to be sent now: ${preview.queued}.`, ...sentencesOf(catalogue, preview)].join('\n');
          if (!(await isConfirmed(context, what, yes))) {
            show(context, command, { data: { queued: 0 }, text: 'Nothing was changed.', isIncomplete: true });
            return;
          }
        }
        showQueued(context, command, catalogue, await post(client, body));
      },
    );
}

async function post(client: CalloutClient, body: Schemas['TenantRedelivery']): Promise<Queued> {
  return (await client.POST('/v1.0/Callouts/redeliver', { body })).data;
}

function sentencesOf(catalogue: Catalogue, { order, skipped }: Queued): string[] {
  const skippedSentences = skipped.map(({ entityType, webhookID, count, message }) => {
    return `${nameOfWebhook(catalogue, { entityType, id: webhookID })}: ${count} left as they are. ${message}`;
  });
  return [order.message, ...skippedSentences];
}

function showQueued(context: CommandContext, command: Command, catalogue: Catalogue, queued: Queued): void {
  const verb = queued.dryRun ? 'Callouts that would be sent' : 'Callouts to be sent now';
  const text = [`${verb}: ${queued.queued}.`, ...sentencesOf(catalogue, queued)].join('\n');
  show(context, command, { data: queued, text, isIncomplete: queued.skipped.length > 0 });
}
