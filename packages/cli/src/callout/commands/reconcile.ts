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

/** A callout that the receiver does not have. */
interface Absent {
  readonly sequenceNumber: number;
  readonly id: string;
  readonly state: string;
  readonly reason: string;
}

interface Reconciled {
  /** How many of the listed callouts the receiver has. */
  readonly received: number;
  /** The lowest number in the delivery log; null: the log has no callouts of these numbers. */
  readonly keptFromSequenceNumber: number | null;
  readonly missing: readonly Absent[];
  readonly open: readonly Absent[];
  readonly explained: readonly Absent[];
}

interface Options {
  readonly ids?: string;
  readonly missing?: string;
  readonly redeliver?: true;
  readonly yes?: true;
}

const help = `
--missing takes sequence numbers that did not arrive, as the ledger of @callout/receiver names them. --ids takes a file
with one webhook-id a line of what did arrive; what else is in a line is ignored, so a log or CSV will do, and - is stdin.
The command lists the callouts that the receiver lacks. Missing are those that were delivered or failed; open ones are
still to be delivered, and cancelled or merged ones and deactivation calls are explained. The exit status is 1 where
callouts are missing, unless --redeliver sends them again.

Examples:
  $ callout reconcile CompanyWebhooks/3 --missing 3-4,9
  $ callout reconcile CompanyWebhooks/3 --ids received.txt --redeliver`;

/** `callout reconcile` */
export function addReconcileCommand(program: Command, context: CommandContext): void {
  program
    .command('reconcile')
    .description('compare what a receiver got with what was sent, and send what is missing again')
    .argument('<webhook>', webhookHelp)
    .option('--missing <numbers>', 'sequence numbers that did not arrive, such as 3-4,9')
    .option('--ids <file>', 'the webhook-id of everything that arrived, one a line; - is stdin')
    .option('--redeliver', 'send what is missing again; it shows their number, and asks')
    .option('--yes', 'do it without being asked')
    .addHelpText('after', help)
    .action(async (name: string, options: Options, called: Command) => {
      const compared = await readCompared(context, options);
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, called);
      const place = await findWebhook(client, catalogue, name);
      const result = await reconcile(client, place, compared);
      const { missing } = result;
      let queued = 0;
      if (options.redeliver === true && missing.length > 0) {
        const what = `Callouts of ${placeName(place)} to be sent again: ${missing.length}.`;
        if (await isConfirmed(context, what, options.yes)) queued = await redeliverMissing(client, place, missing);
      }
      const data = { ...result, queued };
      const isIncomplete = missing.length > 0 && queued === 0;
      show(context, called, { data, text: textOf(data), isIncomplete });
    });
}

/** Which callouts are looked at, and which of them the receiver has. */
interface Compared {
  /** Sequence numbers, both ends included; without an end: all from there on. */
  readonly ranges: readonly (readonly [from: number, to: number | undefined])[];
  readonly receivedIds: ReadonlySet<string>;
}

/** @throws a Problem 400 without exactly one of --missing and --ids, or for an unreadable file. */
async function readCompared(context: CommandContext, { ids, missing }: Options): Promise<Compared> {
  if ((ids === undefined) === (missing === undefined)) throw Problem.invalid('Give either --missing or --ids');
  if (missing !== undefined) return { ranges: rangesIn(missing), receivedIds: new Set() };
  return { ranges: [[1, undefined]], receivedIds: await readIds(context, ids ?? '') };
}

/** Ranges such as `3-4,9`. Throws a Problem 400 for other text. */
function rangesIn(ranges: string): [number, number][] {
  return ranges.split(',').map((part): [number, number] => {
    const [, from, to = from] = /^\s*(\d{1,15})(?:\s*-\s*(\d{1,15}))?\s*$/u.exec(part) ?? [];
    if (Number(from ?? 0) < 1 || Number(to) < Number(from)) {
      throw Problem.invalid(`--missing must be sequence numbers from 1, such as 3-4,9; "${part}" is not`);
    }
    return [Number(from), Number(to)];
  });
}

const anId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/giu;

/** The first id of each line. Throws a Problem 400 where the file cannot be read. */
async function readIds({ stdin }: CommandContext, file: string): Promise<Set<string>> {
  const input = file === '-' ? text(stdin as AsyncIterable<Uint8Array>) : readFile(file, 'utf8');
  const lines = await input.catch((error: unknown) => {
    throw Problem.invalid(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });
  return new Set(lines.split('\n').flatMap((line) => line.match(anId)?.[0].toLowerCase() ?? []));
}

async function reconcile(
  client: CalloutClient,
  { entity, id }: WebhookPlace,
  { ranges, receivedIds }: Compared,
): Promise<Reconciled> {
  const [missing, openNumbers, explained]: [Absent[], Absent[], Absent[]] = [[], [], []];
  let received = 0;
  let keptFrom: number | null = null;
  const path = webhookPath(entity.webhookCollection, '/Callouts');
  for (const [fromSequence, toSequence] of ranges) {
    // The newest come first: callouts made meanwhile are not in the list.
    const query = { fromSequence, ...(toSequence !== undefined && { toSequence }), maxRecords: 500 };
    for await (const callout of listAll(client, path, { path: { id }, query })) {
      const { sequenceNumber, state, kind } = callout;
      keptFrom = Math.min(keptFrom ?? sequenceNumber, sequenceNumber);
      const absent = (reason: string) => ({ sequenceNumber, id: callout.id, state, reason });
      if (receivedIds.has(callout.id)) received += 1;
      else if (callout.finishedDateTime === null) openNumbers.push(absent('still to be delivered'));
      else if (kind === 'deactivation' && state === 'delivered')
        explained.push(absent('a deactivation call, delivered to the deactivationUrl'));
      else if (state === 'delivered') missing.push(absent('the receiver answered 2xx'));
      else if (state === 'failed') missing.push(absent('its attempts are used up'));
      else explained.push(absent(state === 'merged' ? 'another callout carries its change' : 'it was cancelled'));
    }
  }
  for (const list of [missing, openNumbers, explained]) list.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  return { received, keptFromSequenceNumber: keptFrom, missing, open: openNumbers, explained };
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

function textOf(result: Reconciled & { readonly queued: number }): string {
  const { received, missing, open: openNumbers, explained, keptFromSequenceNumber: keptFrom, queued } = result;
  if (keptFrom === null)
    return 'The delivery log has no such callouts: they are no longer kept, or have not been made.';
  const list = (title: string, absent: readonly Absent[]) =>
    absent.length === 0
      ? []
      : [
          `${title}: ${absent.length}`,
          ...absent.map(({ sequenceNumber, id, state, reason }) => `  ${sequenceNumber}  ${id}  ${state}  ${reason}`),
        ];
  return [
    missing.length === 0 ? 'Complete: nothing is missing.' : '',
    received === 0 ? '' : `Received: ${received}, from number ${keptFrom} on, the first that is still kept.`,
    ...list('Missing', missing),
    ...list('Still to be delivered', openNumbers),
    ...list('Explained', explained),
    queued > 0 ? `Callouts to be sent now: ${queued}.` : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}
