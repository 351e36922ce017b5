import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { actions } from '@callout/domain/event';
import { compileCondition } from '@callout/domain/condition/judge-condition';
import { readCondition } from '@callout/domain/condition/read-condition';
import { noPreviousValues } from '@callout/domain/previous-values';
import { defineCollection } from '@callout/domain/query/collection';
import {
  compileSubscription,
  firedFields,
  isReady,
  judgeEveryRule,
  judgeEvent,
  verdictRules,
  type MatchInput,
  type Subscription,
  type VerdictRule,
} from './match.rules.ts';

const noon = new Date('2025-09-15T12:00:00.000Z');
const beforeNoon = new Date('2025-09-15T11:59:59.999Z');

const subscription: Subscription = {
  webhookKey: 70,
  webhookId: 7,
  webhookGuid: '7f3c4b52-6d1e-4d6e-9a67-2f4f2c5f9a11',
  version: 3,
  isActive: true,
  activatedAt: noon,
  onCreate: true,
  onUpdate: true,
  onDelete: true,
  fields: [
    { name: 'companyName', isSubscribed: true, isDisplayAlways: false },
    { name: 'phone', isSubscribed: false, isDisplayAlways: true },
  ],
  udfFields: [{ udfId: 4, label: 'Region', isSubscribed: true, isDisplayAlways: false }],
  excludedResourceIds: [9],
};

const update: MatchInput = {
  action: 'Update',
  personId: 1,
  acceptedAt: noon,
  recordId: 5,
  changedFields: ['companyName'],
  changedUdfs: [],
  fields: { companyName: 'Acme' },
  udfFields: {},
  previous: noPreviousValues,
};

const fields = defineCollection('Companies', [{ name: 'companyName', dataType: 'string' }]);
const isAcme = compileCondition(
  readCondition({ op: 'eq', field: 'companyName', value: 'acme' }, { ...fields, isVisible: () => true }, []),
);

const ruleOf = (input: Partial<MatchInput>, change: Partial<Subscription> = {}): VerdictRule =>
  judgeEvent({ ...update, ...input }, { ...subscription, ...change }).rule;

/** An event and a webhook that fail every rule; then pairs that pass one rule more each. */
const changes: { event?: Partial<MatchInput>; to?: Partial<Subscription> }[] = [
  { to: { isActive: true } },
  { event: { acceptedAt: noon } },
  { to: { onUpdate: true } },
  { to: { fields: subscription.fields } },
  { event: { changedFields: ['companyName'] } },
  { event: { personId: 1 } },
  { event: { fields: { companyName: 'ACME' } } },
];
const oneRuleMoreEachTime = changes.reduce<[MatchInput, Subscription][]>(
  (pairs, change) => {
    const [event, to] = pairs.at(-1) ?? [update, subscription];
    return [
      ...pairs,
      [
        { ...event, ...change.event },
        { ...to, ...change.to },
      ],
    ];
  },
  [
    [
      { ...update, acceptedAt: beforeNoon, changedFields: [], personId: 9, fields: {} },
      { ...subscription, isActive: false, onUpdate: false, fields: [], udfFields: [], condition: isAcme },
    ],
  ],
);

describe('judgeEvent', () => {
  it('causes a callout when every rule passes, and returns the configuration version', () => {
    expect(judgeEvent(update, subscription)).toEqual({ webhookKey: 70, version: 3, getsCallout: true, rule: 'passed' });
  });

  it('causes nothing for an inactive webhook', () => {
    expect(judgeEvent(update, { ...subscription, isActive: false })).toEqual({
      webhookKey: 70,
      version: 3,
      getsCallout: false,
      rule: 'inactive',
    });
  });

  it('causes nothing for events accepted before the webhook was activated, and callouts from that instant on', () => {
    expect(ruleOf({ acceptedAt: beforeNoon })).toBe('acceptedBeforeActivation');
    expect(ruleOf({ acceptedAt: noon })).toBe('passed');
    expect(ruleOf({}, { activatedAt: null })).toBe('acceptedBeforeActivation');
  });

  it.each(actions)('causes callouts for %s only for webhooks subscribed to it', (action) => {
    const flags = { onCreate: action !== 'Create', onUpdate: action !== 'Update', onDelete: action !== 'Delete' };
    expect(ruleOf({ action })).toBe('passed');
    expect(ruleOf({ action }, flags)).toBe('actionNotSubscribed');
  });

  it('requires a Field or UdfField record for create and update, none for delete', () => {
    const bare = { fields: [], udfFields: [] };
    expect(ruleOf({ action: 'Create' }, bare)).toBe('notReady');
    expect(ruleOf({ action: 'Update' }, bare)).toBe('notReady');
    expect(ruleOf({ action: 'Delete' }, bare)).toBe('passed');
    expect(ruleOf({ action: 'Create' }, { fields: [] })).toBe('passed');
    expect(ruleOf({ action: 'Create' }, { udfFields: [] })).toBe('passed');
  });

  it('lets an update fire by a subscribed field or user-defined field, not by a display-always one', () => {
    expect(ruleOf({ changedFields: ['phone', 'fax'] })).toBe('noSubscribedFieldChanged');
    expect(ruleOf({ changedFields: ['fax', 'companyName'] })).toBe('passed');
    expect(ruleOf({ changedFields: [], changedUdfs: [4] })).toBe('passed');
    expect(ruleOf({ changedFields: [], changedUdfs: [5] })).toBe('noSubscribedFieldChanged');
  });

  it('requires no changed field for create and delete', () => {
    expect(ruleOf({ action: 'Create', changedFields: [] })).toBe('passed');
    expect(ruleOf({ action: 'Delete', changedFields: [] })).toBe('passed');
  });

  it('causes nothing for changes by an excluded resource', () => {
    expect(ruleOf({ personId: 9 })).toBe('actorExcluded');
  });

  it('reports the first rule that fails, in the documented order', () => {
    expect(oneRuleMoreEachTime.map(([event, to]) => judgeEvent(event, to).rule)).toEqual(verdictRules);
  });
});

const arbitraryEvent: fc.Arbitrary<MatchInput> = fc.record({
  action: fc.constantFrom(...actions),
  personId: fc.integer({ min: 1, max: 3 }),
  acceptedAt: fc.constantFrom(beforeNoon, noon),
  changedFields: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
  recordId: fc.nat(),
  changedUdfs: fc.uniqueArray(fc.integer({ min: 1, max: 3 })),
  fields: fc.constantFrom({}, { companyName: 'Acme' }),
  udfFields: fc.constant({}),
  previous: fc.constant(noPreviousValues),
});

/** None half of the time: a webhook without any field is a separate rule, which random lists hardly reach. */
const orNone = <T>(lists: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> => fc.oneof(fc.constant<T[]>([]), lists);

const flags = { isSubscribed: fc.boolean(), isDisplayAlways: fc.boolean() };
const arbitrarySubscription: fc.Arbitrary<Subscription> = fc.record({
  webhookKey: fc.nat(),
  webhookId: fc.nat(),
  webhookGuid: fc.uuid(),
  version: fc.nat(),
  // Mostly active: an inactive webhook hides every later rule.
  isActive: fc.integer({ min: 0, max: 5 }).map((roll) => roll > 0),
  activatedAt: fc.constantFrom(noon, beforeNoon, null),
  onCreate: fc.boolean(),
  onUpdate: fc.boolean(),
  onDelete: fc.boolean(),
  fields: orNone(
    fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), ...flags }), { selector: (one) => one.name }),
  ),
  udfFields: orNone(
    fc.uniqueArray(fc.record({ udfId: fc.integer({ min: 1, max: 3 }), label: fc.string(), ...flags }), {
      selector: (one) => one.udfId,
    }),
  ),
  excludedResourceIds: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 1 }),
  condition: fc.constantFrom(null, isAcme),
});

/** The rules again, written directly from their description, with neither sets nor tables. */
function plainRule(event: MatchInput, to: Subscription): VerdictRule {
  if (!to.isActive) return 'inactive';
  if (to.activatedAt === null || event.acceptedAt < to.activatedAt) return 'acceptedBeforeActivation';
  if (event.action === 'Create' && !to.onCreate) return 'actionNotSubscribed';
  if (event.action === 'Update' && !to.onUpdate) return 'actionNotSubscribed';
  if (event.action === 'Delete' && !to.onDelete) return 'actionNotSubscribed';
  if (event.action !== 'Delete' && to.fields.length + to.udfFields.length === 0) return 'notReady';
  if (event.action === 'Update') {
    const byField = to.fields.some((field) => field.isSubscribed && event.changedFields.includes(field.name));
    const byUdf = to.udfFields.some((udf) => udf.isSubscribed && event.changedUdfs.includes(udf.udfId));
    if (!byField && !byUdf) return 'noSubscribedFieldChanged';
  }
  if (to.excludedResourceIds.includes(event.personId)) return 'actorExcluded';
  return to.condition && event.fields['companyName'] === undefined ? 'condition' : 'passed';
}

describe('one verdict for match, simulate and explain', () => {
  it('judges a prepared subscription, a plain one and the written rules alike', () => {
    fc.assert(
      fc.property(arbitraryEvent, arbitrarySubscription, (event, to) => {
        const verdict = judgeEvent(event, to);
        expect(verdict).toEqual({
          webhookKey: to.webhookKey,
          version: to.version,
          rule: plainRule(event, to),
          getsCallout: plainRule(event, to) === 'passed',
        });
        expect(judgeEvent(event, compileSubscription(to))).toEqual(verdict);
      }),
      // The examples ensure that every rule occurs, whatever the seed.
      { numRuns: 1500, examples: oneRuleMoreEachTime },
    );
  });

  it('shows every rule, and the first that fails is the verdict', () => {
    fc.assert(
      fc.property(arbitraryEvent, arbitrarySubscription, (event, to) => {
        const values = judgeEveryRule(event, to);
        expect([...values.map(({ rule }) => rule), 'passed']).toEqual(verdictRules);
        expect(values.find(({ passed }) => !passed)?.rule ?? 'passed').toBe(judgeEvent(event, to).rule);
      }),
    );
  });

  it('returns the fields that fired: some exactly when the rule about changed fields passes', () => {
    fc.assert(
      fc.property(arbitraryEvent, arbitrarySubscription, (event, to) => {
        const fired = firedFields(event, to);
        for (const name of fired.fields)
          expect(to.fields).toContainEqual(expect.objectContaining({ name, isSubscribed: true }));
        const rule = judgeEveryRule({ ...event, action: 'Update' }, to).find(
          (one) => one.rule === 'noSubscribedFieldChanged',
        );
        expect(fired.fields.length + fired.udfIds.length > 0).toBe(rule?.passed);
      }),
    );
    expect(firedFields({ changedFields: ['fax', 'companyName', 'phone'], changedUdfs: [5, 4] }, subscription)).toEqual({
      fields: ['companyName'],
      udfIds: [4],
    });
  });

  it('prepares a subscription once', () => {
    const compiled = compileSubscription(subscription);
    expect(compileSubscription(compiled)).toBe(compiled);
  });
});

describe('isReady', () => {
  it.each([
    [1, 0, true, true, false, true],
    [0, 1, false, true, true, true],
    [0, 0, false, false, true, true],
    [0, 0, false, false, false, false],
    [0, 0, false, true, true, false],
    [0, 0, true, false, true, false],
    [0, 0, true, true, false, false],
  ])(
    'with %i Fields, %i UdfFields, create %p, update %p, delete %p is %p',
    (fields, udfs, onCreate, onUpdate, onDelete, ready) => {
      expect(isReady({ fieldRecords: fields + udfs, onCreate, onUpdate, onDelete })).toBe(ready);
    },
  );
});
