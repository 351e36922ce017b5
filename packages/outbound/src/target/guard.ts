import { types } from 'node:util';
import { type Failure, type FailureKind, makeFailure } from '@callout/domain/outcome/failures';
import { type AddressPolicy, judgeAddress } from '@callout/domain/target/address';
import { addressOfHost } from '@callout/domain/target/target';

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
 * Judges the addresses of a host at this moment, under this policy. Every address the name resolves to is
 * judged, and one forbidden address refuses the host: a name that points inside and outside at once is an attack, not a
 * receiver. A host that is an address is judged itself, without resolution.
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
