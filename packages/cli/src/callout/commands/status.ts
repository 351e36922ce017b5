import type { Command } from 'commander';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { CalloutClient } from '@callout/client';
import { listedWebhooks, type ListedWebhook, percent } from '../api/webhooks.ts';
import { openApi } from '../api/open-api.ts';
import type { CommandContext } from '../context.ts';
import { nameOfWebhook, readCatalogue } from '../input/webhook-named.ts';
import { printable } from '../../printable.ts';
import { pairs, show } from '../show/show.ts';

const dayMs = 86_400_000;

/** `callout status` */
export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('show how your webhooks fare: what is delivered, what waits, what failed, and what to do')
    .addHelpText(
      'after',
      `
The exit status is 1 if something needs you. Operators see the installation with \`callout admin status\`.

Examples:
  $ callout status
  $ callout status --profile staging --json`,
    )
    .action(async (_options: unknown, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client, account } = await openApi(context, command);
      const since = new Date(Date.now() - dayMs).toISOString();
      const [webhooks, attention, openCallouts, failing, failed] = await Promise.all([
        listedWebhooks(client),
        attentionOf(client, catalogue),
        count(client, { state: 'waiting,held,due' }),
        count(client, { isFailing: 'true' }),
        // What `callout failed` shows: what can be redelivered.
        count(client, { state: 'failed', kind: 'event', since }),
      ]);
      const data = {
        url: account.url,
        userName: account.userName,
        webhooks: countedBy(webhooks),
        last24Hours: { ...activityOf(webhooks), failed },
        openCallouts: openCallouts,
        failingCallouts: failing,
        attention,
      };
      const { attempts, failedAttempts, errorRate } = data.last24Hours;
      const { out } = context;
      const lines = [
        pairs({
          signedInAs: `${account.userName} at ${account.url}`,
          webhooks: webhooks.length === 0 ? 'none yet: `callout webhooks create --help`' : stateText(data.webhooks),
          attempts24h:
            attempts === 0
              ? 'none; those of the last two minutes are not counted yet'
              : `${attempts}, ${failedAttempts} failed (${percent(errorRate ?? 0)})`,
          failed24h: failed,
          waiting: failing === 0 ? openCallouts : `${openCallouts}, ${failing} after a failed attempt`,
        }),
        ...attention.flatMap(({ webhook, name, sentence }) => [
          '',
          out.yellow(webhook === null ? sentence : `${webhook}, ${printable(name ?? '')}: ${sentence}`),
        ]),
        ...(failed > 0
          ? [
              '',
              'What failed, and why: `callout failed --since 24h`. To send it again: `callout failed redeliver --since 24h`.',
            ]
          : []),
      ];
      const isIncomplete = attention.length > 0 || failed > 0;
      show(context, command, { data, text: lines.join('\n'), isIncomplete });
    });
}

async function attentionOf(client: CalloutClient, catalogue: Catalogue) {
  const { data } = await client.GET('/v1.0/Overview');
  return data.items.map(({ entityType, webhookID, kind, sentence, name }) => ({
    webhook: webhookID === null ? null : nameOfWebhook(catalogue, { entityType, id: webhookID }),
    name,
    kind,
    sentence,
  }));
}

async function count(client: CalloutClient, query: Record<string, string>): Promise<number> {
  return (await client.GET('/v1.0/Callouts/query/count', { params: { query } })).data.queryCount;
}

function countedBy(webhooks: readonly ListedWebhook[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of webhooks) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function activityOf(webhooks: readonly ListedWebhook[]) {
  const sum = (key: 'attempts' | 'failedAttempts') =>
    webhooks.reduce((total, { last24Hours }) => total + last24Hours[key], 0);
  const [attempts, failedAttempts] = [sum('attempts'), sum('failedAttempts')];
  return { attempts, failedAttempts, errorRate: attempts === 0 ? null : failedAttempts / attempts };
}

/** `3 delivering, 1 not ready` */
function stateText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([state, number]) => `${number} ${state.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ');
}
