import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';

type Headers = Record<string, string>;

/** A request that no receiver may handle, and that none may answer as if its own program had failed. */
export interface HostileRequest {
  readonly name: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** What a receiver answers; of a server that refuses the request by itself, any status of the class 4xx is right. */
  readonly status: 400 | 401;
}

/** What hostile requests are made of. */
export interface Genuine {
  /** The headers and the body of a callout, as they came. */
  readonly headers: Headers;
  readonly body: Buffer;
  /** The secret that signed it, which is text. */
  readonly secret: string;
}

const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** UTF-8 as it is on the wire: Node sends one byte for each character of a header. */
const onWire = (text: string) => Buffer.from(text).toString('latin1');

/** Times that are none, or that programs read in different ways. The first digits of the last four are of this moment. */
const times = (): Headers => ({
  'an empty time': '',
  'a negative time': `-${nowInSeconds()}`,
  'a time with a plus sign': `+${nowInSeconds()}`,
  'a time with a fraction': `${nowInSeconds()}.5`,
  'a time with an exponent': '1e9',
  'a time in hex': `0x${nowInSeconds().toString(16)}`,
  'a time that is no number': 'NaN',
  'an infinite time': 'Infinity',
  'a time of 13 digits': '9'.repeat(13),
  'the smallest 64-bit number': '-9223372036854775808',
  'a time whose difference from now overflows': String(BigInt(nowInSeconds()) - 2n ** 63n),
  'a time of 400 digits': '9'.repeat(400),
  'a time of 6,000 digits': '9'.repeat(6000),
  'a time behind 400 zeros': `${'0'.repeat(400)}${nowInSeconds()}`,
  'a time with a space in it': `${nowInSeconds()} 0`,
  'a time in Arabic digits': onWire('١٧٦٨٤٦٩٤٠٠'),
  'a time with a superscript digit': `${nowInSeconds()}\u00b2`,
});

/** Values of `webhook-signature` beside which there is no right one. */
const signatures = (right: string): Headers => ({
  'no signature': '',
  'spaces for signatures': ' '.repeat(100),
  'a version without a signature': 'v1,',
  'a signature without a version': right.replace(/^v1,/u, ''),
  'an unknown version': right.replace(/^v1,/u, 'v9,'),
  'a version in capitals': right.replace(/^v1,/u, 'V1,'),
  'a short signature': right.slice(0, -8),
  'a long signature': `${right}AAAA`,
  'a signature that is not base64': 'v1,!!!! v1a,!!!! v1a,=',
  'a signature in another base64': right.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') + '-',
  'bytes that are no ASCII': onWire('v1,é v1a,日本'),
  'a thousand signatures before the right one': `${'v1,AAAA '.repeat(1000)}${right}`,
  'many thousand signatures before the right one': `${'v1,AAAA '.repeat(6000)}${right}`,
  'a hundred signatures of Ed25519': Array.from({ length: 100 }, () => `v1a,${'A'.repeat(86)}==`).join(' '),
});

/** Bodies that are signed, and are not those of callouts. */
const bodies: Readonly<Record<string, Buffer>> = {
  'an empty body': Buffer.alloc(0),
  'a body that is not JSON': Buffer.from('not JSON'),
  null: Buffer.from('null'),
  'a list': Buffer.from('[]'),
  'a text': Buffer.from('"x"'),
  'an object without a number': Buffer.from('{}'),
  'a number that is text': Buffer.from('{"SequenceNumber":"7"}'),
  'a number that is null': Buffer.from('{"SequenceNumber":null}'),
  'a body that is not UTF-8': Buffer.from([0xff, 0xfe, 0x22]),
  'a body that is nested very deeply': Buffer.from('['.repeat(100_000)),
};

/** Requests with the headers of Standard Webhooks. */
export function hostileRequests({ headers, body, secret }: Genuine): HostileRequest[] {
  const id = headers['webhook-id'] ?? '';
  const now = String(nowInSeconds());
  const signed = (timestamp: string, content: Buffer): Headers => ({
    ...headers,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature(secret, `${id}.${timestamp}.`, content),
  });
  const right = signed(now, body);
  const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
  const given = signatures(right['webhook-signature'] ?? '');
  return [
    ...Object.entries(times()).flatMap(([name, timestamp]) => [
      { name: `${name}, signed`, headers: signed(timestamp, body), body, status: 401 as const },
      { name, headers: { ...right, 'webhook-timestamp': timestamp }, body, status: 401 as const },
    ]),
    ...Object.entries(given).map(([name, value]) => ({
      name,
      headers: { ...right, 'webhook-signature': value },
      body,
      status: 401 as const,
    })),
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name: `no ${name}`,
      headers: without(name),
      body,
      status: 401 as const,
    })),
    ...Object.entries(bodies).map(([name, content]) => ({
      name,
      headers: signed(now, content),
      body: content,
      status: 400 as const,
    })),
  ];
}

/** Requests with X-Hook-Signature, for receivers that check only that. */
export function hostileHookRequests({ headers, body, secret }: Genuine): HostileRequest[] {
  const right = hookSignature(secret, body);
  const wrong: Headers = {
    'no signature': '',
    'a scheme without a signature': 'sha1=',
    'a signature without a scheme': right.replace('sha1=', ''),
    'another scheme': right.replace('sha1=', 'sha256='),
    'a scheme in capitals': right.replace('sha1=', 'SHA1='),
    'a short signature': right.slice(0, -4),
    'the right signature twice': `${right} ${right}`,
    'a signature that is not base64': 'sha1=!!!!',
    'bytes that are no ASCII': onWire('sha1=é日本'),
    'a signature of 6,000 characters': `sha1=${'A'.repeat(6000)}`,
  };
  return [
    ...Object.entries(wrong).map(([name, value]) => ({
      name,
      headers: { ...headers, 'x-hook-signature': value },
      body,
      status: 401 as const,
    })),
    ...Object.entries(bodies).map(([name, content]) => ({
      name,
      headers: { ...headers, 'x-hook-signature': hookSignature(secret, content) },
      body: content,
      status: 400 as const,
    })),
  ];
}

/** Sends a request, on a connection of its own, with headers that `fetch` would refuse. @returns the status of the response. */
export function sendHostile(url: string, { headers, body }: Pick<HostileRequest, 'headers' | 'body'>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': String(body.length), connection: 'close' },
    });
    request.on('response', (response) => {
      response.resume().on('error', () => undefined);
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function standardSignature(secret: string, prefix: string, body: Buffer): string {
  return `v1,${createHmac('sha256', secret).update(prefix).update(body).digest('base64')}`;
}

function hookSignature(secret: string, body: Buffer): string {
  return `sha1=${createHmac('sha1', secret).update(body).digest('base64')}`;
}
