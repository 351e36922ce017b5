/** A callout that is to be sent again. */
export interface OrderedCallout {
  readonly recordId: number;
  readonly sequenceNumber: number;
}

/** What a redelivery reopened, or would reopen. */
export interface Redelivery {
  readonly queued: number;
  /** How many of them are older than a callout of their record that was delivered. */
  readonly older: number;
}

/**
 * How many callouts of one webhook are older than a callout of their record that was delivered.
 * @param delivered the highest number that was delivered, by record; absent: none was.
 */
export function countOlder(callouts: readonly OrderedCallout[], delivered: ReadonlyMap<number, number>): number {
  return callouts.filter(({ recordId, sequenceNumber }) => sequenceNumber < (delivered.get(recordId) ?? 0)).length;
}

export function sumOfRedeliveries(parts: readonly Redelivery[]): Redelivery {
  return parts.reduce((sum, { queued, older }) => ({ queued: sum.queued + queued, older: sum.older + older }), {
    queued: 0,
    older: 0,
  });
}

/**
 * What a redelivery means for the order in which receivers get the values of records, in plain sentences.
 * Callouts of a record are always sent in the order of their numbers; what was delivered before cannot be taken back.
 */
export function orderSentence({ queued, older }: Redelivery): string {
  if (queued === 0) return 'There is nothing to redeliver.';
  const behind = 'Later callouts of the same records that are still open wait behind them.';
  if (older === 0) return `No receiver gets an older value after a newer one. ${behind}`;
  const which =
    queued === 1
      ? 'The callout is older than a callout of the same record that was delivered since: its receiver gets an older value after a newer one'
      : `${older} of ${queued} callouts ${older === 1 ? 'is' : 'are'} older than a callout of the same record that was delivered since: their receivers get older values after newer ones`;
  return `${which}, and can tell by SequenceNumber. ${behind}`;
}
