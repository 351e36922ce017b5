import { z } from 'zod';
import { flag, message, webhookGUID, webhookID } from '../../../http/operation/wire-types.ts';

/** Whether a webhook gets callouts. */
export const readiness = z
  .object({
    webhookID,
    webhookGUID,
    isActive: flag.describe('Whether changes make callouts for it.'),
    isReady: flag.describe('Whether it has a field, a user-defined one too, or subscribes to deleted records alone.'),
    getsCallouts: flag.describe('Whether callouts are sent to it now.'),
    reasons: z
      .array(
        z.object({
          code: z
            .enum([
              'inactive',
              'ownerInactive',
              'noFieldRecord',
              'subscribedToNothing',
              'noSubscribedField',
              'conditionFieldGone',
              'secretKeyMissing',
              'receiverPaused',
              'certificateExpired',
              'certificateExpires',
              'receiverFailing',
              'notFetched',
              'held',
            ])
            .describe('The reason, for programs.'),
          message,
          blocks: flag.describe('Whether no callout is sent while this lasts'),
        }),
      )
      .describe('Each reason why not, or why they are late.'),
  })
  .meta({ id: 'Readiness' });
