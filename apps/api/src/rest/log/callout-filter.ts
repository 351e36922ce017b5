import type { ProblemDetail } from '@callout/domain/problem';
import { actions, actionsWithoutEvent } from '@callout/domain/event';
import { failedReasons } from '@callout/domain/callout/failed-reason';
import { idOf } from '@callout/database/schema/ids';
import {
  type CalloutFilter,
  calloutKinds,
  type CalloutRange,
  calloutStates,
} from '@callout/domain/callout/callout-filter';
import {
  canonical,
  judged,
  listOf,
  readPeriod,
  readWhole,
  readChoices,
  refuse,
} from '../../http/route/read-parameters.ts';
import { calloutParameters } from './filter-parameters.ts';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { TenantWebhooks } from '@callout/history/log/callouts/callout-candidates';
import type { Parameters } from './filtered-list.ts';

/** The possible actions of a callout. */
const calloutActions = [...actions, ...actionsWithoutEvent] as const;

/** Addresses have to stay short. */
const mostIdsInQuery = 200;
const calloutNames = Object.keys(calloutParameters.shape);

/**
 * Reads the filters of a list of callouts from a query string, whose keys are in lower case. Several states or actions
 * are separated by commas.
 * @throws a 400 Problem with a sentence for every error.
 */
export function calloutFilterOf(query: Readonly<Record<string, string>>): CalloutFilter {
  return judged((problems) => ({
    ...readRange(
      canonical(query, calloutNames),
      { states: listOf(query['state']), reasons: listOf(query['reason']) },
      { states: 'state', reasons: 'reason' },
      problems,
    ),
    ids: readIds(listOf(query['calloutid']), 'calloutID', mostIdsInQuery, problems),
    recordId: readWhole(query['recordid'], 'recordID', 0, problems),
    actions: readChoices(listOf(query['action']), 'action', calloutActions, problems),
    kinds: readChoices(listOf(query['kind']), 'kind', calloutKinds, problems),
    isFailing: readChoices(listOf(query['isfailing']), 'isFailing', ['true'], problems) !== null,
  }));
}

/** The lists of a range, from the body. */
interface RangeLists {
  readonly states: unknown;
  readonly reasons: unknown;
}

/**
 * The period, states, reasons and numbers of a filter or a body; `keys` are the names of the lists. Reasons mean failed
 * callouts, the only callouts with a reason.
 */
export function readRange(
  rangeInput: Readonly<Record<string, unknown>>,
  lists: RangeLists,
  keys: Readonly<Record<keyof RangeLists, string>>,
  problems: ProblemDetail[],
): CalloutRange {
  const reasons = readChoices(lists.reasons, keys.reasons, failedReasons, problems);
  const states = readChoices(lists.states, keys.states, calloutStates, problems);
  if (reasons !== null && states !== null && states.join() !== 'failed') {
    refuse(problems, keys.reasons, `is only for failed callouts: leave ${keys.states} out, or make it failed`);
  }
  const range = {
    ...readPeriod(rangeInput, problems),
    states: reasons === null ? states : (['failed'] as const),
    reasons,
    fromSequence: readWhole(rangeInput['fromSequence'], 'fromSequence', 0, problems),
    toSequence: readWhole(rangeInput['toSequence'], 'toSequence', 0, problems),
  };
  const { fromSequence, toSequence } = range;
  if (fromSequence !== null && toSequence !== null && fromSequence > toSequence) {
    refuse(problems, 'toSequence', `must be ${fromSequence} or more, since fromSequence is`);
  }
  return range;
}

/** The ids of a body, of callouts unless `what` says otherwise; null without ids. */
export function readIds(
  input: unknown,
  key: string,
  most: number,
  problems: ProblemDetail[],
  what = 'ids of callouts',
): string[] | null {
  if (input === undefined || input === null) return null;
  const rangeInput = Array.isArray(input) && input.length <= most ? input : [];
  const ids = rangeInput.flatMap((one: unknown) => (typeof one === 'string' ? (idOf(one) ?? []) : []));
  if (ids.length > 0 && ids.length === rangeInput.length) return ids;
  refuse(problems, key, `must be 1 to ${most} ${what}`);
  return null;
}

/**
 * The webhooks of a tenant in the meaning of a query string, whose keys are in lower case.
 * @throws a 400 Problem with a sentence for every error.
 */
export function tenantWebhooksOf(catalogue: Catalogue, { webhookguid, entitytype }: Parameters): TenantWebhooks {
  return judged((problems) => {
    const guid = webhookguid === undefined ? undefined : idOf(webhookguid);
    if (webhookguid !== undefined && guid === undefined) {
      problems.push({ code: 'invalid', field: 'webhookGUID', message: 'webhookGUID must be the GUID of a webhook' });
    }
    const types = catalogue.watched.map(({ entityType }) => entityType);
    const rangeInput = entitytype === undefined ? undefined : [entitytype];
    const [entityType = null] = readChoices(rangeInput, 'entityType', types, problems) ?? [];
    return { guids: guid === undefined ? null : [guid], entityType };
  });
}
