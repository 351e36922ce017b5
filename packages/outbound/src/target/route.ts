import type { SecureContext } from 'node:tls';
import { addressOfHost } from '@callout/domain/target/target';

/** The destination of one request: a host, and those of its addresses that were judged for this attempt. */
export interface Route {
  readonly isSecure: boolean;
  /** As in the URL, without brackets. */
  readonly hostname: string;
  /** The host's name in TLS: without the final dot of DNS, and empty for an address. */
  readonly servername: string;
  readonly port: number;
  /** In their canonical spelling. */
  readonly addresses: readonly string[];
  /** Equal for requests that may share connections: same scheme, host, port, judged addresses and TLS material. */
  readonly key: string;
  /** In place of the usual one. */
  readonly secureContext?: SecureContext | undefined;
}

/** The route to the host of a URL over judged addresses. @param own the TLS context of this call alone, and its id. */
export function routeTo(
  url: URL,
  addresses: readonly string[],
  own?: { readonly id: string; readonly secureContext: SecureContext },
): Route {
  const isSecure = url.protocol === 'https:';
  const literal = addressOfHost(url.hostname);
  const key = `${url.origin} ${addresses.length === 1 ? addresses[0] : addresses.toSorted().join(' ')}`;
  return {
    isSecure,
    hostname: literal ?? url.hostname,
    servername: literal === undefined ? url.hostname.replace(/\.$/u, '') : '',
    port: Number(url.port) || (isSecure ? 443 : 80),
    addresses,
    key: own === undefined ? key : `${key} ${own.id}`,
    secureContext: own?.secureContext,
  };
}
