/** What pg takes for `verify-full` today, with a warning on stderr that a later version will take them for less. */
const takenForVerifyFull = /^(prefer|require|verify-ca)$/;

/**
 * The connection URL with what it says about TLS spelt out: every `sslmode` that asks for TLS has the certificate and the
 * name in it checked, against `sslrootcert` or the authorities that Node knows. Only `no-verify` checks nothing.
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
