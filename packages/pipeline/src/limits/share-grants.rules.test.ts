import { describe, expect, it } from '@jest/globals';
import { shareGrants, type Contender } from './share-grants.rules.ts';

const countedAt = new Date('2026-03-04T10:00:00Z');
const contender = (id: string, tenantId = 1): Contender => ({
  id,
  tenantId,
  entityType: 'Account',
  webhookKey: 1,
  leaseOwner: 'lease',
  limit: 2,
});
const grant = (tenantId: number, granted: number) => ({ tenantId, entityType: 'Account', granted, countedAt });

describe('shareGrants', () => {
  it('sends the oldest callouts of a group and holds the newest, in any order of input', () => {
    const [a, b, c] = [contender('a'), contender('b'), contender('c')];
    const { held, countedAt: at } = shareGrants([c, a, b], [grant(1, 2)]);
    expect([...at.keys()]).toEqual(['a', 'b']);
    expect(held).toEqual([c]);
  });

  it('keeps groups apart', () => {
    const [first, second] = [contender('a', 1), contender('b', 2)];
    const shared = shareGrants([first, second], [grant(2, 1), grant(1, 0)]);
    expect([...shared.countedAt]).toEqual([['b', countedAt]]);
    expect(shared.held).toEqual([first]);
  });
});
