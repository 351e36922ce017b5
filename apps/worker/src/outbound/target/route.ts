import { addressOfHost } from '@callout/core/deliver';

/** Where one request goes: a host, and the addresses of it that were judged for this very attempt. */
export interface Route {
  readonly isSecure: boolean;
  /** As in the URL, without brackets. */
  readonly hostname: string;
  /** The host's name in TLS: without the final dot that only DNS knows, and empty for an address. */
  readonly servername: string;
  readonly port: number;
  /** In their one spelling. */
  readonly addresses: readonly string[];
  /** The same for requests that may use one another's connections: same scheme, host, port and judged addresses. */
  readonly key: string;
}

/** The route to the host of a URL over addresses that were judged. */
export function routeTo(url: URL, addresses: readonly string[]): Route {
  const isSecure = url.protocol === 'https:';
  const literal = addressOfHost(url.hostname);
  return {
    isSecure,
    hostname: literal ?? url.hostname,
    servername: literal === undefined ? url.hostname.replace(/\.$/u, '') : '',
    port: Number(url.port) || (isSecure ? 443 : 80),
    addresses,
    key: `${url.origin} ${addresses.length === 1 ? addresses[0] : addresses.toSorted().join(' ')}`,
  };
}
