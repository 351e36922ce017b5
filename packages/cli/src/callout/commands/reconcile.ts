import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import { type CalloutClient, listAll } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import { findWebhook, placeName, type WebhookPlace, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { isConfirmed } from '../input/confirmed.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';

/** A callout whose id is not in the file. */
interface Absent {
  readonly sequenceNumber: number;
  readonly id: string;
  readonly state: string;
  readonly reason: string;
}

interface Reconciled {
  readonly received: number;
  readonly missing: readonly Absent[];
  readonly open: readonly Absent[];
  readonly explained: readonly Absent[];
}

const help = `
The file has one webhook-id a line; what else is in a line is ignored, so a log or CSV will do. - reads it from stdin.
Every callout that the delivery log still has is compared with it. Missing are those that were delivered or failed and
are not in the file; open ones are still to be delivered, and cancelled ones and deactivation calls are explained.
The exit status is 1 where something is missing, unless --redeliver sends it again.

Examples:
  $ callout reconcile CompanyWebhooks/3 --ids received.txt
  $ callout reconcile CompanyWebhooks/3 --ids received.txt --redeliver`;

/** `callout reconcile` */
export function addReconcileCommand(program: Command, context: CommandContext): void {
  program
    .command('reconcile')
    .description('compare what a receiver got with what was sent, and send what is missing again')
    .argument('<webhook>', webhookHelp)
    .requiredOption('--ids <file>', 'the webhook-id of everything that was received, one a line; - is stdin')
    .option('--redeliver', 'send what is missing again; it shows their number, and asks')
    .option('--yes', 'do it without being asked')
    .addHelpText('after', help)
    .action(async (name: string, options: { ids: string; redeliver?: true; yes?: true }, own: Command) => {
      const catalogue = await readCatalogue(context);
      const received = await readIds(context, options.ids);
      const { client } = await openApi(context, own);
      const place = await findWebhook(client, catalogue, name);
      const { data: digest } = await client.GET(webhookPath(place.entity.webhookCollection, '/Digest'), {
        params: { path: { id: place.id }, query: {} },
      });
      const { keptFromSequenceNumber: keptFrom, latestSequenceNumber: latest } = digest.item;
      const result = await reconcile(client, place, received, latest);
      const { missing } = result;
      let queued = 0;
      if (options.redeliver === true && missing.length > 0) {
        const what = `Callouts of ${placeName(place)} to be sent again: ${missing.length}.`;
        if (await isConfirmed(context, what, options.yes)) queued = await redeliverMissing(client, place, missing);
      }
      const data = { keptFromSequenceNumber: keptFrom, latestSequenceNumber: latest, ...result, queued };
      const isIncomplete = missing.length > 0 && queued === 0;
      show(context, own, { data, text: textOf(data), isIncomplete });
    });
}

const anId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/giu;

/** The first id of each line. Throws a Problem 400 where the file cannot be read. */
async function readIds({ stdin }: CommandContext, file: string): Promise<Set<string>> {
  const given = file === '-' ? text(stdin as AsyncIterable<Uint8Array>) : readFile(file, 'utf8');
  const lines = await given.catch((error: unknown) => {
    throw Problem.invalid(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });
  return new Set(lines.split('\n').flatMap((line) => line.match(anId)?.[0].toLowerCase() ?? []));
}

async function reconcile(
  client: CalloutClient,
  { entity, id }: WebhookPlace,
  ids: ReadonlySet<string>,
  latest: number,
): Promise<Reconciled> {
  const [missing, open, explained]: [Absent[], Absent[], Absent[]] = [[], [], []];
  let received = 0;
  // What was made after the file is not missing.
  const query = { fromSequence: 1, toSequence: Math.max(1, latest), maxRecords: 500 };
  const path = webhookPath(entity.webhookCollection, '/Callouts');
  for await (const callout of listAll(client, path, { path: { id }, query })) {
    const { sequenceNumber, state, kind } = callout;
    if (ids.has(callout.id)) received += 1;
    else if (kind === 'deactivation' && state === 'delivered') {
      const reason = 'a deactivation call, delivered to the deactivationUrl';
      explained.push({ sequenceNumber, id: callout.id, state, reason });
    } else if (state === 'delivered' || state === 'failed') {
      const reason = state === 'delivered' ? 'the receiver answered 2xx' : 'its attempts are used up';
      missing.push({ sequenceNumber, id: callout.id, state, reason });
    } else if (callout.finishedDateTime === null) {
      open.push({ sequenceNumber, id: callout.id, state, reason: 'still to be delivered' });
    } else explained.push({ sequenceNumber, id: callout.id, state, reason: state });
  }
  for (const list of [missing, open, explained]) list.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  return { received, missing, open, explained };
}

/** Ids in one request. */
const atOnce = 1_000;

async function redeliverMissing(
  client: CalloutClient,
  { entity, id }: WebhookPlace,
  missing: readonly Absent[],
): Promise<number> {
  let queued = 0;
  for (let at = 0; at < missing.length; at += atOnce) {
    const calloutIDs = missing.slice(at, at + atOnce).map((one) => one.id);
    const { data } = await client.POST(webhookPath(entity.webhookCollection, '/redeliver'), {
      params: { path: { id } },
      body: { calloutIDs, states: ['delivered', 'failed'] },
    });
    queued += data?.queued ?? 0;
  }
  return queued;
}

function textOf(result: Reconciled & { keptFromSequenceNumber: number | null; queued: number }): string {
  const { received, missing, open, explained, keptFromSequenceNumber: keptFrom, queued } = result;
  if (keptFrom === null) return 'The delivery log has no callouts of this webhook.';
  const list = (title: string, absent: readonly Absent[]) =>
    absent.length === 0
      ? []
      : [
          `${title}: ${absent.length}`,
          ...absent.map(({ sequenceNumber, id, state, reason }) => `  ${sequenceNumber}  ${id}  ${state}  ${reason}`),
        ];
  return [
    missing.length === 0 ? 'Complete: nothing is missing.' : '',
    `Received: ${received}, from number ${keptFrom} on, the first that is still kept.`,
    ...list('Missing', missing),
    ...list('Still to be delivered', open),
    ...list('Explained', explained),
    queued > 0 ? `Callouts to be sent now: ${queued}.` : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}
