import { describe, expect, it } from '@jest/globals';
import { leaksIn } from './leaks.ts';

const secrets = { 'the key': 'pass "wörd" & more', 'the other': 'never-printed' };
const bytes = Buffer.from(secrets['the key'], 'utf8');

describe('leaksIn', () => {
  it.each([
    ['as it is', secrets['the key']],
    ['within JSON', JSON.stringify({ key: secrets['the key'] })],
    ['within a URL', encodeURIComponent(secrets['the key'])],
    ['in base64', bytes.toString('base64')],
    ['in base64 with more behind it', Buffer.concat([bytes, Buffer.from('xyz')]).toString('base64')],
    ['in hex', bytes.toString('hex')],
  ])('finds a secret %s', (_how, text) => {
    expect(leaksIn(`{"msg":"connecting","to":"${text}"}`, secrets)).toEqual(['the key']);
  });

  it('finds nothing where nothing is', () => {
    expect(leaksIn('{"msg":"attempt","status":200,"key":"[redacted]"}', secrets)).toEqual([]);
  });

  it('refuses a secret that would be found by chance', () => {
    expect(() => leaksIn('', { pin: '1234' })).toThrow('found by chance');
  });
});
