import { calloutsOfOwn, eventOfOwn, momentOf, type History, type MadeCallout } from './history.ts';
import { PAGE } from './question.ts';

/** What the large tenant must find. Its events are named by their numbers, from 0. */
export interface Expected {
  readonly last: number;
  readonly middle: number;
  readonly anyEvent: (random: () => number) => number;
  readonly anyRecord: (random: () => number) => number;
  /** When an event was accepted, in ms since 1970. */
  readonly acceptedMs: (own: number) => number;
  /** The large webhook's callout of an event. */
  readonly large: (own: number) => MadeCallout;
  /** Both callouts of an event, the newer one first. */
  readonly both: (own: number) => readonly MadeCallout[];
  /** The ids of the large webhook's newest callouts that fit, a page of them, from event `from` down to event `to`. */
  readonly newest: (fits: (callout: MadeCallout, own: number) => boolean, from?: number, to?: number) => string[];
  /** The newest events of a record, a page of them, newest first. */
  readonly eventsOf: (record: number) => readonly number[];
}

export function expectedOf(history: History): Expected {
  const { ownEvents, records } = history;
  const last = ownEvents - 1;
  const large = (own: number) => calloutsOfOwn(history, own)[0];
  return {
    last,
    middle: Math.floor(ownEvents / 2),
    anyEvent: (random) => Math.floor(random() * ownEvents),
    anyRecord: (random) => 1 + Math.floor(random() * records),
    acceptedMs: (own) => momentOf(history, eventOfOwn(own)),
    large,
    both: (own) => calloutsOfOwn(history, own).toReversed(),
    newest(fits, from = last, to = 0) {
      const ids: string[] = [];
      for (let own = from; own >= to && ids.length < PAGE; own -= 1) {
        const callout = large(own);
        if (fits(callout, own)) ids.push(callout.id);
      }
      return ids;
    },
    eventsOf(record) {
      const owns: number[] = [];
      for (let own = record - 1; own < ownEvents; own += records) owns.push(own);
      return owns.toReversed().slice(0, PAGE);
    },
  };
}
