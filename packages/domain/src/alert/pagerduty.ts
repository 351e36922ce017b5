import { secretMask } from '../input/secret-mask.ts';
import { oneLine } from '../mail/clean-text.ts';
import type { Alert } from './alert.ts';

/** PagerDuty cuts longer summaries, and refuses events of more than 512 KB. */
const longestSummary = 1_024;
const longestDetail = 2_000;

/**
 * An event of the Events API v2: https://developer.pagerduty.com/docs/send-alert-event. What is over resolves the alert
 * with the same key. A note opens no alert either, since a pager is no place for notes: a note resolves the open alert
 * of its key, or a missing alert, which PagerDuty accepts and ignores. Its details are there for the log.
 */
export function pagerDutyEvent({ title, summary, severity, kind, key, source, at, link, facts }: Alert): object {
  return {
    routing_key: secretMask,
    event_action: kind === 'open' ? 'trigger' : 'resolve',
    dedup_key: key,
    client: 'Callout',
    ...(link && { client_url: link.url, links: [{ href: link.url, text: link.say }] }),
    payload: {
      summary: oneLine(summary, longestSummary),
      source,
      severity,
      timestamp: at.toISOString(),
      component: oneLine(title, longestSummary),
      custom_details: Object.fromEntries(facts.map(([label, value]) => [label, oneLine(value, longestDetail)])),
    },
  };
}

const maskedKey = `{"routing_key":${JSON.stringify(secretMask)},`;

/**
 * The bytes sent for a message with a mask in place of its routing key. The key is a secret: bodies in the log have the
 * mask. Any other body is unchanged.
 */
export function withRoutingKey(body: string, routingKey: string): string {
  return body.startsWith(maskedKey)
    ? `{"routing_key":${JSON.stringify(routingKey)},${body.slice(maskedKey.length)}`
    : body;
}
