import type { AlertFormat } from '@callout/domain/alert/alert';
import { alertMessage } from '@callout/domain/alert/alert-message';
import { withRoutingKey } from '@callout/domain/alert/pagerduty';
import { durationInWords } from './text/words.rules.ts';
import type { StoredAlert } from './write/notification.rules.ts';

/** How requests to the URL of operators look. */
export interface OperatorMessageStyle {
  readonly format: AlertFormat;
  readonly routingKey: string | undefined;
  /** The name of the installation. */
  readonly installation: string;
  /** The console for operators; undefined: there is none. */
  readonly console: string | undefined;
}

/** The body of the request about an alert of the installation, or about its end. */
export function operatorMessage(
  alert: StoredAlert,
  { format, routingKey, installation, console }: OperatorMessageStyle,
): string {
  const { name, title, detail, since } = alert;
  const until = alert.until ?? null;
  const isOver = until !== null;
  const advice = isOver ? [] : alert.advice.map(({ say, commands = [] }) => [say, ...commands].join(' '));
  if (format === 'json') {
    return JSON.stringify({
      state: isOver ? 'over' : 'raised',
      alert: name,
      installation,
      title,
      detail,
      advice,
      since,
      until,
      console,
    });
  }
  const message = alertMessage(
    {
      title: `${isOver ? 'Alert over' : 'Alert'}: ${title}`,
      summary: `${installation}: ${title}. ${isOver ? 'When it was raised: ' : ''}${detail}`,
      severity: isOver ? 'info' : 'critical',
      kind: isOver ? 'over' : 'open',
      key: `callout/${installation}/${name}`.slice(0, 255),
      source: installation,
      at: until ?? since,
      link: console === undefined ? undefined : { say: 'Open the console for operators', url: console },
      facts: [
        ['Since', since.toISOString()],
        ...(isOver ? [['Duration', durationInWords(until.getTime() - since.getTime())] as const] : []),
        ...advice.map((say, nth) => [`Step ${nth + 1}`, say] as const),
      ],
    },
    format,
  );
  return routingKey === undefined ? message : withRoutingKey(message, routingKey);
}
