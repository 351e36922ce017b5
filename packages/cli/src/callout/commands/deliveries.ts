import type { Command } from 'commander';
import { calloutKinds } from '@callout/domain/callout/callout-states';
import { openClient } from '../api/open-client.ts';
import { guidOf, showCallouts, usualLimit } from '../api/callouts.ts';
import type { CommandContext } from '../context.ts';
import { kinds, states, wholeNumber, withRange, type RangeOptions } from '../input/delivery-options.ts';
import { nameOfWebhook, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { calloutText, withoutSecrets } from '../show/shown-callout.ts';
import { show } from '../show/show.ts';
import { addTailCommand } from '../tail/tail-command.ts';

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
  $ callout deliveries tail
  $ callout deliveries list --state failed --since 2026-01-15
  $ callout deliveries show 019cb6a1-0000-7000-8000-000000000001`,
    );

  addDeliveriesList(deliveries, context);
  addDeliveriesShow(deliveries, context);
  addTailCommand(deliveries, context);
}

/** `list`, of integrators and operators. */
export function addDeliveriesList(deliveries: Command, context: CommandContext): void {
  withRange(
    deliveries
      .command('list')
      .description('show callouts, the newest first')
      .option('--webhook <webhook>', `of this webhook only: ${webhookHelp}`)
      .option('--kind <kinds>', `${calloutKinds.join(', ')}; several are separated by commas`, kinds)
      .option('--record <id>', 'of this record only', wholeNumber)
      .option('--limit <callouts>', 'how many', wholeNumber, usualLimit),
    states,
    { bySequence: false },
  ).action(async ({ webhook, state, kind, record, since, until, limit }: ListOptions, command: Command) => {
    const catalogue = await readCatalogue(context);
    const client = await openClient(context, command);
    const query = {
      ...(webhook !== undefined && { webhookGUID: await guidOf(client, catalogue, webhook) }),
      ...(state !== undefined && { state: state.join(',') }),
      ...(kind !== undefined && { kind: kind.join(',') }),
      ...(record !== undefined && { recordID: record }),
      ...(since !== undefined && { since: since.toISOString() }),
      ...(until !== undefined && { until: until.toISOString() }),
    };
    await showCallouts(context, command, { client, catalogue, query, limit });
  });
}

/** `show`, of integrators and operators. */
export function addDeliveriesShow(deliveries: Command, context: CommandContext): void {
  deliveries
    .command('show')
    .description('show a callout with both sides of every attempt, and why it waits')
    .argument('<calloutID>', 'the webhook-id of its request')
    .action(async (calloutID: string, _options: unknown, command: Command) => {
      const catalogue = await readCatalogue(context);
      const client = await openClient(context, command);
      const { data } = await client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } });
      const item = withoutSecrets(data.item);
      const webhook = nameOfWebhook(catalogue, { entityType: item.entityType, id: item.webhookID });
      show(context, command, { data: { webhook, ...item }, text: calloutText(item, webhook) });
    });
}
