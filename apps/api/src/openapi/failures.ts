import { z } from 'zod';
import { problemCodes } from '@callout/domain/problem-code';
import { httpProblemCodes } from '../http/http-problem.ts';
import { text } from '../http/operation/wire-types.ts';
import type { Endpoint, PublicEndpoint } from '../http/route/endpoint.ts';
import type { Json, ResponseObject, Operation } from './document-types.ts';
import { jsonContent, type SchemaReader } from './zod-schemas.ts';

/** Statuses with the failure envelope, and their meaning. */
const failures = {
  400: 'The JSON, a value, a filter or a header is wrong: every problem is named.',
  401: 'The credentials are missing, unknown or wrong, or this user name is locked out from this address.',
  403: 'The credential, or its resource, lacks the right.',
  404: 'No matching records found: the path or what it names does not exist, or belongs to another tenant.',
  408: 'The body stopped coming before it was complete; the connection ends.',
  412: 'The version is not the version of If-Match: ETag and the sentence have the present version; or there are no versions.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
  421: 'Another zone serves the tenant of this user; the sentence has its address, as zoneInformation does.',
  429: 'Too many requests; Retry-After says in how many seconds there is room again.',
  500: 'Something went wrong that is not the fault of the request; the sentence has its id.',
  503: 'The database is away, or there is no room for the request now; Retry-After says when to try again.',
} as const;

/** No enum of codes: more may come, and clients made from the document should accept new codes. */
const code = text.describe(
  Object.entries({ ...problemCodes, ...httpProblemCodes })
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n'),
);

/** Responses to every failed request. */
export const failure = z
  .object({
    errors: z.array(text).describe('What is wrong, a sentence each.'),
    details: z
      .array(
        z.object({
          code,
          field: text
            .describe('The key that is wrong; within a list with its place, such as fields[0].field.')
            .optional(),
          message: text.describe('A sentence for people.'),
        }),
      )
      .describe('Each sentence with a code for programs, and the field if any.'),
  })
  .meta({ id: 'Failure' });

/** The header of a response about something with versions. */
export const etagHeader: Json = {
  ETag: { description: 'The version, as a strong entity tag.', schema: { type: 'string' } },
};

/** The failures as components, for references of operations: 404, 412 with the ETag, and the rest. */
export function failureResponses({ read }: SchemaReader): Record<string, ResponseObject> {
  const { 404: notFound, ...otherFailures } = failures;
  const content = jsonContent(read(failure));
  return {
    NotFound: { description: notFound, content },
    OtherVersion: { description: failures[412], headers: etagHeader, content },
    Failure: {
      description: Object.entries(otherFailures)
        .map(([status, meaning]) => `- ${status}: ${meaning}`)
        .join('\n'),
      headers: { 'Retry-After': { description: 'Seconds; with 429 and 503.', schema: { type: 'integer' } } },
      content,
    },
  };
}

/** The failures that an operation can have: special failures, and the failures of all operations. */
export function failuresOf(
  path: string,
  endpoint: Endpoint | PublicEndpoint,
  { read }: SchemaReader,
): Operation['responses'] {
  const conflict = conflictOf(endpoint);
  const namesRecord = endpoint.roles !== 'anyone' && (path.includes(':') || endpoint.schema.namesRecord === true);
  const { version } = endpoint.schema;
  return {
    ...(namesRecord && { 404: { $ref: '#/components/responses/NotFound' } }),
    ...((version === 'changed' || version === 'deleted') && { 412: { $ref: '#/components/responses/OtherVersion' } }),
    ...(conflict !== '' && { 409: { description: conflict, content: jsonContent(read(failure)) } }),
    // Not as 4XX and 5XX: the code of some generators does not compile then.
    default: { $ref: '#/components/responses/Failure' },
  };
}

/** A write that may have an `Idempotency-Key` can always clash with another write. */
function conflictOf(endpoint: Endpoint | PublicEndpoint): string {
  const isRepeatable = endpoint.roles !== 'anyone' && endpoint.isIngest === true;
  const used = isRepeatable ? 'The Idempotency-Key was used for another request.' : undefined;
  return [endpoint.schema.conflict, used].filter((text) => text !== undefined).join(' ');
}
