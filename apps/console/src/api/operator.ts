import { askServer } from './session.ts';

/** Where the operator API is, on the operator's port. */
const root = '/operator/v1';

/** One page of a list; `nextAfter` is null on the last one. */
export interface OperatorPage<Item> {
  readonly items: readonly Item[];
  readonly nextAfter: number | string | null;
}

/** A query of an address; what is undefined or empty is left out. */
type Query = Readonly<Record<string, string | number | null | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

/** Asks the operator API for an item, or has one changed. Throws ApiError. */
export async function operate<Item>(method: string, path: string, body?: unknown): Promise<Item> {
  return (await askServer<{ item: Item }>(method, root + path, body)).item;
}

/** Asks the operator API for a page of a list. Throws ApiError. */
export function operatorList<Item>(path: string, query: Query = {}): Promise<OperatorPage<Item>> {
  return askServer('GET', withQuery(root + path, query));
}

export interface Tenant {
  readonly id: number;
  readonly name: string;
  readonly zoneID: number;
  /** Null: as the installation; 0: none. */
  readonly calloutThreshold: number | null;
  readonly apiRequestsPerHour: number | null;
  readonly createDateTime: string;
  readonly deletingDateTime: string | null;
}

export interface Zone {
  readonly id: number;
  readonly name: string;
  /** Empty: reached under whatever address the caller used. */
  readonly url: string;
  readonly webUrl: string;
  readonly isDefault: boolean;
}

export interface Resource {
  readonly id: number;
  readonly email: string;
  readonly isActive: boolean;
  readonly canCreateWebhooks: boolean;
}

export interface Credential {
  readonly id: number;
  readonly resourceID: number;
  readonly userName: string;
  readonly role: 'integrator' | 'source' | 'admin';
  readonly isSecretImported: boolean;
  readonly createDateTime: string;
  readonly revokeDateTime: string | null;
}

/** A credential with what was generated for it, this once. */
export interface IssuedCredential extends Credential {
  readonly secret?: string;
  readonly apiIntegrationCode?: string;
}

export interface Lockout {
  /** Null: no credential has that name. */
  readonly userName: string | null;
  readonly address: string;
  readonly endDateTime: string;
}

/** A link that signs one person in, once. */
export interface SignInLink {
  readonly url: string;
  readonly expiresDateTime: string;
}

/** What is wrong, in words, with what to do. */
export interface InstallationProblem {
  readonly kind: string;
  readonly severity: 'urgent' | 'notice';
  readonly sentence: string;
  readonly remedy: string;
  /** The page of the console where it can be done or seen. */
  readonly page: string | null;
}

/** A process, as it told of itself last. */
export interface ProcessItem {
  readonly id: string;
  readonly service: 'api' | 'worker';
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly roles: readonly string[];
  readonly keyIDs: readonly string[];
  readonly checks: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
  readonly startDateTime: string;
  readonly seenDateTime: string;
  readonly isReady: boolean;
  readonly isGone: boolean;
}

export interface QueueFigures {
  readonly events: {
    readonly waiting: number;
    readonly most: number;
    readonly firstDateTime: string | null;
    readonly lastDateTime: string | null;
  };
  readonly jobs: readonly { readonly queue: string; readonly waiting: number; readonly active: number }[];
}

/** What is owed, who works on it, and what is wrong. */
export interface Status {
  readonly checkDateTime: string;
  readonly problems: readonly InstallationProblem[];
  readonly pendingEvents: { readonly count: number; readonly oldestDateTime: string | null };
  readonly openCallouts: {
    readonly due: number;
    readonly dueSinceDateTime: string | null;
    readonly beingSent: number;
    readonly inLine: number;
    readonly paused: number;
    readonly later: number;
    readonly waiting: number;
    readonly held: number;
    readonly cancelling: number;
  };
  readonly pausedWebhooks: number;
  readonly waitingMails: number;
  readonly connections: Readonly<Record<'api' | 'worker' | 'all' | 'server' | 'most', number>>;
  readonly fullest: readonly {
    readonly tenantID: number;
    readonly entityType: string;
    readonly webhookID: number;
    readonly name: string;
    readonly isActive: boolean;
    readonly openCallouts: number;
    readonly pausedUntilDateTime: string | null;
    readonly lastFailure: string | null;
  }[];
  readonly queues: QueueFigures | null;
  readonly processes: readonly ProcessItem[];
}
