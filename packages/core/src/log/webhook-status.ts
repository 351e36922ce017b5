/** What decides whether a webhook gets callouts. */
export interface WebhookStatus {
  readonly id: number;
  readonly guid: string;
  readonly isActive: boolean;
  readonly isOwnerActive: boolean;
  readonly onCreate: boolean;
  readonly onUpdate: boolean;
  readonly onDelete: boolean;
  /** Field and UdfField records, and those of them that updates are watched for. */
  readonly fieldRecords: number;
  readonly subscribedFields: number;
  /** The keys that its secrets are encrypted with. */
  readonly secretKeyIds: readonly string[];
  /** When and why it last became inactive; null: it never did. */
  readonly deactivation: { readonly at: Date; readonly cause: string; readonly detail: string | null } | null;
  /** How its receiver fails; null: the last callout got through, or there was none. */
  readonly failing: {
    readonly since: Date;
    /** Callouts in a row that used up their attempts. */
    readonly givenUp: number;
    readonly last: string | null;
    /** The end of the pause; null: the webhook is not paused. */
    readonly pausedUntil: Date | null;
  } | null;
  /** Its callouts that the threshold keeps back. */
  readonly held: number;
}
