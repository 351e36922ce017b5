import { z } from 'zod';
import { wholeNumber } from '../kinds/kinds.ts';

const MAX_DAYS = 3650;

/** How long history is kept. Open callouts are kept in any case. */
export const retentionConfig = z.object({
  RETENTION_CALLOUTS_DAYS: days(
    'Days that callouts, their bodies and attempts are kept, 0 = for ever. [sizing.md](sizing.md#how-long-history-is-kept) says what keeps a day longer.',
  ),
  RETENTION_EVENTS_DAYS: days(
    'Days that events and their verdicts are kept, 0 = for ever; not less than RETENTION_CALLOUTS_DAYS, since bodies of callouts are made from events.',
  ),
  RETENTION_ERROR_LOGS_DAYS: days('Days that WebhookEventErrorLogs are kept, 0 = for ever.'),
  RETENTION_CHANGES_DAYS: days(
    'Days that changes of configuration are kept, 0 = for ever; not less than RETENTION_CALLOUTS_DAYS, since they say why callouts were cancelled.',
    365,
  ),
});

function days(description: string, byDefault = 30) {
  return wholeNumber({ description, default: byDefault, min: 0, max: MAX_DAYS });
}
