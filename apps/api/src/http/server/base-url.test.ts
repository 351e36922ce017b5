import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../auth/caller.ts';
import { createBaseUrl, hostUrl } from './base-url.ts';

const caller: Caller = {
  credentialId: 1,
  tenantId: 7,
  resourceId: 1,
  personId: 1,
  role: 'integrator',
  canCreateWebhooks: true,
  apiRequestsPerHour: null,
};

describe('where addresses in responses lead', () => {
  const zoneUrls = new Map([
    [7, 'https://zone7.example.com'],
    [8, ''],
  ]);
  const zoneUrlOf = async (tenantId: number) => zoneUrls.get(tenantId);
  const public_ = createBaseUrl({ publicUrl: 'https://callout.example.com', zoneUrlOf });
  const zoned = createBaseUrl({ publicUrl: undefined, zoneUrlOf });
  const local = 'http://127.0.0.1:8080';

  it('is under PUBLIC_URL, else under the zone, else where the caller is, else a path alone', async () => {
    await expect(public_({ caller, hostUrl: local })).resolves.toBe('https://callout.example.com');
    await expect(zoned({ caller, hostUrl: local })).resolves.toBe('https://zone7.example.com');
    for (const tenantId of [8, 9]) {
      await expect(zoned({ caller: { ...caller, tenantId }, hostUrl: local })).resolves.toBe(local);
      await expect(zoned({ caller: { ...caller, tenantId }, hostUrl: undefined })).resolves.toBe('');
    }
  });
});

describe('the host of a request', () => {
  const urlOf = (host: string, protocol = 'http') =>
    hostUrl({ host, protocol }, ['callout.example.com', '10.0.0.7:8080', '[fd00::1]']);

  it.each([
    ['localhost', 'http://localhost'],
    ['LOCALHOST:8080', 'http://localhost:8080'],
    ['127.8.8.8:1', 'http://127.8.8.8:1'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['Callout.Example.com', 'http://callout.example.com'],
    ['callout.example.com:8443', 'http://callout.example.com:8443'],
    ['10.0.0.7:8080', 'http://10.0.0.7:8080'],
    ['[fd00::1]:99', 'http://[fd00::1]:99'],
  ])('%s may be named', (host, expected) => {
    expect(urlOf(host)).toBe(expected);
    expect(urlOf(host, 'https')).toBe(expected.replace('http:', 'https:'));
  });

  it.each([
    '',
    'evil.example.com',
    'localhost.evil.example.com',
    'callout.example.com.evil.example.com',
    'callout.example.com@evil.example.com',
    'callout.example.com:80/evil',
    'callout.example.com:',
    '10.0.0.7',
    '10.0.0.7:8081',
    'a b',
  ])('%p may not', (host) => {
    expect(urlOf(host)).toBeUndefined();
  });

  it.each([
    ['HTTPS', 'https://localhost'],
    ['javascript', 'http://localhost'],
    ['', 'http://localhost'],
  ])('is named with http or https, whatever a proxy says (%j)', (protocol, expected) => {
    expect(urlOf('localhost', protocol)).toBe(expected);
  });

  it('may be missing', () => {
    expect(hostUrl({ host: undefined as unknown as string, protocol: 'http' }, [])).toBeUndefined();
  });
});
