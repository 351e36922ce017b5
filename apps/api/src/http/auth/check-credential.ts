import { Problem } from '@callout/domain/problem';
import { tenantIsMoving } from '@callout/database/connection/transaction/served-tenant';
import type { TenantState } from '@callout/tenancy/credentials';
import { type CheckSecret, type StoredSecret, sameText } from './check-secret.ts';

/** The credential of a request. */
export interface GivenCredential {
  readonly userName: string;
  readonly secret: string;
  /** Or how to learn the code, where the body has it: no body is read before the secret is right. */
  readonly apiIntegrationCode: string | ((credential: StoredCredential) => Promise<string>);
}

/** A stored credential. */
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

/** The data of an authentication before the secret is checked. */
interface FoundCredential {
  /** For how long the user name is locked out from the address, in seconds; 0: not at all. */
  readonly lockedForS: number;
  readonly credential: StoredCredential | undefined;
  /** Another zone that serves the user name. */
  readonly otherZone: { readonly name: string; readonly url: string } | undefined;
}

export interface CheckCredentialDeps {
  readonly checkSecret: CheckSecret;
  /** Reads the data of a user name and an address: a single lookup, for known and unknown names. */
  readonly findCredential: (attempt: AuthenticationAttempt) => Promise<FoundCredential | undefined>;
  /**
   * Counts a wrong secret, code or name. Returns the seconds of a lockout by concurrent failures that were counted
   * earlier; else 0.
   */
  readonly countFailure: (attempt: AuthenticationAttempt) => Promise<number>;
}

/**
 * Returns the stored credential when the presented credential is right. Throws a Problem as `createCheckCredential`
 * does.
 */
export type CheckCredential = (presented: GivenCredential, address: string) => Promise<StoredCredential>;

/** Compared for unknown user names: known and unknown names take equal steps. */
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
 * Rights are read again each time. Known and unknown names take equal steps, get equal messages and are locked out
 * alike; a lockout is reported before anything is compared, and reveals nothing about the secret. The time does not
 * reveal whether a name with a generated secret is known. The time can reveal a name with an imported secret, whose
 * check is slow: a secret check for every unknown name would make guessing names the cheapest way to overload the API.
 * Throws a `Problem`: 401 with an equal message for every mistake, or about a lockout; 421 for a user of another zone;
 * 503 when too many imported secrets are being checked, which counts as no failure, or when the tenant has not arrived
 * here yet.
 */
export function createCheckCredential(deps: CheckCredentialDeps): CheckCredential {
  return async ({ userName, secret, apiIntegrationCode }, address) => {
    // No user has such a name, and PostgreSQL refuses to look for it: with it, all that are looked for in the same
    // statement.
    if (userName.includes('\0')) throw Problem.unauthorized();
    const attempt = { foldedUserName: userName.toLowerCase(), address };
    const attemptData = await deps.findCredential(attempt);
    if (attemptData !== undefined && attemptData.lockedForS > 0) throw lockedOut(attemptData.lockedForS);
    const credential = attemptData?.credential ?? UNKNOWN_USER;
    // Before the secret is checked: zoneInformation names the zone without credentials, and the secret may have changed
    // there.
    const isElsewhere = credential === UNKNOWN_USER || credential.tenantState === 'left';
    const zone = isElsewhere ? attemptData?.otherZone : undefined;
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

/** 401, as every refused authentication, with the reason, which holds for every secret. */
function lockedOut(forS: number): Problem {
  const minutes = Math.ceil(forS / 60);
  const message =
    'This user name is locked out from this address after too many failed sign-ins, also for the right secret. ' +
    `Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`;
  return new Problem('unauthorized', [{ code: 'lockedOut', message }], { retryAfterS: forS });
}
