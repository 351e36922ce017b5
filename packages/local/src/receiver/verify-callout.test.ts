import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyCallout } from './verify-callout.ts';

const BODY = Buffer.from('{"Action":"Create","Fields":{"CompanyName":"Größe 🚨"}}');
const NOW = new Date('2025-09-15T15:10:00Z');
const WHSEC = `whsec_${Buffer.from('a key of thirty-two random bytes').toString('base64')}`;

/** Signs with the reference implementation of Standard Webhooks; the other signature by hand. */
function signed(secretKey: string, options: { body?: Buffer; at?: Date } = {}) {
  const { body = BODY, at = NOW } = options;
  const webhook = secretKey.startsWith('whsec_') ? new Webhook(secretKey) : new Webhook(secretKey, { format: 'raw' });
  return {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at.getTime() / 1000),
      'webhook-signature': webhook.sign('msg_1', at, body.toString('utf8')),
      'x-hook-signature': `sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`,
    },
    body,
    receivedAt: NOW,
  };
}

const VERIFIED = { webhookSignature: 'verified', hookSignature: 'verified' };
const UNKNOWN = { webhookSignature: 'secret unknown', hookSignature: 'secret unknown' };

describe('verifyCallout', () => {
  it.each([
    ['an ordinary secret', 'correct horse battery'],
    ['a whsec_ secret', WHSEC],
  ])('verifies both signatures made with %s', (_name, secretKey) => {
    expect(verifyCallout(signed(secretKey), [secretKey])).toEqual(VERIFIED);
  });

  it('accepts a whsec_ secret that is not valid base64 as it is', () => {
    const secretKey = 'whsec_not base64!';
    const request = signed('irrelevant');
    const mac = createHmac('sha256', secretKey)
      .update(`msg_1.${NOW.getTime() / 1000}.`)
      .update(BODY);
    const headers = { ...request.headers, 'webhook-signature': `v1,${mac.digest('base64')}` };
    expect(verifyCallout({ ...request, headers }, [secretKey]).webhookSignature).toBe('verified');
  });

  it('finds any of its secrets among several signatures, as while a secret is being changed', () => {
    const request = signed('old secret');
    const both = `${signed('new secret').headers['webhook-signature']} ${request.headers['webhook-signature']}`;
    const headers = { ...request.headers, 'webhook-signature': both };
    expect(verifyCallout({ ...request, headers }, ['some other', 'old secret'])).toEqual(VERIFIED);
    // The other signature is that of the old secret alone.
    expect(verifyCallout({ ...request, headers }, ['new secret'])).toEqual({
      webhookSignature: 'verified',
      hookSignature: 'wrong',
    });
  });

  it.each([
    ['another secret', signed('another secret')],
    ['another body', { ...signed('secret key'), body: Buffer.from('{}') }],
  ])('calls the secret unknown, and no signature wrong, where no secret fits either: %s', (_name, request) => {
    expect(verifyCallout(request, ['secret key'])).toEqual(UNKNOWN);
    expect(verifyCallout(request, [])).toEqual(UNKNOWN);
  });

  it('refuses an id or a time that was not signed', () => {
    const request = signed('secret key');
    for (const changed of [{ 'webhook-id': 'msg_2' }, { 'webhook-timestamp': String(NOW.getTime() / 1000 + 1) }]) {
      const headers = { ...request.headers, ...changed };
      expect(verifyCallout({ ...request, headers }, ['secret key']).webhookSignature).toBe('wrong');
    }
  });

  it.each([-301, 301])('calls a callout too old whose time is %d s away', (awayS) => {
    const request = signed('secret key', { at: new Date(NOW.getTime() + awayS * 1000) });
    expect(verifyCallout(request, ['secret key']).webhookSignature).toBe('too old');
  });

  it('says which signatures are missing', () => {
    const missing = { webhookSignature: 'missing', hookSignature: 'missing' };
    expect(verifyCallout({ headers: {}, body: BODY, receivedAt: NOW }, ['secret key'])).toEqual(missing);
  });
});
