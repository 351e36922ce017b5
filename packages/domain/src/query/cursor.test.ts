import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createCursors, type Position } from './cursor.ts';
import { parseQuery } from './parse/parse-query.ts';

import { arbitraryCompanyQuery, companies } from '../fixtures/companies.ts';

const key = Buffer.alloc(32, 7);
const cursors = createCursors([key]);
const scope = { tenantId: 7, collection: 'Companies' };
const position: Position = { direction: 'after', id: 500 };
const body = { filter: [{ op: 'eq', field: 'companyName', value: 'Acme' }], MaxRecords: 20 };
const query = parseQuery(body, companies);
const token = cursors.issue(scope, query, position);

const names = Array.from({ length: 400 }, (_, i) => `company number ${i}`);
const longBody = { filter: [{ op: 'in', field: 'companyName', value: names }] };
const longToken = cursors.issue(scope, parseQuery(longBody, companies), position);

describe('a paging token', () => {
  it('contains query and position, in both directions', () => {
    fc.assert(
      fc.property(
        arbitraryCompanyQuery,
        fc.constantFrom('after' as const, 'before' as const),
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        (arbitrary, direction, id) => {
          const asked = parseQuery(arbitrary, companies);
          const issued = cursors.issue(scope, asked, { direction, id });
          expect(issued).toMatch(/^[\w-]+$/);
          const resumed = cursors.resume(scope, issued, undefined, companies);
          expect(resumed).toEqual({ query: asked, position: { direction, id } });
        },
      ),
    );
  });

  it('accepts the same query in the body too, however it is spelled, and an empty body', () => {
    const same = { MAXRECORDS: '20', Filter: [{ OP: 'EQ', field: 'COMPANYNAME', value: 'ACME' }] };
    for (const given of [same, body, {}, null, undefined]) {
      expect(cursors.resume(scope, token, given, companies).query).toEqual(query);
    }
  });

  it('accepts a part of the query in the body, and contains the rest', () => {
    const { filter } = body;
    const shown = { ...body, IncludeFields: ['companyName', 'phone'] };
    const ofShown = cursors.issue(scope, parseQuery(shown, companies), position);
    const parts = [
      { filter },
      { MaxRecords: 20 },
      { maxrecords: '20', filter, IncludeFields: null },
      { Filter: null },
      { other: 1 },
    ];
    for (const part of parts) {
      expect(cursors.resume(scope, token, part, companies).query).toEqual(query);
      expect(cursors.resume(scope, ofShown, part, companies).query).toEqual(parseQuery(shown, companies));
    }
    const { IncludeFields } = shown;
    expect(cursors.resume(scope, ofShown, { IncludeFields }, companies).query).toEqual(parseQuery(shown, companies));
  });

  it.each([
    { Filter: [] },
    { filter: [{ op: 'eq', field: 'companyName', value: 'Bolt' }], MaxRecords: 20 },
    { MaxRecords: 21 },
    { IncludeFields: ['phone'] },
  ])('refuses another part in the body: %j', (other) => {
    expect(() => cursors.resume(scope, token, other, companies)).toThrow(/send the same body/);
  });

  it('refuses a body that is no object', () => {
    for (const other of ['text', 5, []]) {
      expect(() => cursors.resume(scope, token, other, companies)).toThrow('The body must be a JSON object');
    }
  });

  it.each([
    ['another tenant', { ...scope, tenantId: 8 }],
    ['another collection', { ...scope, collection: 'Contacts' }],
    ['a tenant and collection that look alike when joined', { tenantId: 0, collection: '7,"Companies' }],
  ])('is refused for %s', (_, other) => {
    expect(() => cursors.resume(other, token, undefined, companies)).toThrow('paging is no token of this collection');
  });

  it('is refused when it was changed, cut, or made by another key', () => {
    const bytes = Buffer.from(token, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const text = changed.toString('base64url');
      expect(() => cursors.resume(scope, text, undefined, companies)).toThrow('no token');
    }
    const foreign = createCursors([Buffer.alloc(32, 8)]).issue(scope, query, position);
    const malformed = [
      foreign,
      token.slice(0, -4),
      '',
      'x',
      undefined,
      null,
      5,
      [token],
      {},
      '__proto__',
      'A'.repeat(1e6),
    ];
    for (const one of malformed) expect(() => cursors.resume(scope, one, undefined, companies)).toThrow('no token');
  });
});

describe('a query too long for its token', () => {
  it('is not in the token, and is read from the body', () => {
    expect(longToken.length).toBeLessThan(200);
    expect(cursors.resume(scope, longToken, longBody, companies)).toEqual({
      query: parseQuery(longBody, companies),
      position,
    });
  });

  it('leaves its short parts in the token, so that the filter alone is enough', () => {
    const shown = { ...longBody, MaxRecords: 3, IncludeFields: ['phone'] };
    const ofShown = cursors.issue(scope, parseQuery(shown, companies), position);
    expect(cursors.resume(scope, ofShown, longBody, companies).query).toEqual(parseQuery(shown, companies));
  });

  it('is required when the body does not have it', () => {
    expect(() => cursors.resume(scope, longToken, undefined, companies)).toThrow('POST the same body to this address');
    expect(() => cursors.resume(scope, longToken, body, companies)).toThrow(/send the same body/);
  });

  it('is what makes a token reach 4 KB', () => {
    const lengths = Array.from({ length: 300 }, (_, count) => {
      const filter = [{ op: 'in', field: 'companyName', value: names.slice(0, count + 1) }];
      return cursors.issue(scope, parseQuery({ filter }, companies), position).length;
    });
    expect(Math.max(...lengths)).toBeLessThan(4096);
    expect(Math.max(...lengths)).toBeGreaterThan(4000);
  });
});

describe('after a rotation of keys', () => {
  const newKey = Buffer.alloc(32, 9);

  it('tokens of keys that are still listed are accepted, and new ones are made with the first key', () => {
    const rotated = createCursors([newKey, key]);
    expect(rotated.resume(scope, token, undefined, companies)).toEqual({ query, position });
    const issued = rotated.issue(scope, query, position);
    expect(createCursors([newKey]).resume(scope, issued, undefined, companies)).toEqual({ query, position });
    expect(() => createCursors([newKey]).resume(scope, token, undefined, companies)).toThrow(/no token/);
  });
});

describe('createCursors', () => {
  it('requires a key that cannot be guessed', () => {
    expect(() => createCursors([Buffer.alloc(16)])).toThrow('at least 32 bytes');
  });
});
