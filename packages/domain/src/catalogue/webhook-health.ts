/** The entity whose records are the webhooks of a tenant, and whose events say what happened to them. */
export const webhookHealthType = 'WebhookHealth';

/** What happened to a webhook: the values of the picklist `occurrence` in catalogue/webhook-health.json. */
export const occurrences = [
  'deactivated',
  'paused',
  'failing',
  'recovered',
  'calloutFailed',
  'thresholdHeld',
  'thresholdReleased',
  'secretRotated',
  'certificateExpiring',
] as const;

export type Occurrence = (typeof occurrences)[number];

/** What an occurrence concerns. A recovery is over what was reported of the same webhook and subject before. */
export const occurrenceSubjects = ['delivery', 'threshold', 'certificate', 'secret', 'signingKey'] as const;

export type OccurrenceSubject = (typeof occurrenceSubjects)[number];
