import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeOwnCertificate } from '@callout/testing';
import type { ProblemDetail } from '../problem.ts';
import { secretMask } from '../input/secret-mask.ts';
import { receiverAuthInput, type ReceiverAuth } from './receiver-auth.ts';
import {
  applyReceiverChange,
  isSameOrigin,
  noSecrets,
  shownSettings,
  type ReceiverChange,
  type ReceiverSecrets,
} from './receiver-settings.ts';

const now = new Date();
const oauth2 = {
  kind: 'oauth2',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'callout',
  clientSecret: 'a client secret',
} as const;
const one = makeOwnCertificate();
const other = makeOwnCertificate();

function readAuth(given: unknown): ReceiverAuth | string[] {
  const parsed = receiverAuthInput.safeParse(given);
  return parsed.success ? parsed.data : parsed.error.issues.map(({ message }) => message);
}

const auth = (given: object) => readAuth(given) as ReceiverAuth;

function change(
  stored: Partial<ReceiverSecrets>,
  given: ReceiverChange,
  url = { before: 'https://a.example/in', after: 'https://a.example/out' },
) {
  const problems: ProblemDetail[] = [];
  const after = applyReceiverChange({ ...noSecrets, ...stored }, given, { url, now, alertFormat: 'json' }, problems);
  return problems.length > 0 ? problems.map(({ message }) => message) : after;
}

describe('the authentication at a receiver', () => {
  it.each([
    [null, 'must be an object with a kind'],
    [{}, 'must have the kind none, basic, bearer, oauth2, mtls'],
    [{ kind: 'digest' }, 'must have the kind'],
    [{ kind: 'basic', userName: 'a:b', password: 'p' }, 'of the kind basic: userName must not contain a colon'],
    [{ kind: 'basic', userName: 'a', password: 'p\r\n' }, 'of the kind basic: password must be 1 to 1024 characters'],
    [{ kind: 'bearer', token: 'a b' }, 'of the kind bearer: token must be 1 to 4096 visible ASCII characters without'],
    [{ kind: 'bearer', token: 'a\r\nX: y' }, 'of the kind bearer: token must be'],
    [{ ...oauth2, scope: 'a\nb' }, 'of the kind oauth2: scope must be'],
    [{ ...oauth2, clientAuthentication: 'private_key_jwt' }, 'of the kind oauth2: clientAuthentication must be one of'],
    [{ ...oauth2, tokenCaCertificate: 'x' }, 'of the kind oauth2: tokenCaCertificate must be PEM'],
    [
      { kind: 'mtls', certificate: one.key, privateKey: one.key },
      'of the kind mtls: certificate must contain certificates only',
    ],
    [
      { kind: 'mtls', certificate: 'x'.repeat(40_000), privateKey: one.key },
      'of the kind mtls: certificate must be 32768',
    ],
    [
      { kind: 'mtls', certificate: '-----BEGIN CERTIFICATE-----'.repeat(11), privateKey: one.key },
      'of the kind mtls: certificate must have 10 certificates or fewer',
    ],
  ])('is checked: %#', (given, problem) => {
    expect(readAuth(given)).toEqual([expect.stringContaining(problem)]);
  });

  it('takes an empty scope as none', () => {
    const given = { ...oauth2, clientAuthentication: 'client_secret_post', scope: '' };
    expect(auth(given)).toEqual({
      ...oauth2,
      clientAuthentication: 'client_secret_post',
      scope: null,
      audience: null,
      tokenCaCertificate: null,
    });
  });

  it('is shown with the mask, and takes what is shown back as unchanged', () => {
    for (const receiverAuth of [
      auth({ kind: 'none' }),
      auth({ kind: 'basic', userName: 'me', password: 'a password' }),
      auth({ kind: 'bearer', token: 'a-token' }),
      auth(oauth2),
      auth({ kind: 'mtls', certificate: one.cert, privateKey: one.key }),
    ]) {
      const requestHeaders = [{ name: 'X-Key', value: 'a value' }];
      const shown = shownSettings({ requestHeaders, receiverAuth });
      for (const secret of ['a value', 'a password', 'a-token', 'a client secret', one.key]) {
        expect(`${shown.requestHeaders}${shown.receiverAuth}`).not.toContain(JSON.stringify(secret).slice(1, -1));
      }
      const again = {
        requestHeaders: JSON.parse(shown.requestHeaders) as ReceiverSecrets['requestHeaders'],
        receiverAuth: auth(JSON.parse(shown.receiverAuth) as object),
      };
      expect(change({ requestHeaders, receiverAuth }, again)).toEqual({ requestHeaders, receiverAuth });
    }
  });

  it('needs its secret when there is none of its kind yet', () => {
    expect(change({}, { receiverAuth: auth({ kind: 'bearer' }) })).toEqual([
      'receiverAuth of the kind bearer: token is required',
    ]);
    expect(
      change(
        { receiverAuth: auth({ kind: 'bearer', token: 't' }) },
        { receiverAuth: auth({ kind: 'basic', userName: 'x', password: secretMask }) },
      ),
    ).toEqual(['receiverAuth of the kind basic: password is required']);
    expect(change({}, { requestHeaders: [{ name: 'X-A', value: secretMask }] })).toEqual([
      'requestHeaders has no value of X-A yet: give one',
    ]);
  });

  it('does not lend stored secrets to another host: they could be read by changing the URL', () => {
    const moved = { before: 'https://a.example/in', after: 'https://evil.example/in' };
    const again = 'webhookUrl goes to another host, and stored secrets do not go along';
    expect(change({ requestHeaders: [{ name: 'X-A', value: 'v' }] }, {}, moved)).toEqual([
      `requestHeaders must be given again with the value of X-A: ${again}`,
    ]);
    for (const kind of ['basic', 'bearer', 'oauth2']) {
      const stored = {
        kind,
        userName: 'u',
        password: 'p',
        token: 't',
        ...(kind === 'oauth2' && oauth2),
      } as unknown as ReceiverAuth;
      for (const after of [
        'https://evil.example/',
        'http://a.example/in',
        'https://a.example:444/in',
        'https://a.example.evil/',
      ]) {
        expect(change({ receiverAuth: stored }, {}, { ...moved, after })).toEqual([expect.stringContaining(again)]);
      }
      expect(change({ receiverAuth: stored }, {}, { ...moved, after: 'pull:' })).toMatchObject({
        receiverAuth: stored,
      });
      expect(change({ receiverAuth: stored }, {}, { before: 'pull:', after: 'https://a.example/' })).toHaveLength(1);
    }
    const given = {
      receiverAuth: auth({ ...oauth2, tokenUrl: 'https://evil.example/token', clientSecret: secretMask }),
    };
    expect(change({ receiverAuth: auth(oauth2) }, given)).toEqual([
      expect.stringContaining('tokenUrl goes to another host'),
    ]);
  });

  it('has a client certificate whose key belongs to it, and that has not expired', () => {
    const mtls = (certificate: string, privateKey: string) => ({
      receiverAuth: auth({ kind: 'mtls', certificate, privateKey }),
    });
    expect(change({}, mtls(one.cert, one.key))).toMatchObject({ receiverAuth: { kind: 'mtls' } });
    expect(change({}, mtls(`${one.cert}${other.cert}`, one.key))).toMatchObject({ receiverAuth: { kind: 'mtls' } });
    expect(change({}, mtls(one.cert, other.key))).toEqual([
      'receiverAuth of the kind mtls: privateKey does not belong to the first certificate',
    ]);
    expect(change({}, mtls(one.cert, 'not a key'))).toEqual([
      expect.stringContaining('privateKey must be a private key in PEM'),
    ]);
    const expired = makeOwnCertificate(new Date(now.getTime() - 1000));
    expect(change({}, mtls(expired.cert, expired.key))).toEqual([
      expect.stringContaining('certificate has expired on'),
    ]);
    // It expired after it was stored, and must not prevent other changes.
    expect(change(mtls(expired.cert, expired.key), { requestHeaders: [] })).toMatchObject({
      receiverAuth: { kind: 'mtls' },
    });
  });

  it('has certificates whose dates can be read', () => {
    const der = Buffer.from(one.cert.replaceAll(/-----.*-----/gu, ''), 'base64');
    const [, expiry] = [...der.toString('latin1').matchAll(/\d{12}Z/gu)];
    der.write('991341', expiry?.index ?? 0);
    const certificate = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`;
    expect(readAuth({ kind: 'mtls', certificate, privateKey: one.key })).toEqual([
      expect.stringContaining('certificate must be PEM of certificates, and one of them cannot be read'),
    ]);
  });

  it.each([
    ['too weak', generateKeyPairSync('rsa', { modulusLength: 1024 })],
    // Each handshake would take a worker a long time.
    ['too large', generateKeyPairSync('rsa', { modulusLength: 4104 })],
    ['on a curve that TLS 1.3 does not have', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
    ['of another kind', generateKeyPairSync('x25519')],
  ])('has no private key that is %s', (_which, { privateKey }) => {
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(change({}, { receiverAuth: auth({ kind: 'mtls', certificate: one.cert, privateKey: key }) })).toEqual([
      'receiverAuth of the kind mtls: privateKey must be RSA with 2048 to 4096 bits, a key on P-256, P-384 or P-521, or Ed25519',
    ]);
  });

  it('is not joined by another Authorization header', () => {
    const requestHeaders = [{ name: 'AUTHORIZATION', value: 'v' }];
    expect(change({}, { requestHeaders, receiverAuth: auth({ kind: 'bearer', token: 't' }) })).toEqual([
      'requestHeaders must not name Authorization, which receiverAuth of the kind bearer sends',
    ]);
    expect(change({}, { requestHeaders })).toMatchObject({ requestHeaders });
  });
});

it.each([
  ['https://a.example/x', 'https://a.example:443/y', true],
  ['https://a.example', 'https://A.EXAMPLE/', true],
  ['https://a.example', 'http://a.example', false],
  ['pull:', 'pull:', false],
  ['', '', false],
])('isSameOrigin of %s and %s is %s', (left, right, isSame) => {
  expect(isSameOrigin(left, right)).toBe(isSame);
});
