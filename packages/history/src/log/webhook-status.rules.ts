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
  /** The text of its condition; null: none. */
  readonly condition: string | null;
  /** The keys that its secrets are encrypted with. */
  readonly secretKeyIds: readonly string[];
  /** When its client certificate expires; null: it has none. */
  readonly certificateExpiresAt: Date | null;
  /** When and why it last became inactive; null: it never did. */
  readonly deactivation: { readonly at: Date; readonly cause: string; readonly detail: string | null } | null;
  /** How its receiver fails; null: the last callout got through, or there was none. */
  readonly failing: {
    readonly since: Date;
    /** Callouts in a row that used up their attempts. */
    readonly failed: number;
    readonly last: string | null;
    /** The end of the pause; null: the webhook is not paused. */
    readonly pausedUntil: Date | null;
    /** When the first of its open callouts is sent, as an attempt or as a probe; null: there is none. */
    readonly firstDueAt: Date | null;
    /** A call is under way that finds out whether the receiver is back. */
    readonly isProbed: boolean;
    /** Its callouts are to be fetched, and no program has fetched any since then. */
    readonly isUnfetched: boolean;
  } | null;
  /** Its callouts that the threshold keeps back. */
  readonly held: number;
  /** By the clock of the database. */
  readonly now: Date;
}
