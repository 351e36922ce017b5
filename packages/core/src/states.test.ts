import { describe, expect, it } from '@jest/globals';
import {
  calloutStates,
  eventStates,
  nextState,
  openCalloutStates,
  statesLeftBy,
  transitions,
  type State,
} from './states.ts';

const states = Object.keys(transitions) as State[];
const nextStates = (state: State): State[] => Object.values(transitions[state]);

/** Every state that some sequence of causes leads to. */
function reachableFrom(start: State): Set<State> {
  const reached = new Set([start]);
  for (const state of reached) for (const next of nextStates(state)) reached.add(next);
  return reached;
}

describe('the table of states', () => {
  it('reaches every stored state of an event and of a callout, and mixes the two nowhere', () => {
    expect(reachableFrom('newEvent')).toEqual(new Set(['newEvent', ...eventStates]));
    expect(reachableFrom('newCallout')).toEqual(new Set(['newCallout', ...calloutStates]));
    expect(states.toSorted()).toEqual(['newEvent', 'newCallout', ...eventStates, ...calloutStates].toSorted());
  });

  it('lets no row become new again', () => {
    expect(states.flatMap(nextStates).filter((state) => state.startsWith('new'))).toEqual([]);
  });

  it('leads every open callout to an end, and to each kind of end', () => {
    for (const state of openCalloutStates) {
      expect([...reachableFrom(state)]).toEqual(expect.arrayContaining(['delivered', 'failed', 'cancelled']));
      expect(nextState(state, 'cancelled')).toBe('cancelled');
    }
  });

  it('sends and settles from due alone, a late success of a cancelled callout apart', () => {
    expect(statesLeftBy('answeredWell')).toEqual(['due', 'cancelled']);
    expect(statesLeftBy('retryScheduled')).toEqual(['due']);
    expect(statesLeftBy('attemptsUsedUp')).toEqual(['due']);
    expect(statesLeftBy('receiverGone')).toEqual(['due']);
    expect(statesLeftBy('cancelled')).toEqual(
      [...openCalloutStates].toSorted((a, b) => states.indexOf(a) - states.indexOf(b)),
    );
  });

  it('redelivers what is closed and nothing that is open', () => {
    expect(statesLeftBy('redelivered')).toEqual(['delivered', 'failed', 'cancelled']);
    expect(statesLeftBy('redeliveredBehindOpenCallout')).toEqual(['delivered', 'failed', 'cancelled']);
  });
});

describe('nextState', () => {
  it('follows one callout through retries, the threshold and a redelivery', () => {
    const causes = [
      'createdBehindOpenCallout',
      'predecessorClosed',
      'thresholdReached',
      'thresholdFreed',
      'retryScheduled',
      'attemptsUsedUp',
      'redelivered',
      'answeredWell',
    ] as const;
    const path: State[] = ['newCallout'];
    for (const cause of causes) path.push(nextState(path.at(-1) ?? 'newCallout', cause));
    expect(path).toEqual(['newCallout', 'waiting', 'due', 'held', 'due', 'due', 'failed', 'due', 'delivered']);
  });

  it.each([
    ['delivered', 'cancelled'],
    ['failed', 'answeredWell'],
    ['waiting', 'answeredWell'],
    ['held', 'retryScheduled'],
    ['matched', 'verdictsStored'],
    ['due', 'redelivered'],
  ] as const)('refuses to leave %s by %s', (from, cause) => {
    expect(() => nextState(from, cause)).toThrow(`No transition leads from ${from} by ${cause}`);
  });

  it('takes no inherited property for a cause', () => {
    expect(() => nextState('due', 'constructor' as 'cancelled')).toThrow('No transition leads from due by constructor');
  });
});
