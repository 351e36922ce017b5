import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type PayloadInput, type PayloadLayout, referenceFields, shownValues } from '@callout/domain/callout/payload';
import type { Action } from '@callout/domain/event';
import type { FieldValue, FieldValues } from '@callout/domain/values/values';
import { values } from '@callout/database/fixtures/tenant';
import { carriedBy, type Carried, mergeEvent, type MergedEvent, mostCarried } from './net-change.rules.ts';
import { type EndedCallout, type Confirmed, confirmedBy } from '../sent-values.rules.ts';

const payloadFields = (input: PayloadInput, of: PayloadLayout) => referenceFields(shownValues(input, of));

/** `city` and `phone` are subscribed, `name` is displayed always, and the user-defined field 4 is both. */
const layout: PayloadLayout = {
  fields: [
    { name: 'city', key: 'City', isSubscribed: true, isDisplayAlways: false },
    { name: 'phone', key: 'Phone', isSubscribed: true, isDisplayAlways: false },
    { name: 'name', key: 'Name', isSubscribed: false, isDisplayAlways: true },
  ],
  udfFields: [{ udfId: 4, key: 'Region', isSubscribed: true, isDisplayAlways: true }],
};

type Known = Record<string, FieldValue>;

/** An event that gives these values to fields of a record; the number 4 names the user-defined field. */
function eventOf(action: Action, before: Known, after: Known, eventId = 'e'): MergedEvent {
  const changed = action === 'Update' ? Object.keys(after).filter((name) => after[name] !== before[name]) : [];
  const isUdf = (name: string) => name === '4';
  const only = (known: Known, udf: boolean): FieldValues =>
    values(Object.fromEntries(Object.entries(known).filter(([name]) => isUdf(name) === udf)));
  const previous = Object.fromEntries(
    changed.flatMap((name) => (name in before ? [[name, before[name] ?? null]] : [])),
  );
  return {
    action,
    eventId,
    fields: only(after, false),
    udfFields: only(after, true),
    changedFields: changed.filter((name) => !isUdf(name)),
    changedUdfs: changed.filter(isUdf).map(Number),
    previous: { fields: only(previous, false), udfFields: only(previous, true) },
  };
}

const confirmed = (known: Known, isGone = false): Confirmed => ({ values: new Map(Object.entries(known)), isGone });
const update = (before: Known, after: Known, eventId = 'e') =>
  eventOf('Update', before, { ...before, ...after }, eventId);

/** Merges two events. Returns the action and fields, or the outcome. */
function merged(first: MergedEvent, second: MergedEvent, known: Confirmed = confirmed({})) {
  const change = mergeEvent(carriedBy(first, layout), second, layout, known, () => undefined);
  if (change.kind !== 'carried') return change.kind;
  return [change.carried.action, { ...payloadFields(change.input, layout) }];
}

describe('a change that is merged into a callout', () => {
  const record = { city: 'Oslo', phone: '1', name: 'Acme', 4: 'North' };

  it('shows every subscribed field that has changed, with the newest values', () => {
    const moved = update(record, { city: 'Bergen' });
    const renamed = update({ ...record, city: 'Bergen' }, { name: 'Acme AS', phone: '2' });
    expect(merged(moved, renamed)).toEqual([
      'Update',
      { City: 'Bergen', Phone: '2', Name: 'Acme AS', Region: 'North' },
    ]);
  });

  it('makes an update after a create a create, and a delete after an update a delete', () => {
    const [created, changed] = [eventOf('Create', {}, record), update(record, { city: null })];
    expect(merged(created, changed)).toEqual(['Create', { City: null, Phone: '1', Name: 'Acme', Region: 'North' }]);
    expect(merged(changed, eventOf('Delete', record, record))).toEqual(['Delete', {}]);
  });

  it('makes a delete after a create nothing, where the receiver is known not to have the record', () => {
    const [created, removed] = [eventOf('Create', {}, record), eventOf('Delete', record, record)];
    expect(merged(created, removed, confirmed({}, true))).toBe('nothing');
    expect(merged(created, removed)).toEqual(['Delete', {}]);
  });

  it.each<[Action, Action]>([
    ['Delete', 'Create'],
    ['Delete', 'Delete'],
    ['Create', 'Create'],
    ['Update', 'Create'],
  ])('stays apart: %s, then %s', (first, second) => {
    expect(merged(eventOf(first, {}, record), eventOf(second, {}, record), confirmed({}, true))).toBe('apart');
  });

  it('drops a field that returns to the value that the receiver has confirmed', () => {
    const [there, back] = [
      update(record, { city: 'Bergen', phone: '2' }),
      update({ ...record, city: 'Bergen' }, record),
    ];
    expect(
      merged(
        there,
        { ...back, changedFields: ['city'], fields: values({ ...record, phone: '2' }) },
        confirmed({ City: 'Oslo' }),
      ),
    ).toEqual(['Update', { Phone: '2', Name: 'Acme', Region: 'North' }]);
  });

  it('makes an update that returns to what the receiver has confirmed nothing, unless a displayed value is news', () => {
    const [there, back] = [update(record, { city: 'Bergen' }), update({ ...record, city: 'Bergen' }, { city: 'Oslo' })];
    const all = { City: 'Oslo', Name: 'Acme', Region: 'North' };
    expect(merged(there, back, confirmed(all))).toBe('nothing');
    expect(merged(there, back, confirmed({ ...all, Name: 'Acne' }))).toEqual([
      'Update',
      { Name: 'Acme', Region: 'North' },
    ]);
    // Perhaps it was never confirmed, since the callout failed.
    expect(merged(there, back)).toEqual(['Update', { City: 'Oslo', Name: 'Acme', Region: 'North' }]);
  });

  it('asks what the receiver has confirmed only where it matters', () => {
    const asks = (first: MergedEvent, second: MergedEvent): boolean => {
      let asked = false;
      mergeEvent(carriedBy(first, layout), second, layout, undefined, () => (asked = true));
      return asked;
    };
    const there = update(record, { city: 'Bergen' });
    const bergen = { ...record, city: 'Bergen' };
    expect(asks(there, update(bergen, { city: 'Oslo' }))).toBe(true);
    expect(asks(there, update(bergen, { city: 'Bodo' }))).toBe(false);
    expect(asks(there, eventOf('Delete', bergen, bergen))).toBe(false);
    expect(asks(eventOf('Create', {}, record), eventOf('Delete', record, record))).toBe(true);
  });

  it('keeps what a field was before the first change of it', () => {
    const first = carriedBy(update(record, { city: 'Bergen' }), layout);
    const change = mergeEvent(
      first,
      update({ ...record, city: 'Bergen' }, { city: 'Bodo', phone: null }),
      layout,
      confirmed({}),
      () => 0,
    );
    expect(change).toMatchObject({ carried: { previous: { fields: { city: 'Oslo', phone: '1' } } } });
  });

  it('says nothing of what a field was that is dropped', () => {
    const first = carriedBy(update(record, { city: 'Bergen', phone: '2', 4: 'South' }), layout);
    const after = { ...record, city: 'Bergen', phone: '2', 4: 'South' };
    const change = mergeEvent(
      first,
      update(after, { city: 'Oslo', 4: 'North' }),
      layout,
      confirmed({ City: 'Oslo', Region: 'North' }),
      () => 0,
    );
    if (change.kind !== 'carried') throw new Error(change.kind);
    const previous = { fields: { phone: '1' }, udfFields: {} };
    expect(change.carried).toMatchObject({ changedFields: ['phone'], changedUdfs: [] });
    expect(change.carried.previous).toEqual({ fields: values(previous.fields), udfFields: values({}) });
  });

  it('says nothing of a field that is not known any more, since its record began anew without a callout', () => {
    const first = carriedBy(update(record, { city: 'Bergen' }), layout);
    const change = mergeEvent(first, eventOf('Update', {}, { phone: '2' }), layout, confirmed({}), () => 0);
    if (change.kind !== 'carried') throw new Error(change.kind);
    expect(change.carried.changedFields).toEqual(['phone']);
    expect(change.carried.previous.fields).toEqual(values({}));
  });

  it('is not merged into a callout that carries as many events as one may', () => {
    const full = {
      ...carriedBy(update(record, { city: 'B' }), layout),
      eventIds: Array<string>(mostCarried).fill('e'),
    };
    expect(mergeEvent(full, update(record, { city: 'C' }), layout, confirmed({}), () => 0).kind).toBe('apart');
  });
});

describe('what a receiver has confirmed', () => {
  const callout = (state: EndedCallout['state'], action: Action, fields: Known | null): EndedCallout => ({
    state,
    action,
    body: fields && JSON.stringify({ Action: action, Fields: fields }),
  });
  const values_ = (...callouts: EndedCallout[]) => Object.fromEntries(confirmedBy(callouts).values);

  it('is the last value of each field, if its callout was delivered', () => {
    expect(
      values_(
        callout('delivered', 'Update', { City: 'Oslo' }),
        callout('failed', 'Update', { City: 'Bodo', Phone: '2' }),
        callout('cancelled', 'Update', { Name: 'X' }),
        callout('delivered', 'Update', { City: 'Bergen', Phone: '1', Name: 'Y', Region: 'North' }),
      ),
    ).toEqual({ City: 'Oslo', Region: 'North' });
  });

  it('is not looked for beyond a create, a delete, or a callout whose body is gone', () => {
    const older = callout('delivered', 'Update', { City: 'Oslo' });
    for (const before of [
      callout('delivered', 'Create', {}),
      callout('failed', 'Delete', {}),
      callout('failed', 'Update', null),
    ]) {
      expect(values_(callout('delivered', 'Update', { Phone: '1' }), before, older)).toEqual({ Phone: '1' });
    }
  });

  it('is not looked for beyond a callout of another format, whose keys are others', () => {
    const typed = (city: string): EndedCallout => ({
      state: 'delivered',
      action: 'Update',
      body: JSON.stringify({ action: 'Update', fields: { city }, userDefinedFields: {} }),
    });
    const older = callout('delivered', 'Update', { City: 'Oslo' });
    expect(values_(typed('Bergen'), older)).toEqual({ city: 'Bergen' });
    expect(values_(callout('delivered', 'Update', { Phone: '1' }), typed('Bergen'), older)).toEqual({ Phone: '1' });
  });

  it.each<[boolean, EndedCallout[]]>([
    [true, []],
    [true, [callout('delivered', 'Delete', {}), callout('delivered', 'Update', {})]],
    [false, [callout('failed', 'Delete', {})]],
    [false, [callout('cancelled', 'Create', {})]],
  ])('that it has no record: %s', (isGone, callouts) => {
    expect(confirmedBy(callouts).isGone).toBe(isGone);
  });
});

/** What becomes of a record at a receiver that gets these callouts. */
type Held = Known | undefined;
function receive(held: Held, action: Action, fields: Known): Held {
  if (action === 'Delete') return undefined;
  return action === 'Create' ? fields : { ...held, ...fields };
}

describe('for random histories of changes, outages and attempts', () => {
  const names = ['city', 'phone', 'name', '4', 'other'];
  const value = fc.constantFrom(null, 'x', 'y');
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('change' as const), name: fc.constantFrom(...names), value }),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom({ kind: 'toggle' as const }, { kind: 'try' as const }, { kind: 'deliver' as const }),
    },
  );

  /** An open callout; tried ones never change. */
  interface Open {
    carried: Carried;
    fields: Known;
    isTried: boolean;
  }

  it('a receiver of merged callouts ends with the values of one that got everything, by no more callouts', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, exists) => {
        let record: Held = exists ? { city: 'x', phone: 'x', name: 'x', 4: 'x', other: 'x' } : undefined;
        const shown = (known: Known) => ({ ...payloadFields({ ...eventOf('Create', {}, known) }, layout) });
        const [start, history]: [Held, EndedCallout[]] = [record && shown(record), []];
        if (record)
          history.unshift({ action: 'Create', state: 'delivered', body: JSON.stringify({ Fields: shown(record) }) });
        let everything = start;
        let merging = start;
        const open: Open[] = [];
        let events = 0;
        let sent = 0;

        const deliver = (): void => {
          const head = open.shift();
          if (head === undefined) return;
          sent += 1;
          merging = receive(merging, head.carried.action, head.fields);
          history.unshift({
            action: head.carried.action,
            state: 'delivered',
            body: JSON.stringify({ Fields: head.fields }),
          });
        };
        const happen = (event: MergedEvent): void => {
          const own = carriedBy(event, layout);
          // An update of a field that nobody is subscribed to makes no callout.
          if (event.action === 'Update' && own.changedFields.length + own.changedUdfs.length === 0) return;
          events += 1;
          const fields = { ...payloadFields(event, layout) };
          everything = receive(everything, event.action, fields);
          const last = open.at(-1);
          const known = open.length === 1 ? confirmedBy(history) : confirmed({});
          const change = last?.isTried === false ? mergeEvent(last.carried, event, layout, known, () => 0) : null;
          if (change === null || change.kind === 'apart') open.push({ carried: own, fields, isTried: false });
          else if (change.kind === 'nothing') open.pop();
          else
            Object.assign(last ?? {}, { carried: change.carried, fields: { ...payloadFields(change.input, layout) } });
        };

        for (const one of steps) {
          if (one.kind === 'deliver') deliver();
          else if (one.kind === 'try') Object.assign(open[0] ?? {}, { isTried: true });
          else if (one.kind === 'toggle') {
            const next: Held = record ? undefined : { city: 'x', phone: null, name: 'y', 4: 'x', other: 'y' };
            happen(eventOf(next ? 'Create' : 'Delete', record ?? {}, next ?? record ?? {}));
            record = next;
          } else if (record && record[one.name] !== one.value) {
            happen(update(record, { [one.name]: one.value }));
            record = { ...record, [one.name]: one.value };
          }
        }
        while (open.length > 0) deliver();
        expect(merging).toEqual(everything);
        expect(sent).toBeLessThanOrEqual(events);
      }),
      { numRuns: 2_000 },
    );
  });
});
