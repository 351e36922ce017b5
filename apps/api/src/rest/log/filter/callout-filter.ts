import type { ProblemDetail } from '@callout/domain/problem/problem';
import { actions, actionsWithoutEvent } from '@callout/domain/event/event';
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
} from '../../../http/route/read-parameters.ts';
import { calloutParameters } from './filter-parameters.ts';

/** The possible actions of a callout. */
const calloutActions = [...actions, ...actionsWithoutEvent] as const;

const calloutNames = Object.keys(calloutParameters.shape);

/**
 * Reads the filters of a list of callouts from a query string, whose keys are in lower case. Several states or actions
 * are separated by commas.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function calloutFilterOf(query: Readonly<Record<string, string>>): CalloutFilter {
  return judged((problems) => ({
    ...readRange(canonical(query, calloutNames), listOf(query['state']), 'state', problems),
    recordId: readWhole(query['recordid'], 'recordID', 0, problems),
    actions: readChoices(listOf(query['action']), 'action', calloutActions, problems),
    kinds: readChoices(listOf(query['kind']), 'kind', calloutKinds, problems),
    isFailing: readChoices(listOf(query['isfailing']), 'isFailing', ['true'], problems) !== null,
  }));
}

/** The period, states and numbers of a filter or a body; `statesKey` is the name of its states. */
export function readRange(
  given: Readonly<Record<string, unknown>>,
  states: unknown,
  statesKey: string,
  problems: ProblemDetail[],
): CalloutRange {
  const range = {
    ...readPeriod(given, problems),
    states: readChoices(states, statesKey, calloutStates, problems),
    fromSequence: readWhole(given['fromSequence'], 'fromSequence', 0, problems),
    toSequence: readWhole(given['toSequence'], 'toSequence', 0, problems),
  };
  const { fromSequence, toSequence } = range;
  if (fromSequence !== null && toSequence !== null && fromSequence > toSequence) {
    refuse(problems, 'toSequence', `must be ${fromSequence} or more, since fromSequence is`);
  }
  return range;
}
