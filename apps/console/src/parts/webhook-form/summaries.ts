import type { FormSection } from '@callout/webhooks/settings/settings';
import { draftOf, type GroupDraft, isGroup } from '../condition-form/condition-draft.ts';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { initialSettings, sectionText, type WebhookSettings } from '../settings-form/form-settings.ts';

/** The line about the values in a closed section of the form. */
export interface Summary {
  readonly summary: string;
  /** Whether the values differ from most webhooks. */
  readonly isSet: boolean;
}

/** What a section of settings says, in the words of the settings. */
export function summaryOf(section: FormSection, entityType: string, settings: WebhookSettings): Summary {
  const summary = sectionText(section, entityType, settings);
  return { summary, isSet: summary !== sectionText(section, entityType, initialSettings(entityType)) };
}

export function conditionSummary({ condition }: Pick<WebhookSettings, 'condition'>): Summary {
  const count = comparisonsOf(draftOf(condition ?? ''));
  if (count === 0) return { summary: 'None: every change of a watched field makes a callout', isSet: false };
  return { summary: counted(count, 'comparison'), isSet: true };
}

export function excludedSummary(excluded: readonly number[]): Summary {
  return excluded.length === 0
    ? { summary: 'None', isSet: false }
    : { summary: counted(excluded.length, 'resource'), isSet: true };
}

const signers: Readonly<Record<WebhookSettings['signatureKind'], string>> = {
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

/** @param generated the secret at the beginning of the form. */
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
