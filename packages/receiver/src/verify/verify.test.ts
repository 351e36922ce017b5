import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { payload, SECRET, sentBody, sentCallout } from './signed-callout.fixture.ts';
import { VerificationError } from './verification-error.ts';
import { verify } from './verify.ts';

const now = new Date('2026-01-15T09:30:05Z');
const clock = { now: () => now };
const sent = sentCallout({}, { id: 'callout-1', signedAt: now, attempt: 3 });
const BASE64_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The code of the error that verifying ends with. */
async function refusal(...request: Parameters<typeof verify>): Promise<string> {
  const error = await verify(...request).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error instanceof VerificationError) return error.code;
  throw new Error(`expected a VerificationError, got ${String(error)}`);
}

describe('verify', () => {
  it('reads a callout that one of the secrets signed', async () => {
    expect(await verify(sent.body, sent.headers, ['another', SECRET], clock)).toEqual({
      id: 'callout-1',
      sentAt: now,
      attempt: 3,
      eventId: 'order-17',
      isTest: false,
      payload,
    });
  });

  it.each([
    ['a Headers object', (headers: Record<string, string>) => new Headers(headers)],
    [
      'names in any case',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      'lists of values',
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
  ])('takes headers as %s', async (_name, shape) => {
    await expect(verify(sent.body, shape(sent.headers), SECRET, clock)).resolves.toMatchObject({ id: 'callout-1' });
  });

  it('takes the body as bytes, as an ArrayBuffer and as text', async () => {
    const text = new TextDecoder().decode(sent.body);
    for (const body of [sent.body, sent.body.buffer, text, Buffer.from(text)]) {
      await expect(verify(body, sent.headers, SECRET, clock)).resolves.toMatchObject({ payload: { Id: 42 } });
    }
  });

  it('reads every format: the payload as text, and what was sent', async () => {
    const reference = {
      ...payload,
      Fields: {
        CompanyType: '3',
        AssetValue: '0.1',
        IsActive: 'true',
        City: null,
        'Service Tier': '2',
        'é __proto__': 'x',
      },
      PreviousFields: { CompanyType: null, 'Service Tier': '1' },
    };
    const typed = {
      ...{ action: 'Update', guid: payload.Guid, entityType: 'Account', id: 42 },
      fields: { companyType: { value: 3, label: null }, assetValue: 0.1, isActive: true, city: null },
      userDefinedFields: { 'Service Tier': { value: 2, label: 'Gold' }, 'é __proto__': 'x' },
      previousFields: { companyType: null },
      previousUserDefinedFields: { 'Service Tier': { value: 1, label: 'Silver' } },
      ...{ eventTime: payload.EventTime, sequenceNumber: 7, personID: 1 },
    };
    const read = async (body: object) => {
      const one = sentBody(JSON.stringify(body), { signedAt: now });
      const { payload: read, typed: raw } = await verify(one.body, one.headers, SECRET, clock);
      return { read: { ...read, Fields: { ...read.Fields } }, raw };
    };
    const event = { specversion: '1.0', id: 'x', source: 'urn:x', type: 'callout.company.updated.v1', data: typed };
    expect((await read(reference)).raw).toBeUndefined();
    for (const body of [typed, event]) {
      const { read: one, raw } = await read(body);
      expect(one).toEqual({ ...reference, PersonID: 1 });
      expect(raw).toEqual(typed);
    }
    for (const odd of [
      { action: 'Update' },
      { ...typed, id: '42' },
      { specversion: '1.0', data: null },
      { ...typed, fields: 1 },
    ]) {
      const one = sentBody(JSON.stringify(odd), { signedAt: now });
      expect(await refusal(one.body, one.headers, SECRET, clock)).toBe('malformed_body');
    }
  });

  it('takes both secrets while one replaces the other', async () => {
    const rotating = sentCallout({}, { secret: BASE64_SECRET, previous: SECRET, signedAt: now });
    await expect(verify(rotating.body, rotating.headers, SECRET, clock)).resolves.toBeDefined();
    await expect(verify(rotating.body, rotating.headers, BASE64_SECRET, clock)).resolves.toBeDefined();
  });

  it('takes whsec_ with base64 as bytes, and with anything else as text', async () => {
    for (const secret of [BASE64_SECRET, 'whsec_not base64', 'whsec_', 'whsec_abc=']) {
      const signed = sentCallout({}, { secret, signedAt: now });
      await expect(verify(signed.body, signed.headers, secret, clock)).resolves.toBeDefined();
    }
  });

  it('knows a test by its signed body, and not by a header', async () => {
    const test = sentCallout({ Id: 0, SequenceNumber: 0 }, { signedAt: now });
    await expect(verify(test.body, test.headers, SECRET, clock)).resolves.toMatchObject({ isTest: true });
    const claimed = { ...sent.headers, 'x-hook-test': 'true' };
    await expect(verify(sent.body, claimed, SECRET, clock)).resolves.toMatchObject({ isTest: false });
  });

  it('refuses another secret, body, id or time', async () => {
    expect(await refusal(sent.body, sent.headers, 'another', clock)).toBe('wrong_signature');
    expect(await refusal('{}', sent.headers, SECRET, clock)).toBe('wrong_signature');
    for (const header of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const changed = { ...sent.headers, [header]: `${sent.headers[header] ?? ''}1` };
      expect(await refusal(sent.body, changed, SECRET, clock)).toBe('wrong_signature');
    }
  });

  it('refuses whichever byte of the body changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(sent.body.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const changed = sent.body.slice();
        changed[at] = (changed[at] ?? 0) ^ bits;
        expect(await refusal(changed, sent.headers, SECRET, clock)).toBe('wrong_signature');
      }),
    );
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('refuses a request without %s', async (header) => {
    const { [header]: _absent, ...rest } = sent.headers;
    expect(await refusal(sent.body, rest, SECRET, clock)).toBe('missing_headers');
    // The other signature does not make up for it: who wants to replay a callout only has to remove this header.
    expect(rest['x-hook-signature']).toMatch(/^sha1=/u);
  });

  it('refuses a header that came twice', async () => {
    const twice = { ...sent.headers, 'webhook-id': ['callout-1', 'callout-2'] };
    expect(await refusal(sent.body, twice, SECRET, clock)).toBe('missing_headers');
  });

  it.each([
    ['too_old', 301],
    ['too_new', -301],
  ])('refuses as %s what was signed %i s before now', async (code, age) => {
    const late = { now: () => new Date(now.getTime() + age * 1000) };
    expect(await refusal(sent.body, sent.headers, SECRET, late)).toBe(code);
    await expect(verify(sent.body, sent.headers, SECRET, { ...late, toleranceSeconds: 302 })).resolves.toBeDefined();
  });

  it.each(['', '-1', '+1768469400', '1768469400.5', '1e9', '0x696', 'NaN', 'Infinity', '١٧٦٨٤٦٩٤٠٠', '9'.repeat(400)])(
    'refuses %j for a time, although signed',
    async (timestamp) => {
      const mac = createHmac('sha256', SECRET).update(`callout-1.${timestamp}.`).update(sent.body).digest('base64');
      const changed = { ...sent.headers, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
      const options = { ...clock, toleranceSeconds: Infinity };
      expect(await refusal(sent.body, changed, SECRET, options)).toBe('missing_headers');
    },
  );

  it('says nothing about the time of what is not signed', async () => {
    const late = { now: () => new Date(now.getTime() + 3_600_000) };
    expect(await refusal(sent.body, sent.headers, 'another', late)).toBe('wrong_signature');
  });

  it.each(['', 'null', '[]', '{}', '{"Action":"Update"}', 'no JSON', '{"Fields":null}'])(
    'refuses %j, although signed',
    async (text) => {
      const signed = sentBody(text, { signedAt: now });
      expect(await refusal(signed.body, signed.headers, SECRET, clock)).toBe('malformed_body');
    },
  );

  it('looks at ten signatures and no more', async () => {
    const { 'webhook-signature': right = '' } = sent.headers;
    const wrong = (count: number) => Array.from({ length: count }, () => 'v1,AAAA').join(' ');
    const withNine = { ...sent.headers, 'webhook-signature': `${wrong(9)} ${right}` };
    const withTen = { ...sent.headers, 'webhook-signature': `${wrong(10)} ${right}` };
    await expect(verify(sent.body, withNine, SECRET, clock)).resolves.toBeDefined();
    expect(await refusal(sent.body, withTen, SECRET, clock)).toBe('wrong_signature');
  });

  it.each([[''], [[]], [['', SECRET]], [undefined as unknown as string]])(
    'does not check with the secrets %j',
    async (secrets) => {
      await expect(verify(sent.body, sent.headers, secrets, clock)).rejects.toThrow(TypeError);
    },
  );

  it('does not take a parsed body', async () => {
    const parsed = payload as unknown as string;
    await expect(verify(parsed, sent.headers, SECRET, clock)).rejects.toThrow('Give the body as it came');
  });
});

describe('verify by X-Hook-Signature', () => {
  const options = { signature: 'x-hook-signature' } as const;

  it('reads a callout that one of the secrets signed, whenever', async () => {
    const old = sentCallout({}, { id: 'callout-1', signedAt: new Date(0) });
    await expect(verify(old.body, old.headers, ['another', SECRET], options)).resolves.toMatchObject({
      id: 'callout-1',
      sentAt: undefined,
    });
  });

  it('takes the text of a whsec_ secret', async () => {
    const signed = sentCallout({}, { secret: BASE64_SECRET });
    await expect(verify(signed.body, signed.headers, BASE64_SECRET, options)).resolves.toBeDefined();
  });

  it('refuses another secret, another body and a request without it', async () => {
    expect(await refusal(sent.body, sent.headers, 'another', options)).toBe('wrong_signature');
    expect(await refusal('{}', sent.headers, SECRET, options)).toBe('wrong_signature');
    const { 'x-hook-signature': _absent, ...rest } = sent.headers;
    expect(await refusal(sent.body, rest, SECRET, options)).toBe('missing_headers');
  });
});
