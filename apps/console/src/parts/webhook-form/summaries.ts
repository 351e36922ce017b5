import { draftOf, type GroupDraft, isGroup } from '../condition-form/condition-draft.ts';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import type { SignatureKind } from '../signing-keys/signature-input.tsx';
import { emptyDraft, type WebhookDraft, type WebhookSettings } from './webhook-draft.ts';

/** What a closed section of the form says of its values. */
export interface Summary {
  readonly summary: string;
  /** Whether these are other values than most webhooks have. */
  readonly isSet: boolean;
}

const formatNames = { reference: 'Reference', typed: 'Typed', cloudevents: 'CloudEvents' } as const;

const sentences = {
  format({ settings: { payloadFormat, includePreviousValues } }: WebhookDraft) {
    return `${formatNames[payloadFormat]}${includePreviousValues ? ', with previous values' : ''}`;
  },
  condition({ settings }: WebhookDraft) {
    const count = comparisonsOf(draftOf(settings.condition));
    return count === 0 ? 'None: every change of a watched field makes a callout' : counted(count, 'comparison');
  },
  excluded({ excluded }: WebhookDraft) {
    return excluded.length === 0 ? 'None' : counted(excluded.length, 'resource');
  },
  delivery({ settings }: WebhookDraft) {
    const { mergeWhileWaiting, maxCallsPerSecond, maxConcurrentCalls } = settings;
    const limits = [
      ...(maxCallsPerSecond === null ? [] : [`${maxCallsPerSecond.toLocaleString()} calls a second`]),
      ...(maxConcurrentCalls === null ? [] : [`${maxConcurrentCalls.toLocaleString()} at once`]),
    ];
    return [
      mergeWhileWaiting ? 'Merged while waiting' : 'Not merged',
      limits.length === 0 ? 'no limits' : `at most ${limits.join(' and ')}`,
    ].join(', ');
  },
  notices({ settings }: WebhookDraft) {
    const { notificationEmailAddress, sendThresholdExceededNotification, deactivationUrl, webhookUrl } = settings;
    const address = notificationEmailAddress.trim();
    const hasOwnUrl = deactivationUrl !== '' && deactivationUrl !== webhookUrl;
    return [
      `Mail to the owner${address === '' ? '' : ` and ${address}`}`,
      ...(sendThresholdExceededNotification ? ['also about thresholds'] : []),
      `deactivations to ${hasOwnUrl ? deactivationUrl : 'the same URL'}`,
    ].join(', ');
  },
} as const satisfies Record<string, (draft: WebhookDraft) => string>;

/** What the section of this name says of a draft. */
export function summaryOf(section: keyof typeof sentences, draft: WebhookDraft): Summary {
  const summary = sentences[section](draft);
  return { summary, isSet: summary !== sentences[section](emptyDraft) };
}

const signers: Readonly<Record<SignatureKind, string>> = {
  hmac: '',
  ed25519: ', but callouts are signed with a key pair',
  both: ', and callouts are signed with a key pair as well',
};

/** @param secret what is known of the secret. */
function signatureSummary({ signatureKind }: Pick<WebhookSettings, 'signatureKind'>, secret: string): Summary {
  return { summary: `${secret}${signers[signatureKind]}`, isSet: signatureKind !== 'hmac' };
}

export const storedSecretSummary = (settings: Pick<WebhookSettings, 'signatureKind'>): Summary =>
  signatureSummary(settings, 'A stored secret, which is not shown');

/** @param generated the secret that the form began with. */
export function newSecretSummary(
  settings: Pick<WebhookSettings, 'signatureKind'>,
  secretKey: string,
  generated: string,
): Summary {
  if (secretKey !== generated) return { ...signatureSummary(settings, 'A secret of your own'), isSet: true };
  return signatureSummary(settings, 'A generated secret, shown when the webhook is created');
}

const kinds: Readonly<Record<ReceiverDraft['auth']['kind'], readonly string[]>> = {
  none: [],
  basic: ['user name and password'],
  bearer: ['a token'],
  oauth2: ['OAuth 2.0'],
  mtls: ['a client certificate'],
};

export function receiverSummary({ auth, headers, caCertificate }: ReceiverDraft): Summary {
  const parts = [
    ...kinds[auth.kind],
    ...(headers.length === 0 ? [] : [counted(headers.length, 'header')]),
    ...(caCertificate.trim() === '' ? [] : ['a private certificate authority']),
  ];
  if (parts.length === 0) return { summary: 'None: the signature is enough', isSet: false };
  const text = parts.join(', ');
  return { summary: text.charAt(0).toUpperCase() + text.slice(1), isSet: true };
}

function comparisonsOf({ items }: GroupDraft): number {
  return items.reduce((sum, item) => sum + (isGroup(item) ? comparisonsOf(item) : 1), 0);
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
