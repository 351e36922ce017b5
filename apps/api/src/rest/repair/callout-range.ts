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
const keysOfWebhook = knownOf([...rangeKeys, 'dryRun', 'include']);
const tenantKeys = Object.keys(tenantRedelivery.shape).filter((key) => key !== 'dryRun');
const knownOfTenant = knownOf([...rangeKeys, ...tenantKeys, 'dryRun']);

function knownOf(keys: readonly string[]) {
  return knownKeys(Object.fromEntries(keys.map((key) => [key, null])));
}

/** The callouts in the meaning of a request about many callouts. */
export interface GivenRange {
  readonly range: CalloutRange;
  /** Nothing is to be changed. */
  readonly isDryRun: boolean;
  /** Whether the missed events of an inactive time are meant as well; absent: no. */
  readonly withInactive?: boolean;
  readonly unknownNames: readonly UnknownName[];
}

interface RangeOptions {
  /** An empty body means every callout; a body of misspelled keys alone is still refused. */
  readonly mayBeEmpty?: boolean;
  /** The request is about open callouts, which have not failed, and has no dry run. */
  readonly isOfOpen?: boolean;
}

/**
 * Reads the range of a request about many callouts, like `{"since","states"}`. `since` is part of the range and `until`
 * is not; both ends of the sequence are. Absent and null are no bound, and a bound is needed: a body of misspelled keys
 * alone would mean every callout.
 * @throws a 400 Problem with a sentence for every error.
 */
export function calloutRangeOfBody(
  body: unknown,
  { mayBeEmpty = false, isOfOpen = false }: RangeOptions = {},
): GivenRange {
  const bodyFields = foldKeys(body ?? {}, keysOfWebhook);
  const unknownNames = unknownKeysOf(body, keysOfWebhook);
  return judged((problems) => {
    const isEmpty = isUnbounded(bodyFields, rangeKeys);
    if (isEmpty && !(mayBeEmpty && unknownNames.length === 0)) requireOne(rangeKeys, problems);
    if (isOfOpen) {
      for (const key of ['reasons', 'dryRun', 'include'].filter((one) => (bodyFields[one] ?? false) !== false)) {
        refuse(problems, key, 'is only for redeliver: this is about open callouts');
      }
    }
    const withInactive = includesInactive(bodyFields, problems);
    return {
      range: rangeOf(bodyFields, problems),
      isDryRun: isDryRunOf(bodyFields, problems),
      withInactive,
      unknownNames,
    };
  });
}

/**
 * Reads a range across webhooks, like `{"reasons","webhookGUIDs"}`.
 * @throws a 400 Problem with a sentence for every error.
 */
export function tenantRangeOfBody(
  body: unknown,
  entityTypes: readonly string[],
): GivenRange & { readonly webhooks: TenantWebhooks } {
  const bodyFields = foldKeys(body ?? {}, knownOfTenant);
  const unknownNames = unknownKeysOf(body, knownOfTenant);
  return judged((problems) => {
    if (isUnbounded(bodyFields, tenantKeys)) requireOne(tenantKeys, problems);
    for (const key of ['fromSequence', 'toSequence'].filter((one) => (bodyFields[one] ?? null) !== null)) {
      refuse(problems, key, 'is a number within one webhook: use POST /{Webhooks}/{id}/redeliver');
    }
    const { entityType } = bodyFields;
    const [type = null] = readChoices(entityType && [entityType], 'entityType', entityTypes, problems) ?? [];
    const webhooks = {
      guids: readIds(bodyFields['webhookGUIDs'], 'webhookGUIDs', maxNamedWebhooks, problems, 'GUIDs of webhooks'),
      entityType: type,
    };
    return { range: rangeOf(bodyFields, problems), isDryRun: isDryRunOf(bodyFields, problems), unknownNames, webhooks };
  });
}

function isUnbounded(bodyFields: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  return keys.every((key) => (bodyFields[key] ?? null) === null);
}

function requireOne(keys: readonly string[], problems: ProblemDetail[]): void {
  const message = `Say which callouts are meant: give at least one of ${keys.join(', ')}`;
  problems.push({ code: 'required', message });
}

function rangeOf(bodyFields: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): CalloutRange {
  return {
    ...readRange(bodyFields, { states: bodyFields['states'], reasons: bodyFields['reasons'] }, rangeLists, problems),
    recordId: readWhole(bodyFields['recordID'], 'recordID', 0, problems),
    actions: readChoices(bodyFields['actions'], 'actions', actions, problems),
    ids: readIds(bodyFields['calloutIDs'], 'calloutIDs', maxNamedCallouts, problems),
  };
}

/** Keys about stored callouts: missed events have no callouts. */
const keysOfCallouts = ['fromSequence', 'toSequence', 'calloutIDs', 'reasons'];

function includesInactive(bodyFields: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): boolean {
  if (readChoices(bodyFields['include'], 'include', ['inactive'], problems) === null) return false;
  if ((bodyFields['since'] ?? null) === null) refuse(problems, 'since', 'is needed with include: from when on');
  for (const key of keysOfCallouts.filter((one) => (bodyFields[one] ?? null) !== null)) {
    refuse(problems, key, 'cannot be used with include: changes while the webhook was inactive have no callouts yet');
  }
  return true;
}

function isDryRunOf({ dryRun = null }: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): boolean {
  if (dryRun !== null && typeof dryRun !== 'boolean') refuse(problems, 'dryRun', 'must be true or false');
  return dryRun === true;
}

/** A range in responses: the common keys, and the given ones of the others. */
export function rangeItem({ recordId, actions: bodyFields, ids, reasons, ...range }: CalloutRange) {
  return {
    ...range,
    ...(recordId !== null && { recordID: recordId }),
    ...(bodyFields !== null && { actions: bodyFields }),
    ...(ids !== null && { calloutIDs: ids }),
    ...(reasons !== null && { reasons }),
  };
}
