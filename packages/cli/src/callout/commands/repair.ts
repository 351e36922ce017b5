import type { Command } from 'commander';
import type { Catalogue } from '@callout/core/catalogue';
import type { CalloutClient, Schemas } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import { findWebhook, placeName, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { isConfirmed } from '../input/confirmed.ts';
import { type RangeOptions, wholeNumber, withRange } from '../input/delivery-options.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';

type State = Schemas['Callout']['state'];

interface RepairOptions extends RangeOptions {
  readonly webhook?: string;
  readonly record?: number;
  readonly yes?: true;
}

/** Something that is done about one callout or many. */
interface Repair {
  readonly name: 'redeliver' | 'cancel';
  readonly description: string;
  readonly states: readonly State[];
  /** Meant unless states are given. */
  readonly usualStates: readonly State[];
  readonly question: string;
  readonly sentence: string;
  /** Said when there was nothing to do: which callouts it leaves as they are. */
  readonly leaves: string;
  readonly help: string;
}

const redeliver: Repair = {
  name: 'redeliver',
  description: 'send callouts again: one, several, or what a webhook missed',
  states: ['failed', 'cancelled', 'delivered'],
  usualStates: ['failed', 'cancelled'],
  question: 'Callouts to be sent again',
  sentence: 'Callouts to be sent again',
  leaves:
    'Open callouts are not, and of a webhook only those that failed or were cancelled, unless --state says otherwise.',
  help: `
With --webhook it means the callouts that failed or were cancelled, unless --state says otherwise; it shows their number,
and asks. The webhook-id stays the same, so a receiver can recognise a callout that it has already.

Examples:
  $ npx callout redeliver 019cb6a1-0000-7000-8000-000000000001
  $ npx callout redeliver --webhook CompanyWebhooks/3 --since 2026-01-15T09:00:00Z
  $ npx callout redeliver --webhook CompanyWebhooks/3 --state delivered --from-sequence 41 --to-sequence 44 --yes`,
};

const cancel: Repair = {
  name: 'cancel',
  description: 'cancel callouts that are not delivered yet: one, several, or those of a webhook',
  states: ['waiting', 'held', 'due'],
  usualStates: ['waiting', 'held', 'due'],
  question: 'Callouts to be cancelled',
  sentence: 'Cancelled callouts',
  leaves: 'Only open callouts can be cancelled.',
  help: `
Their receiver does not get them; \`callout redeliver\` sends them after all.

Examples:
  $ npx callout cancel 019cb6a1-0000-7000-8000-000000000001
  $ npx callout cancel --webhook CompanyWebhooks/3 --state held`,
};

/** `callout redeliver` and `callout cancel` */
export function addRepairCommands(program: Command, context: CommandContext): void {
  for (const repair of [redeliver, cancel]) addRepair(program, context, repair);
}

function addRepair(program: Command, context: CommandContext, repair: Repair): void {
  withRange(
    program
      .command(repair.name)
      .description(repair.description)
      .argument('[calloutIDs...]', 'the webhook-id of their requests')
      .option('--webhook <webhook>', `those of a webhook: ${webhookHelp}`)
      .option('--record <id>', 'of this record only', wholeNumber),
    repair.states,
  )
    .option('--yes', 'do it without being asked')
    .addHelpText('after', repair.help)
    .action(async (calloutIDs: string[], options: RepairOptions, command: Command) => {
      const hasRange = Object.keys(command.opts()).some((name) => name !== 'yes');
      if (calloutIDs.length > 0 === hasRange) {
        command.error('error: name callouts by their ids, or a webhook by --webhook');
      }
      if (hasRange && options.webhook === undefined) command.error('error: say whose callouts are meant, by --webhook');
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const count = hasRange
        ? await repairRange({ context, client, catalogue }, repair, options)
        : await repairEach({ client, catalogue }, repair, calloutIDs);
      const key = repair.name === 'redeliver' ? 'queued' : 'cancelled';
      if (count === null) {
        show(context, command, { data: { [key]: 0 }, text: 'Nothing was changed.', isIncomplete: true });
      } else
        show(context, command, {
          data: { [key]: count },
          text: `${repair.sentence}: ${count}.${count === 0 ? ` ${repair.leaves}` : ''}`,
        });
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
): Promise<number> {
  let count = 0;
  for (const calloutID of calloutIDs) {
    const found = await client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } });
    const { entityType, webhookID: id } = found.data.item;
    const path = `/v1.0/${catalogue.byEntityType(entityType)?.webhookCollection}/{id}/Callouts/{calloutID}/${name}`;
    const { data } = await client.POST(path as '/v1.0/CompanyWebhooks/{id}/Callouts/{calloutID}/redeliver', {
      params: { path: { id, calloutID } },
    });
    count += countOf(data);
  }
  return count;
}

/** Null: it was not confirmed. */
async function repairRange(
  { context, client, catalogue }: Tools,
  repair: Repair,
  options: RepairOptions,
): Promise<number | null> {
  const place = await findWebhook(client, catalogue, options.webhook ?? '');
  const params = { path: { id: place.id } };
  const { record, since, until, fromSequence, toSequence } = options;
  const states = options.state ?? repair.usualStates;
  const bounds = {
    ...(since !== undefined && { since: since.toISOString() }),
    ...(until !== undefined && { until: until.toISOString() }),
    ...(fromSequence !== undefined && { fromSequence }),
    ...(toSequence !== undefined && { toSequence }),
    ...(record !== undefined && { recordID: record }),
  };
  if (options.yes !== true) {
    const { data } = await client.GET(webhookPath(place.entity.webhookCollection, '/Callouts/query/count'), {
      params: { ...params, query: { ...bounds, state: states.join(','), kind: 'event' } },
    });
    const count = data?.queryCount ?? 0;
    if (count === 0) return 0;
    const what = `${repair.question} of ${placeName(place)}: ${count}.`;
    if (!(await isConfirmed(context, what, options.yes))) return null;
  }
  const body = { ...bounds, states: [...states] };
  const { data } = await client.POST(webhookPath(place.entity.webhookCollection, `/${repair.name}`), { params, body });
  return countOf(data);
}

function countOf(answer: { queued?: number; cancelled?: number } | undefined): number {
  return answer?.queued ?? answer?.cancelled ?? 0;
}
