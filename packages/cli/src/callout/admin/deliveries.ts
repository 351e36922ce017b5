import type { Command } from 'commander';
import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import type { CalloutScope } from '@callout/history/log/callouts/callout-candidates';
import type { calloutItem as itemOf } from '@callout/history/log/callouts/callout-item';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import { isConfirmed } from '../input/confirmed.ts';
import type { CommandContext } from '../context.ts';
import { knownKeyIds, withDeliveries, type Deliveries } from './database/database.ts';
import { filterOf, kinds, states, wholeNumber, withRange, type RangeOptions } from '../input/delivery-options.ts';
import { cancel, redeliver, type Repair, repairCommand, type RepairedMany, showRepaired } from '../repair/repair.ts';
import { tenantInDatabase } from './operator/first-tenant.ts';
import { show } from '../show/show.ts';
import { calloutTable, calloutText, withoutSecrets } from '../show/shown-callout.ts';
import { addressOf, nameOfWebhook, parseWebhookName, readCatalogue, webhookHelp } from '../input/webhook-named.ts';

const DEFAULT_LIMIT = 50;
const MOST_PER_PAGE = 500;

/** `callout admin deliveries list|show|redeliver|cancel` */
export function addDeliveriesCommands(program: Command, context: CommandContext): void {
  const deliveries = program
    .command('deliveries')
    .alias('delivery')
    .description('what was sent to webhooks, what waits, and why')
    .addHelpText(
      'after',
      `
A webhook is named by its collection and id, or by its GUID; a callout by its id, which is the webhook-id of the request
and is in the log of the worker. Workers notice what is sent again or cancelled here within seconds.

Examples:
  $ npx callout admin deliveries list --tenant acme --state failed --since 2026-01-15
  $ npx callout admin deliveries show 019cb6a1-0000-7000-8000-000000000001
  $ npx callout admin deliveries redeliver --tenant acme --webhook CompanyWebhooks/3 --since 2026-01-15T09:00:00Z
  $ npx callout admin deliveries cancel --tenant acme --webhook CompanyWebhooks/3 --state held
  $ npx callout admin deliveries cancel 019cb6a1-0000-7000-8000-000000000001`,
    );

  withRange(
    deliveries
      .command('list')
      .description('show callouts of a tenant, the newest first')
      .requiredOption('--tenant <tenant>', 'id or name')
      .option('--webhook <webhook>', `of this webhook only: ${webhookHelp}`)
      .option('--kind <kinds>', 'event, deactivation, test; several are separated by commas', kinds)
      .option('--limit <callouts>', 'how many', wholeNumber, DEFAULT_LIMIT),
    states,
  ).action(async (options: ListOptions, command: Command) => {
    const catalogue = await readCatalogue(context);
    const items = await withDeliveries(context, (tools) => list(context, tools, catalogue, options));
    const nameOf = ({ entityType, webhookID }: (typeof items)[number]) =>
      nameOfWebhook(catalogue, { entityType, id: webhookID });
    show(context, command, { data: items, ...calloutTable(items, nameOf, context.out.columns) });
  });

  deliveries
    .command('show')
    .description('show a callout with both sides of every attempt, and why it waits')
    .argument('<calloutID>', 'the webhook-id of its request')
    .action(async (calloutID: string, _options: unknown, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { address, item } = await withDeliveries(context, async ({ administration, log, search }) => {
        const found = await administration.webhooks.ofCallout(calloutID);
        const callout = await log.findCallout(search, found.tenantId, null, calloutID);
        if (callout === undefined) throw Problem.notFound();
        const { calloutDetailsItem } = await import('@callout/history/log/callouts/callout-item');
        return { address: found, item: withoutSecrets(calloutDetailsItem(callout, knownKeyIds(context))) };
      });
      const data = { tenantID: address.tenantId, ...item };
      show(context, command, { data, text: calloutText(item, nameOfWebhook(catalogue, address)) });
    });

  for (const repair of [redeliver, cancel]) addRepair(deliveries, context, repair);
}

interface ListOptions extends RangeOptions {
  readonly tenant: string;
  readonly webhook?: string;
  readonly kind?: ReturnType<typeof kinds>;
  readonly limit: number;
}

async function list(
  context: CommandContext,
  { administration, log, search }: Deliveries,
  catalogue: Catalogue,
  options: ListOptions,
) {
  const { id: tenantId } = await tenantInDatabase(context, options.tenant);
  const webhook =
    options.webhook === undefined
      ? undefined
      : await administration.webhooks.find(tenantId, parseWebhookName(catalogue, options.webhook));
  const all = { entityType: null, guids: null };
  const scope: CalloutScope = { tenantId, webhooks: webhook === undefined ? all : { key: webhook.key } };
  const filter: CalloutFilter = { ...filterOf(options), kinds: options.kind ?? null };
  const { calloutItem } = await import('@callout/history/log/callouts/callout-item');
  const ring = knownKeyIds(context);
  const items: ReturnType<typeof itemOf>[] = [];
  let position: Parameters<typeof log.listCallouts>[4] = null;
  do {
    const most = Math.min(MOST_PER_PAGE, options.limit - items.length);
    const page = await log.listCallouts(search, scope, filter, most, position);
    items.push(...page.items.map((callout) => calloutItem(callout, ring)));
    position = page.next;
  } while (position !== null && items.length < options.limit);
  return items;
}

interface RepairOptions extends RangeOptions {
  readonly tenant?: string;
  readonly webhook?: string;
  readonly yes?: true;
}

function addRepair(deliveries: Command, context: CommandContext, repair: Repair): void {
  repairCommand(deliveries, repair)
    .option('--tenant <tenant>', 'id or name, with --webhook')
    .action(async (calloutIDs: string[], options: RepairOptions, command: Command) => {
      if (calloutIDs.length > 0 === (options.tenant !== undefined && options.webhook !== undefined)) {
        command.error('error: name callouts by their ids, or a webhook by --tenant and --webhook');
      }
      const catalogue = await readCatalogue(context);
      const repaired = await withDeliveries(context, async (tools) =>
        calloutIDs.length > 0
          ? { count: await repairEach(tools, repair, calloutIDs) }
          : repairMany(context, tools, repair, catalogue, options),
      );
      showRepaired(context, command, repair, repaired);
    });
}

async function repairEach(tools: Deliveries, { name }: Repair, calloutIDs: readonly string[]): Promise<number> {
  const { cancelOne } = await import('@callout/pipeline/repair/cancel-callouts');
  const { redeliverOne } = await import('@callout/pipeline/repair/redeliver');
  const { retryOneNow } = await import('@callout/pipeline/repair/retry-now');
  let count = 0;
  for (const calloutId of calloutIDs) {
    const named = { webhook: await tools.administration.webhooks.ofCallout(calloutId), calloutId };
    count +=
      name === 'cancel'
        ? await cancelOne(tools, named)
        : (await retryOneNow(tools, named)) || (await redeliverOne(tools, named));
  }
  return count;
}

async function repairMany(
  context: CommandContext,
  tools: Deliveries,
  repair: Repair,
  catalogue: Catalogue,
  { tenant = '', webhook: named = '', yes, ...range }: RepairOptions,
): Promise<RepairedMany> {
  const { administration, log, search } = tools;
  const { cancelRange } = await import('@callout/pipeline/repair/cancel-callouts');
  const { redeliverRange } = await import('@callout/pipeline/repair/redeliver');
  const { orderSentence } = await import('@callout/pipeline/repair/redelivery-order.rules');
  const { retryRangeNow } = await import('@callout/pipeline/repair/retry-now');
  const { id: tenantId } = await tenantInDatabase(context, tenant);
  const found = await administration.webhooks.find(tenantId, parseWebhookName(catalogue, named));
  const given = filterOf(range);
  const filter: CalloutFilter = { ...given, states: given.states ?? repair.usualStates };
  const webhook = addressOf(tenantId, found);
  if (yes !== true) {
    const count = await log.countCallouts(
      search,
      { tenantId, webhooks: { key: found.key } },
      { ...filter, kinds: ['event'] },
    );
    if (count === 0) return { count };
    const forecast =
      repair.name === 'cancel' ? undefined : await redeliverRange(tools, webhook, filter, { isDryRun: true });
    const order = forecast !== undefined && forecast.queued > 0 ? ` ${orderSentence(forecast)}` : '';
    if (!(await isConfirmed(context, `${repair.question}: ${count}.${order}`, yes))) return { count: null };
  }
  if (repair.name === 'cancel') return { count: await cancelRange(tools, webhook, filter) };
  // Open ones first: reopened callouts are due, and would be counted twice.
  const retried = await retryRangeNow(tools, webhook, filter);
  const reopened = await redeliverRange(tools, webhook, filter);
  return {
    count: retried + reopened.queued,
    order: reopened.queued > 0 ? orderSentence(reopened) : undefined,
  };
}
