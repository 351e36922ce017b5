/** The facts that determine whether a webhook gets callouts. */
export interface WebhookStatus {
  readonly id: number;
  readonly guid: string;
  readonly entityType: string;
  readonly isActive: boolean;
  readonly isOwnerActive: boolean;
  readonly onCreate: boolean;
  readonly onUpdate: boolean;
  readonly onDelete: boolean;
  /** The number of Field and UdfField records, and of the ones that updates are watched for. */
  readonly fieldRecords: number;
  readonly subscribedFields: number;
  /** The text of the condition; null: no condition. */
  readonly condition: string | null;
  /** The keys that encrypt the secrets. */
  readonly secretKeyIds: readonly string[];
  /** When the client certificate expires; null: no certificate. */
  readonly certificateExpiresAt: Date | null;
  /** When and why the webhook last became inactive; null: never. */
  readonly deactivation: { readonly at: Date; readonly cause: string; readonly detail: string | null } | null;
  /** How the receiver fails; null: the last callout got through, or no callout was sent. */
  readonly failing: {
    readonly since: Date;
    /** Callouts in a row that used up their attempts. */
    readonly failed: number;
    readonly last: string | null;
    /** The end of the pause; null: the webhook is not paused. */
    readonly pausedUntil: Date | null;
    /** When the first open callout is sent, as an attempt or as a probe; null: no open callout. */
    readonly firstDueAt: Date | null;
    /** A call is under way that finds out whether the receiver is back. */
    readonly isProbed: boolean;
    /** Its callouts are to be fetched, and no program has fetched any since then. */
    readonly isUnfetched: boolean;
  } | null;
  /** Callouts that the threshold keeps back. */
  readonly held: number;
  /** By the clock of the database. */
  readonly now: Date;
}
