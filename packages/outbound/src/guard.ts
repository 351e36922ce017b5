import { types } from 'node:util';
import { type Failure, type FailureKind, makeFailure } from '@callout/domain/outcome/failures';
import { type AddressPolicy, judgeAddress } from '@callout/domain/target/address';
import { addressOfHost } from '@callout/domain/target/target';
import type { SecureContext } from 'node:tls';

/**
 * Returns all addresses of a host name. Rejects with an Error whose `code` is the reason why there are none, as the
 * functions of node:dns do.
 */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * An address that was refused, for the operator's log: the owner of the webhook does not see the addresses of names.
 */
export interface Refusal {
  readonly hostname: string;
  readonly address: string;
  readonly why: string;
}

export type Judgement =
  /** The permitted addresses, each in its canonical spelling; never empty. */
  | { readonly kind: 'allowed'; readonly addresses: readonly string[] }
  /** `refusal` when the policy refuses. */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly refusal?: Refusal };

/** Enough for any real host; a name with a hundred addresses must not be a hundred connections tried in turn. */
const maxAddressesTried = 8;

/**
 * Judges the present addresses of a host, under a policy. Every resolved address is judged, and one forbidden address
 * refuses the host: a name that points inside and outside at once is an attack, not a receiver. A host that is an
 * address is judged without resolution.
 */
export async function judgeHost(hostname: string, policy: AddressPolicy, resolve: Resolve): Promise<Judgement> {
  const literal = addressOfHost(hostname);
  if (literal !== undefined) return judgeAll(hostname, [literal], policy);
  let answers: readonly string[];
  try {
    answers = await resolve(hostname);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { kind: 'refused', failure: makeFailure(dnsFailures[code] ?? 'nameUnresolved', hostname, code) };
  }
  if (answers.length === 0) return { kind: 'refused', failure: makeFailure('nameWithoutAddress', hostname) };
  return judgeAll(hostname, answers, policy);
}

function judgeAll(hostname: string, answers: readonly string[], policy: AddressPolicy): Judgement {
  const addresses: string[] = [];
  for (const address of answers) {
    const verdict = judgeAddress(address, policy);
    if (!verdict.allowed) {
      const refusal = { hostname, address, why: verdict.reason };
      return { kind: 'refused', failure: makeFailure('addressForbidden', hostname), refusal };
    }
    addresses.push(verdict.address);
  }
  return { kind: 'allowed', addresses: addresses.slice(0, maxAddressesTried) };
}

const dnsFailures: Readonly<Record<string, FailureKind>> = {
  ENOTFOUND: 'nameUnknown',
  ENODATA: 'nameWithoutAddress',
  ETIMEOUT: 'nameServersSilent',
  ESERVFAIL: 'nameServersFailed',
  EREFUSED: 'nameServersRefused',
};

function codeOf(error: unknown): string | undefined {
  const code: unknown = types.isNativeError(error) ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The destination of a request: a host, and the addresses that were judged for the attempt. */
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

/**
 * The route to the host of a URL over judged addresses. @param own the TLS context of the call alone, and the id of the
 * context.
 */
export function routeTo(
  url: URL,
  addresses: readonly string[],
  context?: { readonly id: string; readonly secureContext: SecureContext },
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
    key: context === undefined ? key : `${key} ${context.id}`,
    secureContext: context?.secureContext,
  };
}
