/** A callout that is to be sent again. */
export interface OrderedCallout {
  readonly recordId: number;
  readonly sequenceNumber: number;
}

/** What a redelivery reopened, or would reopen. */
export interface Redelivery {
  readonly queued: number;
  /** How many are older than a delivered callout of the record. */
  readonly older: number;
}

/**
 * How many callouts of a webhook are older than a delivered callout of the record.
 * @param delivered the highest number that was delivered, by record; absent: no callout was delivered.
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
 * @param replayed callouts that are made for events that came while the webhook was inactive.
 */
export function orderSentence(redelivery: Redelivery, replayed: Redelivery = { queued: 0, older: 0 }): string {
  const sentences = [...sentencesOf(redelivery), ...replaySentences(replayed)];
  return sentences.length === 0 ? 'There is nothing to redeliver.' : sentences.join(' ');
}

function sentencesOf({ queued, older }: Redelivery): string[] {
  if (queued === 0) return [];
  const behind = 'Later callouts of the same records that are still open wait behind them.';
  if (older === 0) return [`No receiver gets an older value after a newer one. ${behind}`];
  const which =
    queued === 1
      ? 'The callout is older than a callout of the same record that was delivered since: its receiver gets an older value after a newer one'
      : `${older} of ${queued} callouts ${older === 1 ? 'is' : 'are'} older than a callout of the same record that was delivered since: their receivers get older values after newer ones`;
  return [`${which}, and can tell by SequenceNumber. ${behind}`];
}

function replaySentences({ queued, older }: Redelivery): string[] {
  if (queued === 0) return [];
  const what = `${queued === 1 ? '1 change' : `${queued} changes`} made while the webhook was inactive ${queued === 1 ? 'gets a callout' : 'get callouts'} with new numbers, in order.`;
  if (older === 0) return [what];
  const which = `${older} of them ${older === 1 ? 'is' : 'are'} older than a change of the same record that was delivered since: receivers get an older value after a newer one, and can tell by EventTime.`;
  return [what, which];
}
