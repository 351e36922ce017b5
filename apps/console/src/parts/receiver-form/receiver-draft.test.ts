import { describe, expect, it } from '@jest/globals';
import { copyReceiver, emptyReceiver, receiverDraft } from './receiver-draft.ts';

describe('a copy of what a webhook sends beside the signature', () => {
  it('has everything but the secrets, and names those', () => {
    const stored = receiverDraft({
      receiverAuth: { kind: 'basic', userName: 'crm', password: '********' },
      requestHeaders: [{ name: 'X-Shop', value: '********' }],
      caCertificate: 'PEM',
    });
    expect(copyReceiver(stored)).toEqual({
      draft: {
        auth: { kind: 'basic', userName: 'crm', password: '' },
        headers: [{ key: 'X-Shop', name: 'X-Shop', value: '' }],
        caCertificate: 'PEM',
      },
      missing: ['the password', 'the value of the header X-Shop'],
    });
  });

  it('keeps a certificate, which is public, but not its key', () => {
    const auth = { kind: 'mtls', certificate: 'PEM', certificateExpiresAt: '2027-01-01', privateKey: '********' };
    expect(copyReceiver(receiverDraft({ receiverAuth: auth }))).toMatchObject({
      draft: { auth: { kind: 'mtls', certificate: 'PEM', privateKey: '' } },
      missing: ['the private key'],
    });
  });

  it('is empty where nothing is set', () => {
    expect(copyReceiver(receiverDraft({ receiverAuth: { kind: 'none' } }))).toEqual({
      draft: emptyReceiver,
      missing: [],
    });
  });
});
