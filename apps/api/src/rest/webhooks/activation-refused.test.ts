import { expect, it } from '@jest/globals';
import { activationRules } from './activation-refused.ts';

it.each([
  [{ kind: 'stillCancelling' }, /still being cancelled; try again/],
  [{ kind: 'ownerInactive' }, /by PATCH \/Resources$/],
  [
    { kind: 'tooManyActive', active: 7 },
    /^Hooks may have 5 active webhooks and has 7: .*MAX_ACTIVE_WEBHOOKS_PER_ENTITY/,
  ],
] as const)('%p is a conflict that says what to do', (refusal, message) => {
  const { kind, details } = activationRules('Hooks', 5).refused(refusal);
  expect({ kind, details }).toEqual({
    kind: 'conflict',
    details: [{ code: 'conflict', field: 'isActive', message: expect.stringMatching(message) }],
  });
});

it('the limit of all webhooks is a conflict of the request as a whole', () => {
  const { kind, details } = activationRules('Hooks', 5).refused({ kind: 'tooMany', existing: 23, most: 20 });
  const message = expect.stringMatching(/^Hooks may have 20 webhooks, active or not, and has 23: delete one first/);
  expect({ kind, details }).toEqual({ kind: 'conflict', details: [{ code: 'conflict', message }] });
});
