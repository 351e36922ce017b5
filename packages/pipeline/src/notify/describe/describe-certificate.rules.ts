import type { FactsOf, NotificationNames, Description } from '../text/draft.rules.ts';
import { momentFact } from '../text/words.rules.ts';

/** The mail about a client certificate that expires soon. */
export function describeCertificate(
  { expiresAt, isLast }: FactsOf<'certificateExpiring'>,
  names: NotificationNames,
): Description {
  return {
    headline: `The client certificate of ${names.webhook} expires soon`,
    opening: [
      'Callout presents it to the receiver of the webhook. Once it has expired, a receiver that checks it refuses all callouts.',
    ],
    facts: momentFact('Expires', expiresAt),
    next: [
      'Callouts that are refused are tried again, and fail after the last attempt.',
      isLast ? 'This is the last mail about it.' : 'You get one more mail a week before, unless it is replaced.',
    ],
    advice: [
      {
        say: 'Have the certificate renewed, and give the new one with its private key to the webhook (receiverAuth):',
        commands: [`callout webhooks update ${names.named} --file webhook.json`],
        requests: [`PATCH ${names.path}`],
      },
    ],
  };
}
