import { type Command, Option } from 'commander';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { type CalloutClient, listAll, type Schemas } from '@callout/client';
import { orderSentence, sumOfRedeliveries, type Redelivery } from '@callout/pipeline/repair/redelivery-order.rules';
import { openClient } from '../api/open-client.ts';
import { findWebhook, placeName, type WebhookPlace, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { isConfirmed } from '../input/confirmed.ts';
import { type RangeOptions, wholeNumber } from '../input/delivery-options.ts';
import { readCatalogue } from '../input/webhook-named.ts';
import { endsText, waitForEnds } from '../ends.ts';
import { cancel, redeliver, type Repair, repairCommand, type RepairedMany, showRepaired } from '../repair.ts';

const usualWaitSeconds = 30;

type State = Schemas['Callout']['state'];

interface RepairOptions extends RangeOptions {
  readonly webhook?: string;
  readonly record?: number;
  readonly inactive?: true;
  readonly yes?: true;
  readonly wait?: true;
  readonly timeout?: number;
}

/** `callout redeliver` and `callout cancel` */
export function addRepairCommands(program: Command, context: CommandContext): void {
  for (const repair of [redeliver, cancel]) addRepair(program, context, repair);
}

/** `redeliver` or `cancel`, of integrators and operators. */
export function addRepair(program: Command, context: CommandContext, repair: Repair): void {
  const command = repairCommand(program, repair).option('--record <id>', 'of this record only', wholeNumber);
  if (repair.name === 'redeliver') {
    command
      .addOption(
        new Option(
          '--inactive',
          'also what the webhook missed since --since while it was inactive, by its present configuration',
        ).conflicts(['state', 'fromSequence', 'toSequence', 'wait']),
      )
      .option('--wait', 'wait until they have ended, and count what was delivered and failed')
      .option('--timeout <seconds>', 'how long --wait waits', wholeNumber, usualWaitSeconds);
  }
  command
    .addHelpText('after', repair.help)
    .action(async (calloutIDs: string[], options: RepairOptions, called: Command) => {
      const hasRange = Object.keys(called.opts()).some((name) => !['yes', 'wait', 'timeout', 'tenant'].includes(name));
      if (calloutIDs.length > 0 === hasRange) {
        called.error('error: name callouts by their ids, or a webhook by --webhook');
      }
      if (options.inactive === true && options.since === undefined) called.error('error: --inactive needs --since');
      if (hasRange && options.webhook === undefined) called.error('error: say whose callouts are meant, by --webhook');
      const catalogue = await readCatalogue(context);
      const client = await openClient(context, called);
      const repaired: Repaired = hasRange
        ? await repairRange({ context, client, catalogue }, repair, options)
        : { ...(await repairEach({ client, catalogue }, repair, calloutIDs)), ids: calloutIDs };
      const { count, ids } = repaired;
      if (options.wait !== true || count === null || count === 0) {
        showRepaired(context, called, repair, repaired);
        return;
      }
      const { timeout = usualWaitSeconds } = options;
      const ends = await waitForEnds({ client, ids, timeoutMs: timeout * 1_000, stop: context.stopSignal() });
      const isIncomplete = ends.failed + ends.cancelled + ends.open > 0;
      showRepaired(context, called, repair, repaired, { data: ends, text: endsText(ends), isIncomplete });
    });
}

interface Tools {
  readonly context: CommandContext;
  readonly client: CalloutClient;
  readonly catalogue: Catalogue;
}

async function repairEach(
  { client, catalogue }: Omit<Tools, 'context'>,
  { name }: Repair,
  calloutIDs: readonly string[],
): Promise<RepairedMany> {
  let [count, following] = [0, 0];
  const redelivered: Redelivery[] = [];
  for (const calloutID of calloutIDs) {
    const callout = await client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } });
    const { entityType, webhookID: id, finishedDateTime } = callout.data.item;
    const act = name === 'redeliver' && finishedDateTime === null ? 'retryNow' : name;
    const path = `/v1.0/${catalogue.byEntityType(entityType)?.webhookCollection}/{id}/Callouts/{calloutID}/${act}`;
    const { data } = await client.POST(path as '/v1.0/CompanyWebhooks/{id}/Callouts/{calloutID}/redeliver', {
      params: { path: { id, calloutID } },
    });
    count += countOf(data);
    following += data?.following ?? 0;
    if (data?.order !== undefined) redelivered.push({ queued: data.queued, older: data.order.older });
  }
  const sum = sumOfRedeliveries(redelivered);
  return { count, following, order: sum.queued > 0 ? { older: sum.older, message: orderSentence(sum) } : undefined };
}

/** The result, and the callouts that --wait waits for. */
interface Repaired extends RepairedMany {
  readonly ids: readonly string[];
}

async function repairRange(
  { context, client, catalogue }: Tools,
  repair: Repair,
  options: RepairOptions,
): Promise<Repaired> {
  const place = await findWebhook(client, catalogue, options.webhook ?? '');
  const params = { path: { id: place.id } };
  const { record, since, until, fromSequence, toSequence } = options;
  const states = options.state ?? repair.usualStates;
  const dueStates = states.filter((state) => state === 'due');
  const ended = states.filter((state) => state !== 'due');
  const bounds = {
    ...(since !== undefined && { since: since.toISOString() }),
    ...(until !== undefined && { until: until.toISOString() }),
    ...(fromSequence !== undefined && { fromSequence }),
    ...(toSequence !== undefined && { toSequence }),
    ...(record !== undefined && { recordID: record }),
  };
  const countIn = async (some: readonly State[]): Promise<number> => {
    if (some.length === 0) return 0;
    const { data } = await client.GET(webhookPath(place.entity.webhookCollection, '/Callouts/query/count'), {
      params: { ...params, query: { ...bounds, state: some.join(','), kind: 'event' } },
    });
    return data?.queryCount ?? 0;
  };
  const redeliverPath = webhookPath(place.entity.webhookCollection, '/redeliver');
  const redeliverEnded = async (dryRun: boolean) => {
    if (ended.length === 0) return undefined;
    const include = options.inactive === true ? { include: ['inactive' as const] } : {};
    return (await client.POST(redeliverPath, { params, body: { ...bounds, ...include, states: [...ended], dryRun } }))
      .data;
  };
  if (options.yes !== true) {
    const redelivered = repair.name === 'cancel' ? undefined : await redeliverEnded(true);
    const count =
      repair.name === 'cancel' ? await countIn(states) : (redelivered?.queued ?? 0) + (await countIn(dueStates));
    if (count === 0) return { count, ids: [] };
    const order = redelivered !== undefined && redelivered.queued > 0 ? ` ${redelivered.order?.message}` : '';
    const what = `${repair.question} of ${placeName(place)}: ${count}.${order}`;
    if (!(await isConfirmed(context, what, options.yes))) return { count: null, ids: [] };
  }
  const ids =
    options.wait === true ? await idsOf(client, place, { ...bounds, state: states.join(','), kind: 'event' }) : [];
  let following: number | undefined;
  const post = async (act: 'retryNow' | 'cancel', of: readonly State[]): Promise<number> => {
    if (of.length === 0) return 0;
    // Both accept the same and return a number, so the types of one path serve for both.
    const path = webhookPath(place.entity.webhookCollection, `/${act}` as '/retryNow');
    const { data } = await client.POST(path, { params, body: { ...bounds, states: [...of] } });
    following = data?.following;
    return countOf(data);
  };
  if (repair.name === 'cancel') return { count: await post('cancel', states), ids };
  // Open ones first: reopened callouts are due, and would be counted twice.
  const retried = await post('retryNow', dueStates);
  const reopened = await redeliverEnded(false);
  const queued = reopened?.queued ?? 0;
  return { count: retried + queued, following, order: queued > 0 ? reopened?.order : undefined, ids };
}

/** The ids of the callouts of a webhook that a query finds. */
async function idsOf(client: CalloutClient, { entity, id }: WebhookPlace, query: object): Promise<string[]> {
  const path = webhookPath(entity.webhookCollection, '/Callouts');
  const ids: string[] = [];
  for await (const callout of listAll(client, path, { path: { id }, query: { ...query, maxRecords: 500 } })) {
    ids.push(callout.id);
  }
  return ids;
}

function countOf(answer: { queued?: number; cancelled?: number } | undefined): number {
  return answer?.queued ?? answer?.cancelled ?? 0;
}
