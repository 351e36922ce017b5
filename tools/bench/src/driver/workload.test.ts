import { describe, expect, it } from '@jest/globals';
import { eventOf, runWorkload, warmUpWorkload, type Workload } from './workload.ts';

interface SentEvent {
  eventID: string;
  entityType: string;
  action: string;
  id: number;
  fields: Record<string, string>;
}

const workloads = { warm: warmUpWorkload(1000), run: runWorkload(1000) };

function eventsOf(workload: Workload, from = 0, to = workload.events): SentEvent[] {
  const { events } = JSON.parse(workload.body(from, to).toString()) as { events: SentEvent[] };
  return events;
}

describe('the workloads', () => {
  it('creates every record in the warm-up, and changes only those or makes new ones in the run', () => {
    const created = eventsOf(workloads.warm);
    expect(created.map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
    const known = new Set(created.map(({ id }) => id));
    for (const { action, id } of eventsOf(workloads.run)) {
      expect(known.has(id)).toBe(action === 'Update');
      known.add(id);
    }
  });

  it('goes on with changes when the warm-up is longer than that', () => {
    const longer = warmUpWorkload(1000, 700);
    const [created, changed] = [eventsOf(longer, 0, 250), eventsOf(longer, 250)];
    expect(created).toEqual(eventsOf(workloads.warm));
    expect(changed).toHaveLength(450);
    expect(changed.every(({ action, id }) => action === 'Update' && id >= 1 && id <= 250)).toBe(true);
  });

  it('changes the subscribed field in every event', () => {
    const lastValues = new Map<number, string | undefined>();
    for (const { id, fields } of [...eventsOf(workloads.warm), ...eventsOf(workloads.run)]) {
      expect(fields['companyNumber']).toHaveLength(12);
      expect(fields['companyNumber']).not.toBe(lastValues.get(id));
      lastValues.set(id, fields['companyNumber']);
    }
  });

  it('changes some records again soon, so that their order is put to the test', () => {
    const ids = eventsOf(workloads.run, 0, 100).map(({ id }) => id);
    expect(new Set(ids).size).toBeLessThan(ids.length);
  });

  it('carries the whole record, with text of the length that makes the payload', () => {
    const texts = eventsOf(workloads.run).map(({ fields }) => fields['address1']);
    expect(new Set(texts.map((text) => text?.length))).toEqual(new Set([128]));
    expect(new Set(texts).size).toBeGreaterThan(100);
  });

  it('is the same in every run, however it is cut into requests', () => {
    const again = runWorkload(1000);
    expect([...eventsOf(again, 0, 1), ...eventsOf(again, 1, 1000)]).toEqual(eventsOf(workloads.run));
  });

  it('numbers its events so that the receiver knows them again', () => {
    const [event] = eventsOf(workloads.run, 7, 8);
    expect(eventOf(event?.eventID ?? '')).toEqual({ phase: 'run1', event: 7 });
    expect(eventOf('0191c5f0-5b1e-7000-8000-000000000000')).toBeUndefined();
  });

  it('repeats no event, value or new company in the next turn', () => {
    const [first, second] = [eventsOf(workloads.run), eventsOf(runWorkload(1000, 2))];
    const keys = [...first, ...second].flatMap(({ eventID, action, id, fields }) => [
      ...[eventID, fields['companyNumber']],
      ...(action === 'Create' ? [id] : []),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('works with a single event', () => {
    const events = [...eventsOf(warmUpWorkload(1)), ...eventsOf(runWorkload(1))];
    expect(events.map(({ action, id }) => [action, id])).toEqual([
      ['Create', 1],
      ['Update', 1],
    ]);
  });
});
