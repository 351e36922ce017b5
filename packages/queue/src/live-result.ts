/** The result of an attempt for live views. It contains nothing that was sent or received. */
export interface LiveResult {
  readonly calloutId: string;
  readonly webhookKey: number;
  readonly recordId: number;
  readonly sequenceNumber: number;
  readonly kind: string;
  /** The state of the callout now: `due` waits for its next attempt. */
  readonly state: 'delivered' | 'failed' | 'cancelled' | 'due';
  readonly attempt: number;
  /** When the attempt began, in milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Null when there was no response. */
  readonly status: number | null;
  /** The problem as a sentence; null when there is none. */
  readonly reason: string | null;
  /** Milliseconds until the next attempt; null when there is none. */
  readonly nextInMs: number | null;
}

/** Reads a message of a channel; undefined when it is invalid: every program with access to Redis can publish there. */
export function readLiveResults(text: string): LiveResult[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isResult) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isResult(value: unknown): value is LiveResult {
  if (typeof value !== 'object' || value === null) return false;
  const { calloutId, webhookKey, state } = value as Partial<LiveResult>;
  return typeof calloutId === 'string' && Number.isSafeInteger(webhookKey) && typeof state === 'string';
}

/** The watched tenants, each with the time until which it is watched: one sorted set. */
export const watchedKey = (prefix: string): string => `${prefix}:live:watched`;

/** The channel for the results of a tenant's callouts. */
export const liveChannel = (prefix: string, tenantId: number): string => `${prefix}:live:${tenantId}`;

/** The tenant of a channel; undefined for other channels. */
export function tenantOfChannel(prefix: string, channel: string): number | undefined {
  const start = `${prefix}:live:`;
  const id = channel.startsWith(start) ? Number(channel.slice(start.length)) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
