import { describe, expect, it } from '@jest/globals';
import { forwardUrl } from './forward.ts';

describe('the address behind --forward', () => {
  it.each([
    ['3000', 'http://127.0.0.1:3000/'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['localhost:3000/x?y=1', 'http://localhost:3000/x?y=1'],
    ['[::1]:3000/x', 'http://[::1]:3000/x'],
    ['http://localhost:3000/hook', 'http://localhost:3000/hook'],
    ['HTTPS://shop.example.com', 'https://shop.example.com/'],
  ])('%s is %s', (given, url) => {
    expect(forwardUrl(given)).toBe(url);
  });

  it.each(['', '99999', 'ftp://localhost', 'localhost:port', 'http://'])('is refused when it is %j', (given) => {
    expect(() => forwardUrl(given)).toThrow('--forward must be a port such as 3000');
  });
});
