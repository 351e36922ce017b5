/** Modes that pg treats like `verify-full` today, with a warning on stderr that a later version will weaken them. */
const takenForVerifyFull = /^(prefer|require|verify-ca)$/;

/**
 * The connection URL with its TLS mode made explicit: every `sslmode` that requires TLS verifies the certificate and
 * the name in it, against `sslrootcert` or the authorities that Node knows. Only `no-verify` verifies nothing.
 */
export function withExactTls(url: string): string {
  const [, before = '', query] = /^([^?]*)\?(.*)$/s.exec(url) ?? [];
  if (query === undefined || /(?:^|&)uselibpqcompat=/.test(query)) return url;
  const options = query
    .split('&')
    .map((option) => (option.startsWith('sslmode=') && takenForVerifyFull.test(option.slice(8)) ? verifyFull : option));
  return `${before}?${options.join('&')}`;
}

const verifyFull = 'sslmode=verify-full';
