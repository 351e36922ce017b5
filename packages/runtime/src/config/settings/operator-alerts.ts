import { z } from 'zod';
import { readPageUrl } from '../kinds/addresses.ts';
import { key, UnreadableValue } from '../kinds/key.ts';

/** Messages of other services; without the name of a format, JSON of Callout. */
const formats = ['slack', 'teams', 'pagerduty'] as const;

/** Where alerts of the installation are posted, and as what. */
export interface OperatorAlertTarget {
  readonly url: string;
  readonly format: 'json' | (typeof formats)[number];
  /** The integration key of PagerDuty; undefined for other formats. */
  readonly routingKey: string | undefined;
}

/** Where alerts of the installation go besides mail. */
export const operatorAlertConfig = z.object({
  CALLOUT_OPERATOR_URL: key<string>({
    description:
      'Where operators reach the operator API, for links to its console in mail and messages to them. `callout admin` uses it, too.',
    accepts: 'an http: or https: URL without user, query or fragment, such as http://10.0.0.5:8082',
    whenAbsent: 'http://127.0.0.1:8082',
    read: (text) => readPageUrl(text).replace(/\/(?:operator|console)(?:\/.*)?$/u, ''),
  }),
  OPERATOR_ALERT_URL: key<OperatorAlertTarget | undefined>({
    description:
      'A URL that gets a POST when something is wrong with the installation itself and when it is over: `https://…` takes JSON of Callout, `slack+https://…` and `teams+https://…` are incoming webhooks of a chat, and `pagerduty+https://KEY@events.pagerduty.com/v2/enqueue` has the integration key of a service; see [mail.md](mail.md#alerts-to-a-chat-or-a-pager).',
    accepts: `an http: or https: URL without fragment, plain or after ${formats.map((format) => `${format}+`).join(', ')}`,
    whenAbsent: undefined,
    isSecret: true,
    read: readAlertTarget,
  }),
});

function readAlertTarget(text: string): OperatorAlertTarget {
  const [, name, address = ''] = /^(?:([a-z]+)\+)?(https?:\/\/.*)$/su.exec(text) ?? [];
  const format = name === undefined ? 'json' : formats.find((one) => one === name);
  if (format === undefined || !URL.canParse(address) || text.includes('#')) throw new UnreadableValue();
  const url = new URL(address);
  const routingKey = format === 'pagerduty' ? url.username : undefined;
  if (format !== 'pagerduty' && url.username !== '')
    throw new UnreadableValue('only pagerduty+ has a key before its host');
  if (url.password !== '') throw new UnreadableValue();
  if (routingKey === '') throw new UnreadableValue('the integration key of PagerDuty is missing before the host');
  url.username = '';
  return { url: format === 'pagerduty' ? url.href : address, format, routingKey };
}
