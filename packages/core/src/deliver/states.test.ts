import { describe, expect, it } from '@jest/globals';
import { transitions, type State } from './states.ts';

const eventStates = ['pending', 'matched'];
const openStates: State[] = ['waiting', 'held', 'due'];
const ends = ['delivered', 'failed', 'cancelled'];

const states = Object.keys(transitions) as State[];
const nextStates = (state: State): State[] => Object.values(transitions[state]);
const statesLeftBy = (cause: string): State[] => states.filter((state) => Object.hasOwn(transitions[state], cause));

/** Every state that some sequence of causes leads to. */
function reachableFrom(start: State): Set<State> {
  const reached = new Set([start]);
  for (const state of reached) for (const next of nextStates(state)) reached.add(next);
  return reached;
}

describe('the table of states', () => {
  it('reaches every stored state of an event and of a callout, and mixes the two nowhere', () => {
    expect(reachableFrom('newEvent')).toEqual(new Set(['newEvent', ...eventStates]));
    expect(reachableFrom('newCallout')).toEqual(new Set(['newCallout', ...openStates, ...ends]));
    expect(states.toSorted()).toEqual(['newEvent', 'newCallout', ...eventStates, ...openStates, ...ends].toSorted());
  });

  it('lets no row become new again', () => {
    expect(states.flatMap(nextStates).filter((state) => state.startsWith('new'))).toEqual([]);
  });

  it('leads every open callout to each kind of end, and lets every one be cancelled', () => {
    for (const state of openStates) expect([...reachableFrom(state)]).toEqual(expect.arrayContaining(ends));
    expect(statesLeftBy('cancelled').toSorted()).toEqual(openStates.toSorted());
  });

  it('settles what is due, what was overtaken while it was being sent, and a late success of a cancelled callout', () => {
    expect(statesLeftBy('answeredWell')).toEqual(['waiting', 'due', 'cancelled']);
    for (const cause of ['retryScheduled', 'attemptsUsedUp', 'receiverGone'])
      expect(statesLeftBy(cause)).toEqual(['waiting', 'due']);
    expect(transitions.waiting.retryScheduled).toBe('waiting');
  });

  it('redelivers what is closed and nothing that is open', () => {
    expect(statesLeftBy('redelivered')).toEqual(ends);
    expect(statesLeftBy('redeliveredBehindOpenCallout')).toEqual(ends);
  });
});
