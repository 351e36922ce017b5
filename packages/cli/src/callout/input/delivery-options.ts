import { InvalidArgumentError, type Command } from 'commander';
import { calloutKinds, type CalloutState, calloutStates } from '@callout/domain/callout/callout-states';
import { moment, momentHelp } from './moment.ts';

/** The options of a command that means many deliveries. */
export interface RangeOptions {
  readonly state?: CalloutState[];
  readonly since?: Date;
  readonly until?: Date;
  readonly fromSequence?: number;
  readonly toSequence?: number;
}

/** Adds the options that select deliveries; `states` are the possible ones. */
export function withRange(command: Command, states: readonly CalloutState[], { bySequence = true } = {}): Command {
  command
    .option('--state <states>', `${states.join(', ')}; several are separated by commas`, wordsOf(states))
    .option('--since <time>', `made at this time or later: ${momentHelp}`, (text) => moment(text))
    .option('--until <time>', 'made before this time', (text) => moment(text));
  if (!bySequence) return command;
  return command
    .option('--from-sequence <number>', 'with this sequence number or a higher one', wholeNumber)
    .option('--to-sequence <number>', 'with this sequence number or a lower one', wholeNumber);
}

/** Reads some of `words`, separated by commas, in any case. */
export function wordsOf<Word extends string>(words: readonly Word[]): (text: string) => Word[] {
  return (text) =>
    text.split(',').map((part) => {
      const word = words.find((one) => one.toLowerCase() === part.trim().toLowerCase());
      if (word === undefined) throw new InvalidArgumentError(`It must be one or more of ${words.join(', ')}.`);
      return word;
    });
}

export const states = calloutStates;
export const kinds = wordsOf(calloutKinds);

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
