import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { parseCredentialCreate } from './credential-input.rules.ts';
import { parseResourceChanges, parseResourceCreate } from './resource-input.rules.ts';
import { parseTenantChanges, parseTenantCreate } from './tenant-input.rules.ts';
import { parseZoneChanges, parseZoneCreate } from './zone-input.rules.ts';

function problemsOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return error.details.map(({ message }) => message);
    throw error;
  }
  throw new Error('expected a Problem');
}

describe('what an operator sends', () => {
  it('is read with keys in any case, with quoted numerals, and without unknown keys', () => {
    const body = { NAME: 'Acme', zoneid: '2', CalloutThreshold: '0', apiRequestsPerHour: null, id: 7 };
    expect(parseTenantCreate(body)).toEqual({
      name: 'Acme',
      zoneId: 2,
      calloutThreshold: 0,
      apiRequestsPerHour: null,
    });
    expect(parseTenantCreate({ name: 'Acme' })).toEqual({ name: 'Acme' });
    expect(parseTenantChanges({})).toEqual({});
  });

  it('gets all errors at once', () => {
    const body = { name: ' ', zoneID: 0, calloutThreshold: -1, apiRequestsPerHour: 'many' };
    expect(problemsOf(() => parseTenantCreate(body))).toEqual([
      'name must not be empty',
      expect.stringMatching(/^zoneID must be a positive integer/),
      expect.stringMatching(/^calloutThreshold must be a whole number from 0/),
      expect.stringMatching(/^apiRequestsPerHour must be a whole number from 0/),
    ]);
    expect(problemsOf(() => parseCredentialCreate({}))).toEqual([
      'resourceID is required',
      'userName is required',
      'role is required',
    ]);
    expect(problemsOf(() => parseZoneCreate([]))).toEqual(['The body must be a JSON object, not an array']);
    expect(problemsOf(() => parseTenantChanges({ zoneID: 2 ** 31 }))).toEqual(['zoneID must be 2147483647 or less']);
  });

  it('gets each error once', () => {
    for (const parse of [
      () => parseTenantChanges({ zoneID: 2 ** 53 }),
      () => parseResourceChanges({ email: '' }),
      () => parseResourceChanges({ email: 'a@b.c\0' }),
    ]) {
      expect(problemsOf(parse)).toHaveLength(1);
    }
  });

  it.each(['https://a/\0', 'https://a/\nb', 'https://a/b c', 'https://a/\ud800', 'https:\\\\a', 'javascript:x'])(
    'gives a zone no address %j for people',
    (webUrl) => {
      expect(problemsOf(() => parseZoneChanges({ webUrl }))).toEqual([
        'webUrl must be an http or https URL without credentials',
      ]);
    },
  );

  it('may be a zone without an address, and has defaults', () => {
    expect(parseZoneCreate({ name: 'eu', url: '' })).toEqual({ name: 'eu', url: '', webUrl: '', isDefault: false });
    expect(parseResourceCreate({ email: 'a@b.c' })).toEqual({ email: 'a@b.c', canCreateWebhooks: false });
    expect(parseResourceChanges({ canCreateWebhooks: 'True' })).toEqual({ canCreateWebhooks: true });
  });

  it.each([
    ['https://zone1.example.com', 'https://zone1.example.com'],
    ['https://zone1.example.com/', 'https://zone1.example.com'],
    ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
  ])('gives a zone the address %s', (url, stored) => {
    expect(parseZoneChanges({ url })).toEqual({ url: stored });
  });

  it.each([
    'zone1.example.com',
    'ftp://zone1.example.com',
    'https://zone1.example.com/api',
    'https://zone1.example.com?x',
    'https://zone1.example.com#x',
    'https://user:password@zone1.example.com',
    'https://zone1.example.com:443',
    'https://',
  ])('gives no zone the address %s', (url) => {
    expect(problemsOf(() => parseZoneChanges({ url }))).toEqual([
      expect.stringContaining('scheme, host and port only'),
    ]);
  });

  it.each(['', 'a b', 'name\n', 'ümlaut@example.com', 'x'.repeat(255), 5, null])('makes no user %j', (userName) => {
    const body = { resourceID: 1, userName, role: 'admin' };
    expect(problemsOf(() => parseCredentialCreate(body))).toEqual([expect.stringMatching(/^userName must (not )?be/)]);
  });

  it.each(['', 'a@b.c, d@e.f', 'a', '"a b"@c.d', `${'a'.repeat(250)}@b.c`])('makes no resource with %j', (email) => {
    expect(problemsOf(() => parseResourceCreate({ email })).join()).toMatch(/^email must/);
  });
});
