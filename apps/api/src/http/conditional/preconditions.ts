import type { IncomingHttpHeaders } from 'node:http';
import type { RowWatch } from '@callout/database/row-watch';
import { Problem } from '@callout/domain/problem';
import type { ApiResponse } from '../api-response.ts';
import { HttpProblem } from '../http-problem.ts';
import { readTags, type GivenTags } from './entity-tag.ts';

/**
 * The preconditions of a request (RFC 9110, 13.1); without a header the precondition holds. The `fresh` of Express
 * compares `If-None-Match` of reads alone, and two writers would overwrite each other (`versioned-writes.test.ts`).
 */
export interface Preconditions {
  readonly ifMatch?: GivenTags | undefined;
  readonly ifNoneMatch?: GivenTags | undefined;
}

/**
 * Reads the preconditions of a write. Dates are not compared: no response has a `Last-Modified`.
 * @throws a Problem 400 for a header that is no list of tags: ignoring the header would lose the change that the client
 * protects.
 */
export function preconditionsOf(headers: IncomingHttpHeaders): Preconditions {
  return { ifMatch: tagsOf(headers, 'If-Match'), ifNoneMatch: tagsOf(headers, 'If-None-Match') };
}

/**
 * The preconditions of a read, where an invalid `If-None-Match` is ignored: the answer is complete then.
 * @throws a Problem 400 for an `If-Match` that is no list of tags.
 */
export function preconditionsOfRead(headers: IncomingHttpHeaders): Preconditions {
  const { 'if-none-match': ifNoneMatch } = headers;
  return {
    ifMatch: tagsOf(headers, 'If-Match'),
    ifNoneMatch: ifNoneMatch === undefined ? undefined : readTags(ifNoneMatch),
  };
}

function tagsOf(headers: IncomingHttpHeaders, name: 'If-Match' | 'If-None-Match'): GivenTags | undefined {
  const value = headers[name.toLowerCase() as Lowercase<typeof name>];
  if (value === undefined) return undefined;
  const tags = readTags(value);
  if (tags !== undefined) return tags;
  const form = `* or one or more ETags in double quotes, such as ${name}: "abc"`;
  throw Problem.invalid(`${name} must be ${form}`, name);
}

/**
 * Throws 412 where `If-Match` names other versions only. Tags are compared strongly: a weak tag never matches.
 * @param present the tag of the stored version.
 */
export function refuseOtherVersions({ ifMatch }: Preconditions, present: string): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  if (ifMatch.some(({ isWeak, opaque }) => !isWeak && opaque === present)) return;
  const isWeakened = ifMatch.some(({ opaque }) => opaque === present);
  const why = isWeakened
    ? 'If-Match names it as a weak ETag (W/), which never matches: something between has weakened it'
    : 'If-Match names another one: it has been changed since. Read it again, and make your change of what it is now';
  throw HttpProblem.preconditionFailed(`The present version is ${present}. ${why}`, present);
}

/** Whether `If-None-Match` names the present version. Tags are compared weakly. */
export function isNamed({ ifNoneMatch }: Preconditions, present: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.some(({ opaque }) => opaque === present);
}

/**
 * Refuses a write of something without versions, like a record, where a precondition is false: no tag of `If-Match` can
 * match, and `If-None-Match: *` excludes the row to be changed (RFC 9110, 13.1). Ignoring the header would lose the
 * change that the client protects.
 * @param creates whether the write makes something new, which `*` cannot exclude.
 * @throws a Problem 412; 400 for a header that is no list of tags.
 */
export function refuseVersions(headers: IncomingHttpHeaders, creates: boolean): void {
  const { ifMatch, ifNoneMatch } = preconditionsOf(headers);
  const name = Array.isArray(ifMatch) ? 'If-Match' : ifNoneMatch === '*' && !creates ? 'If-None-Match' : undefined;
  if (name === undefined) return;
  throw HttpProblem.preconditionFailed(
    `What this request writes has no version, so ${name} never holds. Nothing is changed: leave ${name} out`,
  );
}

/** The preconditions of a write, and the tag of the written row. */
export interface VersionedWrite<Row> {
  /** Compares the stored row under the row lock: of two writes of a version, the second is refused. */
  readonly watch: Required<RowWatch<Row>>;
  /** A response with the `ETag` of the row after the write. */
  readonly tagged: (response: ApiResponse) => ApiResponse;
}

/** @param tagOf the tag of the row in reads. */
export function versionedWrite<Row>(preconditions: Preconditions, tagOf: (row: Row) => string): VersionedWrite<Row> {
  let written: string | undefined;
  return {
    watch: {
      before(row) {
        const present = tagOf(row);
        refuseOtherVersions(preconditions, present);
        if (isNamed(preconditions, present)) {
          const message = `The present version is ${present}, which If-None-Match excludes`;
          throw HttpProblem.preconditionFailed(message, present);
        }
      },
      after(row) {
        written = tagOf(row);
      },
    },
    tagged: (response) => (written === undefined ? response : withTag(response, written)),
  };
}

/** A response with an `ETag`. */
export function withTag(response: ApiResponse, tag: string): ApiResponse {
  return { ...response, headers: { ...response.headers, ETag: tag } };
}
