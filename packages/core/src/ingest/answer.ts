/** What a caller is told besides what it asked for; no key of what is empty. */
export interface Remarks {
  ignored?: string[];
  warnings?: string[];
}

/** What a request is answered when it is taken, without what only its commit knows. */
export type AnswerForm =
  | {
      readonly kind: 'batch';
      readonly remarks: Remarks;
      /** One for each event, in their order. */
      readonly ofEvents: readonly Remarks[];
    }
  | { readonly kind: 'record'; readonly remarks: Remarks };

/** What became of one event. */
export interface IntakeItem {
  /** The caller's eventID, or the one the service made. */
  eventId: string;
  recordId: number;
  /** 'unchanged': an update that changes nothing makes no event. */
  status: 'accepted' | 'duplicate' | 'unchanged';
}

/**
 * The answer to a request whose events are taken. A pure function of data, since the answer is stored together with the
 * events when the request has an `Idempotency-Key`.
 */
export function answerTo(form: AnswerForm, items: readonly IntakeItem[]): { status: number; body: object } {
  if (form.kind === 'batch') {
    const answers = items.map(({ eventId, status }, index) => ({ eventID: eventId, status, ...form.ofEvents[index] }));
    return { status: 202, body: { items: answers, ...form.remarks } };
  }
  const [item] = items;
  if (item === undefined) throw new Error('a write of a record has one event');
  return { status: 200, body: { itemId: item.recordId, ...form.remarks } };
}
