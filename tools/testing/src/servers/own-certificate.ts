import { createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';

export interface OwnCertificate {
  /** PEM; signed by itself, so it is its own authority as well. */
  cert: string;
  /** PEM. */
  key: string;
}

const ecdsaWithSha256 = tagged(0x30, oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
const dayMs = 86_400_000;

/**
 * A certificate for `localhost`, made on the spot: no private key has to lie in the repository.
 * @param expiresAt in a day by default.
 */
export function makeOwnCertificate(expiresAt = new Date(Date.now() + dayMs)): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = tagged(
    0x30,
    tagged(0x31, tagged(0x30, oid([0x55, 0x04, 0x03]), tagged(0x0c, Buffer.from('localhost')))),
  );
  const validity = tagged(0x30, time(Date.now() - dayMs), time(expiresAt.getTime()));
  const isAuthority = extension([0x55, 0x1d, 0x13], tagged(0x30, tagged(0x01, Buffer.from([0xff]))));
  const alternativeName = extension([0x55, 0x1d, 0x11], tagged(0x30, tagged(0x82, Buffer.from('localhost'))));
  const body = tagged(
    0x30,
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, tagged(0x30, isAuthority, alternativeName)),
  );
  const certificate = tagged(0x30, body, ecdsaWithSha256, bits(sign(body, privateKey)));
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function sign(body: Buffer, key: KeyObject): Buffer {
  return createSign('SHA256').update(body).sign(key);
}

/** DER: a tag, the length of the content, and the content. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function bits(content: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), content);
}

function extension(id: number[], value: Buffer): Buffer {
  return tagged(0x30, oid(id), tagged(0x04, value));
}

/** UTCTime, `YYMMDDHHMMSSZ`. */
function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}
