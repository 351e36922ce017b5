/**
 * How the callouts of a webhook on `WebhookHealth` look. `json`: as for any other webhook, in its payloadFormat. The
 * others are messages for the incoming webhooks of a chat or a pager.
 */
export const alertFormats = ['json', 'slack', 'teams', 'pagerduty'] as const;

export type AlertFormat = (typeof alertFormats)[number];

/** The formats of messages. */
export type MessageFormat = Exclude<AlertFormat, 'json'>;

/** A problem, the end of one, or something to know, for a chat or a pager. Its texts are of any origin: formats escape them. */
export interface Alert {
  /** A line, such as `Paused: Billing`. */
  readonly title: string;
  /** One sentence or more. */
  readonly summary: string;
  readonly severity: 'critical' | 'error' | 'warning' | 'info';
  /**
   * `open` begins or continues a problem, `over` ends a problem since all is well, and `note` is only information,
   * which ends an open problem of the key for a pager.
   */
  readonly kind: 'open' | 'over' | 'note';
  /** Names the problem: `over` has the key of its `open`. At most 255 characters. */
  readonly key: string;
  /** What has the problem, such as `Account webhook 3`. */
  readonly source: string;
  readonly at: Date;
  /** Where to go on, in the console; undefined where its address is unknown. */
  readonly link?: { readonly say: string; readonly url: string } | undefined;
  /** What else is known, in order. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}
