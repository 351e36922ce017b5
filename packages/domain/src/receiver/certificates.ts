import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** Longest PEM text: a chain of a few certificates. */
export const maxPemLength = 32_768;
const maxCertificates = 10;
const beginning = '-----BEGIN CERTIFICATE-----';
const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/gu;

export type PemVerdict<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly message: string };

/** Reads the certificates of a PEM text. `message` continues a sentence that begins with the key. */
export function readCertificates(pem: string): PemVerdict<{ readonly certificates: readonly X509Certificate[] }> {
  if (pem.length > maxPemLength) return refuse(`must be ${maxPemLength} characters or fewer`);
  if (/PRIVATE KEY/u.test(pem)) return refuse('must contain certificates only, and no private key');
  // Before anything is matched: each beginning without an end is searched to the end of the text.
  if (pem.split(beginning).length - 1 > maxCertificates)
    return refuse(`must have ${maxCertificates} certificates or fewer`);
  const blocks = pem.match(block) ?? [];
  if (blocks.length === 0) return refuse(`must be PEM: ${beginning} and so on`);
  if (pem.replaceAll(block, '').trim() !== '') return refuse('must contain certificates in PEM and nothing else');
  const certificates = blocks.map(readOne).filter((one) => one !== undefined);
  if (certificates.length < blocks.length) return refuse('must be PEM of certificates, and one of them cannot be read');
  return { ok: true, certificates };
}

function readOne(pem: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem);
    // OpenSSL takes any text for a date.
    return Number.isNaN(expiryOf(certificate).getTime()) ? undefined : certificate;
  } catch {
    return undefined;
  }
}

/**
 * A worker signs with the key in each handshake, and does nothing else meanwhile: 70 ms with 4,096 bits whose numbers
 * were chosen to be slow, 5 s with 16,384.
 */
const rsaBits = { least: 2048, most: 4096 } as const;
/** The curves of TLS 1.3. */
const curves = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Why a client must not sign with a key, as a requirement; undefined for a good key. */
function keyProblem({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  if (type === 'ed25519') return undefined;
  if (type === 'ec' && curves.includes(details?.namedCurve ?? '')) return undefined;
  const bits = details?.modulusLength ?? 0;
  const isRsa = type === 'rsa' || type === 'rsa-pss';
  if (isRsa && bits >= rsaBits.least && bits <= rsaBits.most) return undefined;
  return `must be RSA with ${rsaBits.least} to ${rsaBits.most} bits, a key on P-256, P-384 or P-521, or Ed25519`;
}

/**
 * Checks a client certificate, with its chain, and its private key: both can be read, the key can sign in TLS and
 * belongs to the first certificate, which has not expired.
 */
export function checkClientCertificate(
  { certificate, privateKey }: { readonly certificate: string; readonly privateKey: string },
  now: Date,
): PemVerdict<{ readonly expiresAt: Date }> {
  const read = readCertificates(certificate);
  if (!read.ok) return { ok: false, message: `certificate ${read.message}` };
  const [clientCertificate] = read.certificates;
  if (clientCertificate === undefined) return refuse('certificate must be PEM');
  if (privateKey.length > maxPemLength) return refuse(`privateKey must be ${maxPemLength} characters or fewer`);
  if (/ENCRYPTED/u.test(privateKey)) return refuse('privateKey must not be protected by a passphrase');
  let key: KeyObject;
  try {
    key = createPrivateKey(privateKey);
  } catch {
    return refuse('privateKey must be a private key in PEM: -----BEGIN PRIVATE KEY----- and so on');
  }
  const problem = keyProblem(key);
  if (problem !== undefined) return refuse(`privateKey ${problem}`);
  if (!clientCertificate.checkPrivateKey(key)) return refuse('privateKey does not belong to the first certificate');
  const expiresAt = expiryOf(clientCertificate);
  if (expiresAt <= now) return refuse(`certificate has expired on ${expiresAt.toISOString()}`);
  return { ok: true, expiresAt };
}

/** When the first certificate of a PEM text that was checked expires. */
export function certificateExpiry(pem: string): Date {
  return expiryOf(new X509Certificate(pem));
}

/** `validToDate` is missing in Node 20. */
function expiryOf(certificate: X509Certificate): Date {
  return new Date(certificate.validTo);
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message };
}

/** What one webhook uses in TLS in place of the usual. */
export interface TlsMaterial {
  /** Equal for equal material: connections and TLS sessions are shared only among calls with the same id. */
  readonly id: string;
  /** Certificate authorities to trust in place of the public ones, in PEM. */
  readonly authorities?: string | undefined;
  /** A client certificate with its chain, and its private key, in PEM. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}
