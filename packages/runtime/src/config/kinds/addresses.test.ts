import { describe, expect, it } from '@jest/globals';
import { allowedHosts, publicUrl } from './addresses.ts';

describe('PUBLIC_URL', () => {
  it.each([
    ['https://callout.example.com', 'https://callout.example.com'],
    ['HTTPS://Callout.Example.com:8443/', 'https://callout.example.com:8443'],
    ['http://10.0.0.7/hooks//', 'http://10.0.0.7/hooks'],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s', (text, expected) => {
    expect(publicUrl().parse(text)).toBe(expected);
  });

  it.each([
    'callout.example.com',
    'ftp://callout.example.com',
    'https://me@x.example',
    'https://x.example/?a',
    'http://x/#',
  ])('refuses %s', (text) => {
    expect(publicUrl().safeParse(text).success).toBe(false);
  });
});

describe('ALLOWED_HOSTS', () => {
  it('is a list of hosts with or without a port, in lower case', () => {
    expect(allowedHosts().parse('Callout.Example.com, 10.0.0.7:8080,[fd00::1]:80')).toEqual([
      'callout.example.com',
      '10.0.0.7:8080',
      '[fd00::1]:80',
    ]);
    expect(allowedHosts().parse(undefined)).toEqual([]);
  });

  it.each(['https://callout.example.com', '*', 'a b', 'x.example/path', 'me@x.example', 'x.example:port'])(
    'refuses %s',
    (text) => {
      expect(allowedHosts().safeParse(text).success).toBe(false);
    },
  );
});
