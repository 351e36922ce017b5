import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Problem } from '@callout/domain/problem';
import type { ReceiverChange } from '@callout/domain/receiver/receiver-settings';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { changedReceiver, receiverColumns } from './receiver-columns.ts';

const ringOf = (id: string) => KeyRing.parse(`${id}:${randomBytes(32).toString('base64')}`);
const ring = ringOf('lost');
const owner = { tenantId: 1, guid: randomUUID() };
const secrets = {
  requestHeaders: [{ name: 'X-Key', value: 'a value' }],
  receiverAuth: { kind: 'bearer', token: 'a-token' },
} as const;
const stored = {
  ...owner,
  ...receiverColumns(ring, owner, secrets),
  webhookUrl: 'https://a.example/in',
  alertFormat: 'json',
};

function changeWithoutKey(receiver: ReceiverChange, webhookUrl?: string) {
  try {
    return changedReceiver(ringOf('other'), stored, { receiver, webhookUrl }, new Date());
  } catch (error) {
    return (error as Problem).details.map(({ message }) => message);
  }
}

describe('a change of receiver settings whose key is not in the ring', () => {
  const again = 'must be given again: the key that encrypts its secrets is missing';

  it('keeps them when it is about neither of them nor the host', () => {
    expect(changeWithoutKey({})).toBeUndefined();
    expect(changeWithoutKey({}, 'https://a.example/other')).toBeUndefined();
  });

  it('must give both of them again, so that none is lost unnoticed', () => {
    expect(changeWithoutKey({ requestHeaders: [] })).toEqual([`receiverAuth ${again}`]);
    expect(changeWithoutKey({ receiverAuth: { kind: 'none' } })).toEqual([`requestHeaders ${again}`]);
    expect(changeWithoutKey({}, 'https://b.example/')).toEqual([`requestHeaders ${again}`, `receiverAuth ${again}`]);
    expect(changeWithoutKey(secrets)).toMatchObject({ columns: { receiverKeyId: 'other' } });
  });
});
