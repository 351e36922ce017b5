import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createListCursors, type ResumedList } from './list-cursor.ts';

const scope = { tenantId: 1, collection: 'CompanyWebhooks/5/Callouts' };
const list: ResumedList = {
  position: { direction: 'before', id: '019cb6a1-0000-7000-8000-000000000001' },
  parameters: { state: 'failed,cancelled', since: '2026-01-15' },
};
const [key, older] = [randomBytes(32), randomBytes(32)];
const cursors = createListCursors([key]);

describe('the token of a list', () => {
  it('contains its position and its parameters', () => {
    expect(cursors.resume(scope, cursors.issue(scope, list))).toEqual(list);
  });

  it('is refused elsewhere, changed, or made by other keys', () => {
    const token = cursors.issue(scope, list);
    const others = [
      () => cursors.resume({ ...scope, tenantId: 2 }, token),
      () => cursors.resume({ ...scope, collection: 'CompanyWebhooks/6/Callouts' }, token),
      () => cursors.resume(scope, `${token}A`),
      () => cursors.resume(scope, undefined),
      () => createListCursors([older]).resume(scope, token),
    ];
    for (const resume of others) expect(resume).toThrow(/paging is no token of this collection/);
  });

  it('is accepted after a rotation of keys, for as long as its key is listed', () => {
    const token = createListCursors([older]).issue(scope, list);
    expect(createListCursors([key, older]).resume(scope, token)).toEqual(list);
  });
});
