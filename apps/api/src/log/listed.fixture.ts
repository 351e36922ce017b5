import type { TestAnswer } from '../fixtures/test-api.ts';

/** What a list of the delivery log answers. */
export interface ListBody {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly pageDetails: { readonly prevPageUrl: string | null; readonly nextPageUrl: string | null };
}

/** The list that was answered. Throws when there was none. */
export function listOf({ status, body }: TestAnswer): ListBody {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as ListBody;
}

/** The item that was answered. Throws when there was none. */
export function itemOf({ status, body }: TestAnswer): Readonly<Record<string, unknown>> {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return (body as { item: Record<string, unknown> }).item;
}

export function numbersOf(answer: TestAnswer): unknown[] {
  return listOf(answer).items.map(({ sequenceNumber }) => sequenceNumber);
}
