import type { Command } from 'commander';
import type { Schemas } from '@callout/client';
import type { CommandContext, Shown } from './context.ts';
import { withRange } from './input/delivery-options.ts';
import { webhookHelp } from './input/webhook-named.ts';
import { show } from './show/show.ts';

type State = Schemas['Callout']['state'];

/** Something done about one callout or many, by an integrator or an operator. */
export interface Repair {
  readonly name: 'redeliver' | 'cancel';
  readonly description: string;
  readonly states: readonly State[];
  /** The default states. */
  readonly usualStates: readonly State[];
  readonly question: string;
  readonly sentence: string;
  /** Printed when there was nothing to do: the callouts left unchanged. */
  readonly leaves: string;
  readonly help: string;
}

export const redeliver: Repair = {
  name: 'redeliver',
  description: 'send callouts again: one, several, or what a webhook missed',
  states: ['failed', 'cancelled', 'delivered', 'due'],
  usualStates: ['failed', 'cancelled', 'due'],
  question: 'Callouts to be sent now',
  sentence: 'Callouts to be sent now',
  leaves:
    'None was found that failed, was cancelled or waits for its next attempt. What is being sent, is held by the threshold or waits behind an earlier callout of its record goes by itself.',
  help: `
With --webhook: the callouts that failed or were cancelled, and open callouts that wait for their next attempt (due),
unless --state says otherwise. The command shows the number, and asks. The webhook-id stays the same, so a receiver can
recognise a repeated callout.
With --inactive, changes that were made while the webhook was inactive get callouts, too, with new numbers.
With --wait the command waits for the end of the callouts, and shows how many were delivered and failed; the exit status is 1 unless
every callout was delivered.

Examples:
  $ callout redeliver 019cb6a1-0000-7000-8000-000000000001
  $ callout redeliver 019cb6a1-0000-7000-8000-000000000001 --wait
  $ callout redeliver --webhook CompanyWebhooks/3 --since 2026-01-15T09:00:00Z
  $ callout redeliver --webhook CompanyWebhooks/3 --since 2026-01-15T09:00:00Z --inactive
  $ callout redeliver --webhook CompanyWebhooks/3 --state due
  $ callout redeliver --webhook CompanyWebhooks/3 --state delivered --from-sequence 41 --to-sequence 44 --yes`,
};

export const cancel: Repair = {
  name: 'cancel',
  description: 'cancel callouts that are not delivered yet: by id, or of a webhook',
  states: ['waiting', 'held', 'due'],
  usualStates: ['waiting', 'held', 'due'],
  question: 'Callouts to be cancelled',
  sentence: 'Cancelled callouts',
  leaves: 'Only open callouts can be cancelled.',
  help: `
Their receiver does not get them; \`callout redeliver\` sends them after all.

Examples:
  $ callout cancel 019cb6a1-0000-7000-8000-000000000001
  $ callout cancel --webhook CompanyWebhooks/3 --state held`,
};

/** Adds the command of a repair, with the options that name callouts. */
export function repairCommand(parent: Command, { name, description, states }: Repair): Command {
  const command = parent
    .command(name)
    .description(description)
    .argument('[calloutIDs...]', 'the webhook-id of their requests')
    .option('--webhook <webhook>', `those of a webhook: ${webhookHelp}`);
  return withRange(command, states).option('--yes', 'do it without being asked');
}

/** What was done about many callouts. */
export interface RepairedMany {
  /** Null: it was not confirmed. */
  readonly count: number | null;
  /**
   * What a redelivery means for the order of values, in the words of the API; absent: no ended callout is sent again.
   */
  readonly order?: { readonly older: number; readonly message: string } | undefined;
  /** How many callouts of the same records are sent when the callouts end; absent: no open callout was sent now. */
  readonly following?: number | undefined;
}

/** Shows how many callouts it was done to. */
export function showRepaired(
  context: CommandContext,
  command: Command,
  { name, sentence, leaves }: Repair,
  { count, order, following = 0 }: RepairedMany,
  ends?: Pick<Shown, 'text' | 'isIncomplete'> & { readonly data: object },
): void {
  const key = name === 'redeliver' ? 'queued' : 'cancelled';
  if (count === null) {
    show(context, command, { data: { [key]: 0 }, text: 'Nothing was changed.', isIncomplete: true });
    return;
  }
  const lines = [
    `${sentence}: ${count}.${count === 0 ? ` ${leaves}` : ''}`,
    ...(following === 0 ? [] : [`Callouts of the same records that follow, as those end: ${following}.`]),
    ...(order === undefined || count === 0 ? [] : [order.message]),
    ...(ends === undefined ? [] : [ends.text]),
  ];
  show(context, command, {
    data: { [key]: count, ...(following > 0 && { following }), ...(order !== undefined && { order }), ...ends?.data },
    text: lines.join('\n'),
    isIncomplete: ends?.isIncomplete === true,
  });
}
