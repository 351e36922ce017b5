import type { Command } from 'commander';
import { listAll, type Schemas } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import { findWebhook, readWebhook } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { kinds, states, wholeNumber, withRange, type RangeOptions } from '../input/delivery-options.ts';
import { nameOfWebhook, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { calloutTable, calloutText, withoutSecrets } from '../show/shown-callout.ts';
import { show } from '../show/show.ts';
import { addTailCommand } from '../tail/tail-command.ts';

const usualLimit = 50;
const mostPerPage = 500;

interface ListOptions extends Omit<RangeOptions, 'fromSequence' | 'toSequence'> {
  readonly webhook?: string;
  readonly kind?: ReturnType<typeof kinds>;
  readonly record?: number;
  readonly limit: number;
}

/** `callout deliveries list|show|tail` */
export function addDeliveriesCommands(program: Command, context: CommandContext): void {
  const deliveries = program
    .command('deliveries')
    .alias('delivery')
    .description('what was sent to your webhooks, what waits and why, and what happens now')
    .addHelpText(
      'after',
      `
A webhook is named by its collection and id, such as CompanyWebhooks/3, or by its GUID; a callout by its id, which is the
webhook-id of its request.

Examples:
  $ npx callout deliveries tail
  $ npx callout deliveries list --state failed --since 2026-01-15
  $ npx callout deliveries show 019cb6a1-0000-7000-8000-000000000001`,
    );

  withRange(
    deliveries
      .command('list')
      .description('show callouts, the newest first')
      .option('--webhook <webhook>', `of this webhook only: ${webhookHelp}`)
      .option('--kind <kinds>', 'event, deactivation, test; several are separated by commas', kinds)
      .option('--record <id>', 'of this record only', wholeNumber)
      .option('--limit <callouts>', 'how many', wholeNumber, usualLimit),
    states,
    { bySequence: false },
  ).action(async (options: ListOptions, command: Command) => {
    const catalogue = await readCatalogue(context);
    const { client } = await openApi(context, command);
    const { webhook, state, kind, record, since, until, limit } = options;
    const place = webhook === undefined ? undefined : await findWebhook(client, catalogue, webhook);
    const query = {
      maxRecords: Math.max(1, Math.min(mostPerPage, limit)),
      ...(place !== undefined && { webhookGUID: (await readWebhook(client, place)).webhookGUID }),
      ...(state !== undefined && { state: state.join(',') }),
      ...(kind !== undefined && { kind: kind.join(',') }),
      ...(record !== undefined && { recordID: record }),
      ...(since !== undefined && { since: since.toISOString() }),
      ...(until !== undefined && { until: until.toISOString() }),
    };
    const items: Schemas['Callout'][] = [];
    for await (const callout of listAll(client, '/v1.0/Callouts', { query })) {
      if (items.length >= limit) break;
      items.push(callout);
    }
    const nameOf = ({ entityType, webhookID }: Schemas['Callout']) =>
      nameOfWebhook(catalogue, { entityType, id: webhookID });
    const data = items.map((item) => ({ webhook: nameOf(item), ...item }));
    show(context, command, { data, ...calloutTable(items, nameOf, context.out.columns) });
  });

  deliveries
    .command('show')
    .description('show a callout with both sides of every attempt, and why it waits')
    .argument('<calloutID>', 'the webhook-id of its request')
    .action(async (calloutID: string, _options: unknown, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const { data } = await client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } });
      const item = withoutSecrets(data.item);
      const webhook = nameOfWebhook(catalogue, { entityType: item.entityType, id: item.webhookID });
      show(context, command, { data: { webhook, ...item }, text: calloutText(item, webhook) });
    });

  addTailCommand(deliveries, context);
}
