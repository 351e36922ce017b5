import type { Command } from 'commander';
import { jsonLine, printable } from '../../printable.ts';
import { openApi } from '../api/open-api.ts';
import { listedWebhooks, findWebhook, placeName, readWebhook } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { kinds, states, wholeNumber, wordsOf } from '../input/delivery-options.ts';
import { nameOfWebhook, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { follow } from './follow.ts';
import type { EndedAttempt } from './poll.ts';
import { watchedSentence, watchedWebhookSentence } from './watched.ts';

interface TailOptions {
  readonly webhook?: string;
  readonly state?: string[];
  readonly kind?: string[];
  readonly record?: number;
}

/** `callout deliveries tail` */
export function addTailCommand(deliveries: Command, context: CommandContext): void {
  deliveries
    .command('tail')
    .description('show each attempt as it ends, until Ctrl-C')
    .option('--webhook <webhook>', `of this webhook only: ${webhookHelp}`)
    .option('--state <states>', `${states.join(', ')}; the state of the callout after the attempt`, wordsOf(states))
    .option('--kind <kinds>', 'event, deactivation, test; several are separated by commas', kinds)
    .option('--record <id>', 'about this record only', wholeNumber)
    .addHelpText(
      'after',
      `
With --json it prints a line of JSON for each attempt. The API is asked every two seconds.

Examples:
  $ callout deliveries tail
  $ callout deliveries tail --webhook CompanyWebhooks/3 --state failed,due
  $ callout deliveries tail --json | jq 'select(.attempt.status >= 500)'`,
    )
    .action(async ({ webhook, ...filter }: TailOptions, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client, account } = await openApi(context, command);
      const { out } = context;
      const isJson = command.optsWithGlobals<{ json?: true }>().json === true;
      const place = webhook === undefined ? undefined : await findWebhook(client, catalogue, webhook);
      const watchedWebhook = place && (await readWebhook(client, place));
      const watched =
        place !== undefined && watchedWebhook !== undefined
          ? watchedWebhookSentence(placeName(place), watchedWebhook)
          : watchedSentence(isJson ? [] : await listedWebhooks(client), account.url);
      if (!isJson) out.report(out.dim(watched));
      await follow({
        client,
        webhookGUID: watchedWebhook?.webhookGUID,
        stop: context.stopSignal(),
        onAttempt(attempt) {
          if (!isMeant(attempt, filter)) return;
          const name = nameOfWebhook(catalogue, { entityType: attempt.entityType, id: attempt.webhookID });
          out.print(isJson ? jsonLine({ webhook: name, ...attempt }) : lineOf(attempt, name, out));
        },
      });
    });
}

function isMeant({ state, kind, recordID }: EndedAttempt, filter: Omit<TailOptions, 'webhook'>): boolean {
  if (filter.state !== undefined && !filter.state.includes(state)) return false;
  if (filter.kind !== undefined && !filter.kind.includes(kind)) return false;
  return filter.record === undefined || filter.record === recordID;
}

function lineOf(event: EndedAttempt, webhook: string, { green, red, yellow, dim }: CommandContext['out']): string {
  const { attempt, state, kind, recordID, sequenceNumber, nextAttemptDateTime, calloutID } = event;
  const time = new Date(attempt.startDateTime).toTimeString().slice(0, 8);
  const paint = state === 'delivered' ? green : state === 'failed' ? red : yellow;
  const what = kind === 'event' ? `record ${recordID} #${sequenceNumber}` : kind;
  const again =
    nextAttemptDateTime === null ? '' : `, again at ${new Date(nextAttemptDateTime).toTimeString().slice(0, 8)}`;
  const nth = attempt.number > 1 ? `, attempt ${attempt.number}` : '';
  const head = `${dim(time)}  ${paint(String(attempt.status ?? '---'))}  ${webhook}  ${what}  ${paint(state)}${dim(`${nth}, ${attempt.durationMs} ms${again}`)}  ${dim(`callout ${calloutID}`)}`;
  return attempt.reason === null ? head : `${head}\n          ${printable(attempt.reason)}`;
}
