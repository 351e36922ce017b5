import { z } from 'zod';
import { wholeNumber } from '../kinds/kinds.ts';

const MAX_DAYS = 3650;

/** How long history is kept. What is still owed is kept in any case. */
export const retentionConfig = z.object({
  RETENTION_CALLOUTS_DAYS: days(
    'Days that callouts, their bodies and attempts are kept, 0 = for ever. A day with a callout that is still open, or named by a mail that is still owed, is kept until that is done.',
  ),
  RETENTION_EVENTS_DAYS: days(
    'Days that events and their verdicts are kept, 0 = for ever. A day with an event that is still pending is kept until it is matched.',
  ),
  RETENTION_ERROR_LOGS_DAYS: days('Days that WebhookEventErrorLogs are kept, 0 = for ever.'),
});

function days(description: string) {
  return wholeNumber({ description, default: 30, min: 0, max: MAX_DAYS });
}
