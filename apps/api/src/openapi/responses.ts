import type { DocumentedCollection } from './collections.ts';
import type { ResponseKind } from './description.ts';
import type { Answered, Content, Operation } from './document-types.ts';
import { withMeanings } from './property-descriptions.ts';
import { arrayOf, object, ref, type Json } from './json-schema.ts';

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };

/** Statuses that are answered with the failure envelope, and what they mean. */
export const failures = {
  400: 'The JSON, a value, a filter or a header is wrong: every problem is named.',
  401: 'The credentials are missing, unknown or wrong, or this user name is locked out from this address.',
  403: 'The credential, or its resource, lacks the right.',
  404: 'No matching records found: the path or what it names does not exist, or belongs to another tenant.',
  405: 'The path does not take this method; Allow names those it takes.',
  408: 'The body stopped coming before it was complete; the connection ends.',
  409: 'It conflicts with what is stored.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  429: 'Too many requests; Retry-After says in how many seconds there is room again.',
  500: 'Something went wrong that is not the fault of the request; the sentence has its id.',
  503: 'The database, or room for more events, is away; Retry-After says when to try again.',
} as const;

export type FailureStatus = keyof typeof failures;

/** The failures as components, so that operations refer to them. */
export function failureResponses(): Record<string, Answered> {
  const retryAfter = { 'Retry-After': { description: 'Seconds', schema: whole } };
  const withHeader: readonly string[] = ['429', '503'];
  return Object.fromEntries(
    Object.entries(failures).map(([status, description]) => [
      `Failure${status}`,
      {
        description,
        ...(withHeader.includes(status) && { headers: retryAfter }),
        content: jsonContent(ref('Failure')),
      },
    ]),
  );
}

/** The answer to an operation that went well. */
export function successOf(kind: ResponseKind, collection: DocumentedCollection | undefined): Operation['responses'] {
  const { status, description, schema } = successes[kind](collection === undefined ? {} : ref(collection.schema));
  return { [status]: { description, content: jsonContent(withMeanings(kind, schema)) } };
}

/** The failures of an operation; `conflict` says when it is answered 409. */
export function failureReferences(
  statuses: readonly FailureStatus[],
  conflict: string | undefined,
): Operation['responses'] {
  return {
    ...Object.fromEntries(statuses.map((failure) => [failure, { $ref: `#/components/responses/Failure${failure}` }])),
    ...(conflict !== undefined && { 409: { description: conflict, content: jsonContent(ref('Failure')) } }),
  };
}

export function jsonContent(schema: Json, example?: unknown): Content {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

interface Success {
  readonly status: number;
  readonly description: string;
  readonly schema: Json;
}

const ok = (description: string, schema: Json): Success => ({ status: 200, description, schema });

/** By what is answered; `item` is the schema of the collection's records. */
const successes: Readonly<Record<ResponseKind, (item: Json) => Success>> = {
  item: (item) => ok('The record.', object({ item }, ['item'])),
  items: (item) =>
    ok(
      'One page, in order of the ids.',
      object(
        { items: arrayOf(item), pageDetails: ref('PageDetails'), ignored: arrayOf(text), warnings: arrayOf(text) },
        ['items', 'pageDetails'],
      ),
    ),
  itemId: () => ok('Done; the id of the record.', ref('ItemId')),
  count: () => ok('How many there are.', ref('QueryCount')),
  info: () => ok('What the collection can, and what you may.', ref('EntityInformation')),
  fields: () => ok('A description of each field.', ref('FieldInformation')),
  udfs: () => ok('A description of each user-defined field.', ref('UserDefinedFieldInformation')),
};
