import { cleanName } from '../../mail/clean-text.ts';
import { noShownValues, type PayloadInput, type ShownValues } from '../payload.ts';
import type { Occurrence } from '../../catalogue/webhook-health.ts';
import type { Alert } from '../../alert/alert.ts';

/** What an occurrence is to a chat or a pager. */
const ofOccurrence: Readonly<Record<Occurrence, Pick<Alert, 'title' | 'kind' | 'severity'>>> = {
  deactivated: { title: 'Deactivated', kind: 'open', severity: 'critical' },
  failing: { title: 'Failing', kind: 'open', severity: 'error' },
  paused: { title: 'Paused', kind: 'open', severity: 'error' },
  calloutFailed: { title: 'Callout failed', kind: 'open', severity: 'error' },
  recovered: { title: 'Recovered', kind: 'over', severity: 'info' },
  thresholdHeld: { title: 'Threshold exceeded', kind: 'open', severity: 'warning' },
  thresholdReleased: { title: 'Caught up', kind: 'over', severity: 'info' },
  secretRotated: { title: 'Secret rotated', kind: 'note', severity: 'info' },
  certificateExpiring: { title: 'Certificate expires', kind: 'open', severity: 'warning' },
};

const unknown = { title: 'Webhook health', kind: 'note', severity: 'info' } as const;

/** These are in each message, or say what a person reads in the summary. */
const alreadySaid: ReadonlySet<string> = new Set([
  'summary',
  'occurrence',
  'subject',
  'webhookGUID',
  'name',
  'consoleURL',
]);

/** The parts of a callout's envelope that a message shows. */
interface AlertEnvelope {
  readonly recordId: number;
  readonly webhookGuid: string;
  readonly eventTime: Date;
}

/**
 * The content of a message about an event of `WebhookHealth`: the summary, and the fields that the webhook shows. A
 * user who deactivates or deletes a webhook ends the webhook's problem, though nothing is well.
 * @param input null, or of another action: nothing that a webhook on `WebhookHealth` gets.
 */
export function healthAlert(
  { recordId, webhookGuid, eventTime }: AlertEnvelope,
  input: PayloadInput | null,
  shown: ShownValues = noShownValues,
): Alert {
  const valueOf = (name: string) => (input && Object.hasOwn(input.fields, name) && input.fields[name]) || '';
  const occurrence = valueOf('occurrence');
  const described = Object.hasOwn(ofOccurrence, occurrence) ? ofOccurrence[occurrence as Occurrence] : unknown;
  const isTest = recordId === 0;
  const isOnPurpose = !isTest && ['user', 'deleted'].includes(valueOf('cause'));
  const url = isTest ? '' : valueOf('consoleURL');
  const name = cleanName(valueOf('name')) || `webhook ${valueOf('webhookID')}`;
  return {
    title: isTest ? 'Test' : `${described.title}: ${name}`,
    summary: isTest ? 'This is a test: messages about webhooks arrive here.' : valueOf('summary'),
    severity: isTest || isOnPurpose ? 'info' : described.severity,
    kind: isOnPurpose ? 'note' : isTest ? 'open' : described.kind,
    key: isTest ? `callout/${webhookGuid}/test` : `callout/${valueOf('webhookGUID')}/${valueOf('subject')}`,
    source: `${valueOf('entityType')} webhook ${valueOf('webhookID')}`,
    at: eventTime,
    link: url === '' ? undefined : { say: 'Open the webhook in the console', url },
    facts: shown.fields.flatMap(([{ name: field, key, labels }, value]) =>
      value === null || alreadySaid.has(field)
        ? []
        : [[key, labels?.find(([one]) => one === value)?.[1] ?? value] as const],
    ),
  };
}
