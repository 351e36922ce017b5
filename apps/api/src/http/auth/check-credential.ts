import { Problem } from '@callout/domain/problem';
import { tenantIsMoving } from '@callout/database/connection/transaction/served-tenant';
import type { TenantState } from '@callout/tenancy/credentials';
import { type CheckSecret, type StoredSecret, sameText } from './check-secret.ts';

/** The credential that a caller presents. */
export interface GivenCredential {
  readonly userName: string;
  readonly secret: string;
  /** Or how to learn it, where it comes with the body: nothing is read of a body before its secret is right. */
  readonly apiIntegrationCode: string | ((credential: StoredCredential) => Promise<string>);
}

/** A credential as it is stored. */
export interface StoredCredential extends StoredSecret {
  readonly tenantId: number;
  readonly resourceId: number;
  readonly apiIntegrationCode: string;
  readonly role: string;
  readonly isResourceActive: boolean;
  readonly canCreateWebhooks: boolean;
  readonly apiRequestsPerHour: number | null;
  readonly tenantState: TenantState;
  /** See `CachedAuthentication`. */
  readonly version: string;
}

/** The user name and address of an authentication: the key of a lockout. */
interface AuthenticationAttempt {
  /** The user name in lower case. */
  readonly foldedUserName: string;
  readonly address: string;
}

/** The data of an authentication before its secret is checked. */
interface FoundCredential {
  /** For how long the user name is locked out from the address, in seconds; 0: it is not. */
  readonly lockedForS: number;
  readonly credential: StoredCredential | undefined;
  /** The zone that is known to serve the user name in place of this one. */
  readonly otherZone: { readonly name: string; readonly url: string } | undefined;
}

export interface CheckCredentialDeps {
  readonly checkSecret: CheckSecret;
  /** Reads the data of a user name and its address: one lookup, for known and unknown names. */
  readonly findCredential: (attempt: AuthenticationAttempt) => Promise<FoundCredential | undefined>;
  /**
   * Counts a wrong secret, code or name. Returns the seconds of a lockout by concurrent failures that were counted
   * before this one; else 0.
   */
  readonly countFailure: (attempt: AuthenticationAttempt) => Promise<number>;
}

/** Returns the stored credential when the given one is right. Throws a Problem as `createCheckCredential` says. */
export type CheckCredential = (given: GivenCredential, address: string) => Promise<StoredCredential>;

/** Compared for unknown user names, so that known and unknown names take the same steps. */
const UNKNOWN_USER: StoredCredential = {
  credentialId: 0,
  tenantId: 0,
  resourceId: 0,
  apiIntegrationCode: '',
  secretHash: Buffer.alloc(32),
  secretScrypt: null,
  role: 'integrator',
  isResourceActive: false,
  canCreateWebhooks: false,
  apiRequestsPerHour: null,
  tenantState: 'active',
  version: '',
};

/**
 * The check of every authentication, by headers, by SOAP or in the console: lockout, secret, code, an active resource.
 * Rights are read again each time.
 * Known and unknown names take the same steps, get the same message and are locked out alike; a lockout is reported
 * before anything is compared, so it reveals nothing about the secret. The time does not reveal whether a name with a
 * generated secret is known. It can reveal a name with an imported secret, whose check is slow: to hide that, every
 * unknown name would have to cost as much, and guessing names would be the cheapest way to overload the API.
 * Throws a `Problem`: 401 with the same message for every mistake, or about a lockout; 421 for a user of another zone;
 * 503 when too many imported secrets are being checked, which counts as no failure, or when the tenant has not arrived
 * here yet.
 */
export function createCheckCredential(deps: CheckCredentialDeps): CheckCredential {
  return async ({ userName, secret, apiIntegrationCode }, address) => {
    // No user has such a name, and PostgreSQL refuses to look for it: with it, all that are looked for in the same
    // statement.
    if (userName.includes('\0')) throw Problem.unauthorized();
    const attempt = { foldedUserName: userName.toLowerCase(), address };
    const found = await deps.findCredential(attempt);
    if (found !== undefined && found.lockedForS > 0) throw lockedOut(found.lockedForS);
    const credential = found?.credential ?? UNKNOWN_USER;
    // Before the secret is checked: zoneInformation names the zone without credentials, and the secret may have changed
    // there.
    const isElsewhere = credential === UNKNOWN_USER || credential.tenantState === 'left';
    const zone = isElsewhere ? found?.otherZone : undefined;
    if (zone !== undefined) throw Problem.wrongZone(zone.name, zone.url);
    const isSecretRight = await deps.checkSecret(secret, credential);
    const isCodeRight = sameText(await codeOf(), credential.apiIntegrationCode);
    if (credential === UNKNOWN_USER || !isSecretRight || !isCodeRight) {
      const lockedForS = await deps.countFailure(attempt);
      throw lockedForS > 0 ? lockedOut(lockedForS) : Problem.unauthorized();
    }
    if (!credential.isResourceActive) {
      throw Problem.unauthorized('The resource that these credentials belong to is not active.');
    }
    if (credential.tenantState === 'arriving') throw tenantIsMoving();
    return credential;

    async function codeOf(): Promise<string> {
      if (typeof apiIntegrationCode === 'string') return apiIntegrationCode;
      return credential !== UNKNOWN_USER && isSecretRight ? apiIntegrationCode(credential) : '';
    }
  };
}

/** 401, as every refused authentication; this one gives its reason, since it is true of every secret. */
function lockedOut(forS: number): Problem {
  const minutes = Math.ceil(forS / 60);
  const message =
    'This user name is locked out from this address after too many failed sign-ins, also for the right secret. ' +
    `Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`;
  return new Problem('unauthorized', [{ code: 'lockedOut', message }], { retryAfterS: forS });
}
