import { describe, expect, it } from '@jest/globals';
import { parseCidrs } from './address.ts';
import { addressOfHost, checkTargetUrl, isLocalhost, type TargetPolicy } from './target.ts';
import { hostileHosts, hostileUrls } from '../fixtures/hostile-targets.ts';

const publicOnly: TargetPolicy = { allowHttp: true, allowCidrs: [] };
const httpsOnly = { allowHttp: false, allowCidrs: [] };
const local = { allowHttp: true, allowCidrs: parseCidrs(['127.0.0.1/32']) };

function messageFor(text: string, policy = publicOnly): string | undefined {
  const verdict = checkTargetUrl(text, policy);
  return verdict.ok ? undefined : verdict.message;
}

describe('checkTargetUrl', () => {
  it.each([
    'https://hooks.example.com/a?b=c&d=%20',
    'https://hooks.example.com',
    'HTTPS://Hooks.Example.COM:8443/',
    'https://8.8.8.8/hook',
    'https://[2606:4700::1]:8080/hook',
    'https://bücher.example/straße',
    'https://hooks.example.com./trailing-dot',
    'https://example.com/@user',
    'https://1and1.example/',
  ])('accepts %s', (text) => {
    expect(messageFor(text, httpsOnly)).toBeUndefined();
  });

  it('accepts letters such as ü however often it is called', () => {
    const messages = new Set<string | undefined>();
    for (let call = 0; call < 30_000; call += 1) messages.add(messageFor('https://bücher.example/straße'));
    expect([...messages]).toEqual([undefined]);
  });

  it('returns the parsed URL', () => {
    expect(checkTargetUrl('https://Example.com:443/a', httpsOnly)).toEqual({
      ok: true,
      url: new URL('https://example.com/a'),
    });
  });

  it('accepts http only when it is allowed', () => {
    expect(messageFor('http://example.com/')).toBeUndefined();
    expect(messageFor('http://example.com/', httpsOnly)).toBe(
      'must begin with https://, unless the operator sets ALLOW_HTTP_TARGETS',
    );
  });

  it.each([
    '',
    'example.com',
    '/hook',
    '//example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'https:example.com',
    'https:///example.com',
    'https://',
    'https://?x',
    'unix:/var/run/docker.sock',
    'http+unix://a/b',
  ])('refuses %j: not absolute http or https', (text) => {
    expect(messageFor(text)).toBe('must be an absolute http or https URL');
  });

  it.each([
    'https://example.com/a\tb',
    'https://example.com/a\nb',
    'https://exa\rmple.com/',
    'https://example.com/a b',
    'https://example.com\\@evil.example/',
    'https://example.com/\u0000',
    'https://example.com/ ',
  ])('refuses %j: the parser would call another URL than the one written', (text) => {
    expect(messageFor(text)).toBe('must not contain blanks, control characters or backslashes');
  });

  it.each([
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    'https://example.com@evil.example/',
  ])('refuses credentials: %s', (text) => {
    expect(messageFor(text)).toBe('must not contain a user name or password');
  });

  it.each(['https://example.com/#a', 'https://example.com/#', 'https://example.com#?x'])(
    'refuses a fragment: %s',
    (text) => {
      expect(messageFor(text)).toMatch(/^must (not contain a fragment|be an absolute)/u);
    },
  );

  it.each([
    'https://example.com:65536/',
    'https://example.com:-1/',
    'https://example.com:a/',
    'https://exa mple.com/'.replace(' ', '%20'),
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    'https://999.1.1.1/',
    'https://1.2.3.4.5/',
  ])('refuses %s: no valid host and port', (text) => {
    expect(messageFor(text)).toBe('must have a valid host and a port from 1 to 65535');
  });

  it.each([
    'https://a..example/',
    'https://.example.com/',
    'https://example.com../',
    `https://${'a'.repeat(64)}.example/`,
  ])('refuses %s: no valid DNS name', (text) => {
    expect(messageFor(text)).toBe('must have a host whose parts have 1 to 63 characters');
  });

  it.each(['https://example.com./', `https://${'a'.repeat(63)}.example/`, 'https://a_b.example/'])(
    'accepts %s',
    (text) => {
      expect(messageFor(text)).toBeUndefined();
    },
  );

  it.each([0, 22, 25, 53, 587, 6000, 10_080])('refuses port %d, where HTTP does not listen', (port) => {
    expect(messageFor(`https://example.com:${port}/`)).toBe(`must not use port ${port}`);
  });

  it.each([1024, 8080, 8443, 65_535])('accepts port %d', (port) => {
    expect(messageFor(`https://example.com:${port}/`)).toBeUndefined();
  });

  it.each(hostileHosts)('refuses the host %s however it is spelled', (host) => {
    expect(messageFor(`http://${host}/hook`)).toMatch(/^must not point to \S+, which is /u);
  });

  it.each(hostileUrls)('refuses %j', (text) => {
    expect(messageFor(text)).toMatch(/^must /u);
  });

  it('names the address and its kind', () => {
    expect(messageFor('http://0x7f.1/')).toBe(
      'must not point to 127.0.0.1, which is a loopback address, unless the operator adds it to CALLOUT_ALLOW_CIDRS',
    );
    // An address that cannot be allowed has no remedy in the message.
    expect(messageFor('http://169.254.169.254/')).toBe(
      'must not point to 169.254.169.254, which is a cloud metadata address, which is never allowed',
    );
  });

  it('accepts ranges that the operator allows, in every spelling', () => {
    for (const host of ['127.0.0.1', '127.1', '[::ffff:127.0.0.1]', 'localhost']) {
      expect(messageFor(`http://${host}:8080/hook`, local)).toBeUndefined();
    }
    expect(messageFor('http://127.0.0.2/', local)).toMatch(
      /^must not point to 127\.0\.0\.2, which is a loopback address/u,
    );
  });

  it('refuses a host name longer than DNS allows', () => {
    const host = (length: number) => `${'a.'.repeat(126)}aaa`.slice(-length);
    expect(messageFor(`https://${host(253)}/`)).toBeUndefined();
    expect(messageFor(`https://${host(254)}/`)).toBe('must have a host of 253 characters or fewer');
  });

  it('accepts names, which are judged by their addresses when connecting', () => {
    expect(messageFor('https://intranet/')).toBeUndefined();
    expect(messageFor('https://127.0.0.1.nip.example/')).toBeUndefined();
    expect(messageFor('https://notlocalhost/')).toBeUndefined();
  });
});

describe('addressOfHost', () => {
  it('distinguishes addresses from names', () => {
    expect(addressOfHost(new URL('http://127.1/').hostname)).toBe('127.0.0.1');
    expect(addressOfHost(new URL('http://[::FFFF:1.2.3.4]/').hostname)).toBe('::ffff:102:304');
    expect(addressOfHost('1.2.3.4.example.com')).toBeUndefined();
  });
});

describe('isLocalhost', () => {
  it('recognises localhost and the names below it', () => {
    expect(['localhost', 'localhost.', 'a.localhost', 'localhost.example.com', 'mylocalhost'].map(isLocalhost)).toEqual(
      [true, true, true, false, false],
    );
  });
});
