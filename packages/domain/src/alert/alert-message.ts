import type { Alert, MessageFormat } from './alert.ts';
import { pagerDutyEvent } from './pagerduty.ts';
import { slackMessage } from './slack.ts';
import { teamsMessage } from './teams.ts';

/** The body of a message: compact JSON. It says a mask in place of a routing key, see `withRoutingKey`. */
export function alertMessage(alert: Alert, format: MessageFormat): string {
  return JSON.stringify(messages[format](alert));
}

const messages: Readonly<Record<MessageFormat, (alert: Alert) => object>> = {
  slack: slackMessage,
  teams: teamsMessage,
  pagerduty: pagerDutyEvent,
};
