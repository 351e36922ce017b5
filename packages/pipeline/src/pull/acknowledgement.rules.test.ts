import { expect, it } from '@jest/globals';
import { outcomeOfPull } from './acknowledgement.rules.ts';

const acked = { kind: 'acked' } as const;
const nacked = { kind: 'nacked', reason: null, retryAfterS: null } as const;
const lapsed = { kind: 'lapsed' } as const;
const inTime = { isLate: false, isDelivered: false, isMoving: false };

it.each([
  ['counts as it was given, in time', acked, inTime, 'acked'],
  ['counts as it was given, in time', nacked, inTime, 'nacked'],
  ['is lapsed when none came', lapsed, inTime, 'lapsed'],
  ['is lapsed when the callout was not fetched at all', { kind: 'notFetched', keptFor: '3 days' }, inTime, 'lapsed'],
  ['is lapsed when it comes late', acked, { ...inTime, isLate: true }, 'lapsed'],
  ['repeats a delivery whose response got lost', acked, { ...inTime, isLate: true, isDelivered: true }, 'acked'],
  ['does not take a delivery back', nacked, { ...inTime, isLate: true, isDelivered: true }, 'acked'],
  ['waits for the zone of a tenant that moves', acked, { ...inTime, isLate: true, isMoving: true }, null],
  ['is settled while the tenant moves, if it was in time', acked, { ...inTime, isMoving: true }, 'acked'],
  ['stays delivered, moving or not', nacked, { isLate: true, isDelivered: true, isMoving: true }, 'acked'],
] as const)('an acknowledgement %s', (_title, result, settled, outcome) => {
  expect(outcomeOfPull(result, settled)).toBe(outcome);
});
