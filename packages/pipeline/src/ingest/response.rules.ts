/** Additional information for the caller; without keys for empty lists. */
export interface Remarks {
  ignored?: string[];
  warnings?: string[];
}

/** The response to an accepted request, without the parts that only its commit knows. */
export type ResponseForm =
  | {
      readonly kind: 'batch';
      readonly remarks: Remarks;
      /** One per event, in their order. */
      readonly ofEvents: readonly Remarks[];
    }
  | { readonly kind: 'record'; readonly remarks: Remarks };

/** The result of one event. */
export interface IngestItem {
  /** The caller's eventID, or the one that the service made. */
  eventId: string;
  recordId: number;
  /** 'unchanged': an update without changes makes no event. */
  status: 'accepted' | 'duplicate' | 'unchanged';
}

/**
 * The response to an accepted request. A pure function of data, since the response is stored together with the
 * events when the request has an `Idempotency-Key`.
 */
export function responseTo(form: ResponseForm, items: readonly IngestItem[]): { status: number; body: object } {
  if (form.kind === 'batch') {
    const answers = items.map(({ eventId, status }, index) => ({ eventID: eventId, status, ...form.ofEvents[index] }));
    return { status: 202, body: { items: answers, ...form.remarks } };
  }
  const [item] = items;
  if (item === undefined) throw new Error('a write of a record has one event');
  return { status: 200, body: { itemId: item.recordId, ...form.remarks } };
}
