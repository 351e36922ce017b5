import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyCallout } from './verify-callout.ts';

const BODY = Buffer.from('{"Action":"Create","Fields":{"CompanyName":"Größe 🚨"}}');
const NOW = new Date('2025-09-15T15:10:00Z');

/** Signs with the reference implementation of Standard Webhooks; the other signature by hand. */
function signed(secretKey: string, at = NOW, body = BODY) {
  return {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at.getTime() / 1000),
      'webhook-signature': new Webhook(secretKey, { format: 'raw' }).sign('msg_1', at, body.toString('utf8')),
      'x-hook-signature': `sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`,
    },
    body,
    receivedAt: NOW,
  };
}

const known = signed('secret key');
const at = (awayS: number) => signed('secret key', new Date(NOW.getTime() + awayS * 1000));

describe('verifyCallout', () => {
  it.each([
    ['signed with a secret that is known', known, 'verified', 'verified'],
    ['that is no callout', signed('secret key', NOW, Buffer.from('plain')), 'verified', 'verified'],
    ['signed too long before', at(-301), 'too old', 'verified'],
    ['signed too long after', at(301), 'too old', 'verified'],
    ['with another id', { ...known, headers: { ...known.headers, 'webhook-id': 'msg_2' } }, 'wrong', 'verified'],
    ['signed with another secret', signed('another secret'), 'secret unknown', 'secret unknown'],
    ['with another body', { ...known, body: Buffer.from('{}') }, 'secret unknown', 'secret unknown'],
    ['that is not signed', { ...known, headers: {} }, 'missing', 'missing'],
  ])('judges each signature of a request %s', async (_, request, webhookSignature, hookSignature) => {
    expect(await verifyCallout(request, ['old one', 'secret key'])).toEqual({ webhookSignature, hookSignature });
  });

  it('calls the secret unknown where there is none', async () => {
    const unknown = { webhookSignature: 'secret unknown', hookSignature: 'secret unknown' };
    expect(await verifyCallout(known, [])).toEqual(unknown);
  });
});
