import { z } from 'zod';
import type { Payload } from './mail-recipients.ts';
import { readPageUrl } from '../kinds/addresses.ts';
import { key, like, UnreadableValue } from '../kinds/key.ts';
import { oneOf } from '../kinds/kinds.ts';

/** Where alerts of the installation go besides mail. */
export const operatorAlertConfig = z.object({
  CALLOUT_OPERATOR_URL: key<string>({
    description:
      'Where operators reach the operator API, for links to its console in mail and messages to them. `callout admin` uses it, too.',
    accepts: 'an http: or https: URL without user, query or fragment, such as http://10.0.0.5:8082',
    whenAbsent: 'http://127.0.0.1:8082',
    read: (text) => readPageUrl(text).replace(/\/(?:operator|console)(?:\/.*)?$/u, ''),
  }),
  OPERATOR_ALERT_URL: key<string | undefined>({
    description:
      'A URL that gets a POST when something is wrong with the installation itself and when it is over, such as the incoming webhook of a chat, see [mail.md](mail.md#alerts-to-a-chat-or-a-pager). Private addresses are allowed here, those of cloud metadata are not. Not set: no such request.',
    accepts: 'an http: or https: URL without user and fragment',
    whenAbsent: undefined,
    isSecret: true,
    read: readAlertUrl,
  }),
  OPERATOR_ALERT_FORMAT: oneOf({
    description: 'What OPERATOR_ALERT_URL takes: JSON of Callout, or messages for Slack, Microsoft Teams or PagerDuty.',
    words: ['json', 'slack', 'teams', 'pagerduty'],
    default: 'json',
  }),
  OPERATOR_ALERT_ROUTING_KEY: key<string | undefined>({
    description: 'The integration key of PagerDuty. Required with OPERATOR_ALERT_FORMAT=pagerduty.',
    accepts: 'up to 100 visible ASCII characters',
    whenAbsent: undefined,
    isSecret: true,
    read: like(/^[\x21-\x7e]{1,100}$/u),
  }),
});

/** For `refine`, to require the key of PagerDuty. */
export const alertKeyIsSet: [
  (config: { readonly OPERATOR_ALERT_ROUTING_KEY: string | undefined }) => boolean,
  { path: string[]; error: string; when: (payload: Payload) => boolean },
] = [
  (config) => config.OPERATOR_ALERT_ROUTING_KEY !== undefined,
  {
    path: ['OPERATOR_ALERT_ROUTING_KEY'],
    error: 'is missing. Set it to the integration key of the service of PagerDuty: OPERATOR_ALERT_FORMAT is pagerduty.',
    // Also when other keys are wrong: this problem belongs in the same message.
    when: ({ value, issues }) =>
      typeof value === 'object' &&
      value !== null &&
      Reflect.get(value, 'OPERATOR_ALERT_FORMAT') === 'pagerduty' &&
      !issues.some(({ path }) => path?.[0] === 'OPERATOR_ALERT_ROUTING_KEY'),
  },
];

function readAlertUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new UnreadableValue();
  if (url.username !== '' || url.password !== '' || text.includes('#')) throw new UnreadableValue();
  return text;
}
