/** `scheme://login@hosts/path?options`, with one host or several. */
const form = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]+)([^?#]*)(?:\?([^#]*))?$/;

export interface HostUrls {
  /** One URL for each host, in the order given. */
  readonly urls: readonly [string, ...string[]];
  /** Whether the host must be writable: required by the URL, or one of several hosts. */
  readonly mustBeWritable: boolean;
}

/** The option of libpq. Callout implements the option, since pg supports neither several hosts nor the option. */
const option = /^target_session_attrs=/;

/** Splits a connection URL that may contain several hosts, as `postgres://user@one:5432,two:5432/name`. */
export function hostUrls(url: string): HostUrls {
  const [, before = '', hosts, path = '', query = ''] = form.exec(url) ?? [];
  if (hosts === undefined) return { urls: [url], mustBeWritable: false };
  const options = query.split('&').filter((one) => one !== '');
  const otherOptions = options.filter((one) => !option.test(one));
  const end = otherOptions.length === 0 ? path : `${path}?${otherOptions.join('&')}`;
  const [first = '', ...more] = hosts.split(',').map((host) => `${before}${host}${end}`);
  const mustBeWritable = more.length > 0 || options.some((one) => option.test(one) && !one.endsWith('=any'));
  return { urls: [first, ...more], mustBeWritable };
}

/** Modes that pg treats like `verify-full` today, with a warning on stderr about a weaker future. */
const takenForVerifyFull = /^(prefer|require|verify-ca)$/;

/**
 * The connection URL with an explicit TLS mode: every `sslmode` that requires TLS verifies the certificate and the
 * name, against `sslrootcert` or the authorities that Node knows. Only `no-verify` verifies nothing.
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
