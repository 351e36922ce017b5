/**
 * How the callouts of a webhook on `WebhookHealth` look. `json`: as those of any other webhook, in its payloadFormat. The
 * others are messages for the incoming webhooks of a chat or a pager.
 */
export const alertFormats = ['json', 'slack', 'teams', 'pagerduty'] as const;

export type AlertFormat = (typeof alertFormats)[number];

/** The formats of messages. */
export type MessageFormat = Exclude<AlertFormat, 'json'>;
