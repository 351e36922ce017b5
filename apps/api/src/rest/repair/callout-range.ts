import { actions } from '@callout/domain/event';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { unknownKeysOf, type UnknownName } from '@callout/domain/input/unknown-names';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import type { ProblemDetail } from '@callout/domain/problem';
import type { TenantWebhooks } from '@callout/history/log/callouts/callout-candidates';
import { judged, readWhole, readChoices, refuse } from '../../http/route/read-parameters.ts';
import { readIds, readRange } from '../log/callout-filter.ts';
import { calloutRange, maxNamedCallouts, maxNamedWebhooks, tenantRedelivery } from './repair-schemas.ts';

const rangeLists = { states: 'states', reasons: 'reasons' };
const rangeKeys = Object.keys(calloutRange.shape);
const known = knownOf([...rangeKeys, 'dryRun', 'include']);
const tenantKeys = Object.keys(tenantRedelivery.shape).filter((key) => key !== 'dryRun');
const knownOfTenant = knownOf([...rangeKeys, ...tenantKeys, 'dryRun']);

function knownOf(keys: readonly string[]) {
  return knownKeys(Object.fromEntries(keys.map((key) => [key, null])));
}

/** The callouts that a request about many of them means. */
export interface GivenRange {
  readonly range: CalloutRange;
  /** Nothing is to be changed. */
  readonly isDryRun: boolean;
  /** What the webhook missed while it was inactive is meant as well; absent: it is not. */
  readonly withInactive?: boolean;
  readonly unknownNames: readonly UnknownName[];
}

interface RangeOptions {
  /** An empty body means every callout; one of misspelled keys alone is still refused. */
  readonly mayBeEmpty?: boolean;
  /** It is about open callouts, which have not failed, and it cannot be tried without doing it. */
  readonly isOfOpen?: boolean;
}

/**
 * Reads the callouts that a request about many of them means, such as `{"since","states"}`.
 * `since` is part of the range and `until` is not; both ends of the sequence are. Absent and null are no bound, and one
 * at least is needed: a body of misspelled keys alone would mean every callout.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function calloutRangeOfBody(
  body: unknown,
  { mayBeEmpty = false, isOfOpen = false }: RangeOptions = {},
): GivenRange {
  const given = foldKeys(body ?? {}, known);
  const unknownNames = unknownKeysOf(body, known);
  return judged((problems) => {
    const isEmpty = isUnbounded(given, rangeKeys);
    if (isEmpty && !(mayBeEmpty && unknownNames.length === 0)) requireOne(rangeKeys, problems);
    if (isOfOpen) {
      for (const key of ['reasons', 'dryRun', 'include'].filter((one) => (given[one] ?? false) !== false)) {
        refuse(problems, key, 'is only for redeliver: this is about open callouts');
      }
    }
    const withInactive = includesInactive(given, problems);
    return { range: rangeOf(given, problems), isDryRun: isDryRunOf(given, problems), withInactive, unknownNames };
  });
}

/**
 * Reads the same across webhooks, such as `{"reasons","webhookGUIDs"}`.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function tenantRangeOfBody(
  body: unknown,
  entityTypes: readonly string[],
): GivenRange & { readonly webhooks: TenantWebhooks } {
  const given = foldKeys(body ?? {}, knownOfTenant);
  const unknownNames = unknownKeysOf(body, knownOfTenant);
  return judged((problems) => {
    if (isUnbounded(given, tenantKeys)) requireOne(tenantKeys, problems);
    for (const key of ['fromSequence', 'toSequence'].filter((one) => (given[one] ?? null) !== null)) {
      refuse(problems, key, 'is a number within one webhook: use POST /{Webhooks}/{id}/redeliver');
    }
    const { entityType } = given;
    const [type = null] = readChoices(entityType && [entityType], 'entityType', entityTypes, problems) ?? [];
    const webhooks = {
      guids: readIds(given['webhookGUIDs'], 'webhookGUIDs', maxNamedWebhooks, problems, 'GUIDs of webhooks'),
      entityType: type,
    };
    return { range: rangeOf(given, problems), isDryRun: isDryRunOf(given, problems), unknownNames, webhooks };
  });
}

function isUnbounded(given: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  return keys.every((key) => (given[key] ?? null) === null);
}

function requireOne(keys: readonly string[], problems: ProblemDetail[]): void {
  const message = `Say which callouts are meant: give at least one of ${keys.join(', ')}`;
  problems.push({ code: 'required', message });
}

function rangeOf(given: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): CalloutRange {
  return {
    ...readRange(given, { states: given['states'], reasons: given['reasons'] }, rangeLists, problems),
    recordId: readWhole(given['recordID'], 'recordID', 0, problems),
    actions: readChoices(given['actions'], 'actions', actions, problems),
    ids: readIds(given['calloutIDs'], 'calloutIDs', maxNamedCallouts, problems),
  };
}

/** Keys that name callouts, which what was missed while inactive has none of. */
const keysOfCallouts = ['fromSequence', 'toSequence', 'calloutIDs', 'reasons'];

function includesInactive(given: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): boolean {
  if (readChoices(given['include'], 'include', ['inactive'], problems) === null) return false;
  if ((given['since'] ?? null) === null) refuse(problems, 'since', 'is needed with include: from when on');
  for (const key of keysOfCallouts.filter((one) => (given[one] ?? null) !== null)) {
    refuse(problems, key, 'cannot be used with include: changes while the webhook was inactive have no callouts yet');
  }
  return true;
}

function isDryRunOf({ dryRun = null }: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): boolean {
  if (dryRun !== null && typeof dryRun !== 'boolean') refuse(problems, 'dryRun', 'must be true or false');
  return dryRun === true;
}

/** A range in responses: the common keys, and the given ones of the others. */
export function rangeItem({ recordId, actions: given, ids, reasons, ...range }: CalloutRange) {
  return {
    ...range,
    ...(recordId !== null && { recordID: recordId }),
    ...(given !== null && { actions: given }),
    ...(ids !== null && { calloutIDs: ids }),
    ...(reasons !== null && { reasons }),
  };
}
