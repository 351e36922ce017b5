import { InvalidArgumentError, type Command } from 'commander';
import { canonicalInstant } from '@callout/core/ingest';
import { calloutKinds, type CalloutState, calloutStates } from '@callout/core/log';
import type { CalloutFilter } from '@callout/db/log';

/** The options of a command that means many deliveries. */
export interface RangeOptions {
  readonly state?: CalloutState[];
  readonly since?: Date;
  readonly until?: Date;
  readonly fromSequence?: number;
  readonly toSequence?: number;
}

/** Adds the options that say which deliveries are meant; `states` are those that there can be. */
export function withRange(command: Command, states: readonly CalloutState[], { bySequence = true } = {}): Command {
  command
    .option('--state <states>', `${states.join(', ')}; several are separated by commas`, wordsOf(states))
    .option('--since <time>', 'made at this time or later, such as 2026-01-15T09:00:00Z', instant)
    .option('--until <time>', 'made before this time', instant);
  if (!bySequence) return command;
  return command
    .option('--from-sequence <number>', 'with this sequence number or a higher one', wholeNumber)
    .option('--to-sequence <number>', 'with this sequence number or a lower one', wholeNumber);
}

/** What the options mean; those that are not given are no bound. */
export function filterOf(options: RangeOptions): CalloutFilter {
  return {
    since: options.since ?? null,
    until: options.until ?? null,
    states: options.state ?? null,
    fromSequence: options.fromSequence ?? null,
    toSequence: options.toSequence ?? null,
    recordId: null,
    actions: null,
    kinds: null,
  };
}

/** Reads some of `words`, separated by commas, in any case. */
export function wordsOf<Word extends string>(words: readonly Word[]): (text: string) => Word[] {
  return (text) =>
    text.split(',').map((part) => {
      const word = words.find((one) => one === part.trim().toLowerCase());
      if (word === undefined) throw new InvalidArgumentError(`It must be one or more of ${words.join(', ')}.`);
      return word;
    });
}

export const states = calloutStates;
export const kinds = wordsOf(calloutKinds);

function instant(text: string): Date {
  const wire = canonicalInstant(text);
  if (wire === undefined) throw new InvalidArgumentError('It must be a date and time such as 2026-01-15T09:00:00Z.');
  return new Date(wire);
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
