/** Times that several stages of a worker use, in milliseconds; tests have shorter ones. */
export interface Paces {
  /** After how long a callout whose worker died or is frozen may be sent by another. */
  readonly leaseMs: number;
  /** Between two searches for work that is due or whose job was lost. */
  readonly sweepEveryMs: number;
  /** How long sending one mail may take. */
  readonly mailTimeoutMs: number;
}

export const usualPaces: Paces = {
  // Many times as long as a usual call takes; the leases of longer calls are renewed.
  leaseMs: 10_000,
  // As long as a callout may wait for nothing, and rare enough that an idle worker costs PostgreSQL nothing.
  sweepEveryMs: 1_000,
  // A mail server answers within seconds, and a mail that fails is tried again.
  mailTimeoutMs: 30_000,
};
