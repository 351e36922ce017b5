import type { TestResponse } from '../../fixtures/test-api.ts';

/** The body of a list of the delivery log. */
export interface ListBody {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly pageDetails: { readonly prevPageUrl: string | null; readonly nextPageUrl: string | null };
}

/** The list of a response. Throws when there is none. */
export function listOf({ status, body }: TestResponse): ListBody {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as ListBody;
}

/** The item of a response. Throws when there is none. */
export function itemOf({ status, body }: TestResponse): Readonly<Record<string, unknown>> {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return (body as { item: Record<string, unknown> }).item;
}

export function numbersOf(response: TestResponse): unknown[] {
  return listOf(response).items.map(({ sequenceNumber }) => sequenceNumber);
}
