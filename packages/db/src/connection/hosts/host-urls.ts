/** `scheme://login@hosts/path?options`, with one host or several. */
const form = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]+)([^?#]*)(?:\?([^#]*))?$/;

export interface HostUrls {
  /** One URL for each host, in the order given. */
  readonly urls: readonly [string, ...string[]];
  /** Whether only a host that takes writes will do: asked for, or one of several. */
  readonly mustTakeWrites: boolean;
}

/** What libpq calls it, and Callout does for it: its driver knows neither several hosts nor this option. */
const option = /^target_session_attrs=/;

/** Takes a connection URL that may name several hosts, as `postgres://user@one:5432,two:5432/name`, apart. */
export function hostUrls(url: string): HostUrls {
  const [, before = '', hosts, path = '', query = ''] = form.exec(url) ?? [];
  if (hosts === undefined) return { urls: [url], mustTakeWrites: false };
  const options = query.split('&').filter((one) => one !== '');
  const others = options.filter((one) => !option.test(one));
  const end = others.length === 0 ? path : `${path}?${others.join('&')}`;
  const [first = '', ...more] = hosts.split(',').map((host) => `${before}${host}${end}`);
  const mustTakeWrites = more.length > 0 || options.some((one) => option.test(one) && !one.endsWith('=any'));
  return { urls: [first, ...more], mustTakeWrites };
}
