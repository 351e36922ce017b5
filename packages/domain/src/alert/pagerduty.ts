import { secretMask } from '../input/secret-mask.ts';
import { oneLine } from '../mail/clean-text.ts';
import type { Alert } from './alert.ts';

/** PagerDuty cuts longer summaries, and refuses events of more than 512 KB. */
const longestSummary = 1_024;
const longestDetail = 2_000;

/**
 * An event of the Events API v2: https://developer.pagerduty.com/docs/send-alert-event. What is over resolves the alert
 * with the same key. A note opens none either, since a pager is no place for it: it resolves what is open under its key, or
 * what does not exist, which PagerDuty accepts and ignores. Its details are there for the log.
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
 * The bytes that are sent of a message that says a mask in place of its routing key. The key is a secret: bodies in the
 * log have the mask. Any other body stays as it is.
 */
export function withRoutingKey(body: string, routingKey: string): string {
  return body.startsWith(maskedKey)
    ? `{"routing_key":${JSON.stringify(routingKey)},${body.slice(maskedKey.length)}`
    : body;
}
