import { cleanName } from '@callout/domain/mail/clean-text';
import type { Draft } from '../text/draft.rules.ts';
import { momentInWords } from '../text/words.rules.ts';

interface Asked {
  readonly tenantName: string | undefined;
  readonly expiresAt: Date;
  readonly url: string;
  readonly installation: string;
}

/**
 * The mail that asks for the consent of an address. Operators choose the names of tenants; it contains no text of
 * users.
 */
export function draftConfirmation({ tenantName, expiresAt, url, installation }: Asked): Draft {
  const tenant = tenantName === undefined ? '' : ` of “${cleanName(tenantName)}”`;
  return {
    headline: 'Please confirm this address.',
    opening: [
      `Your address was entered at ${installation} for mail about webhooks${tenant}: when one fails, recovers or is deactivated. No such mail is sent to you before you agree.`,
    ],
    facts: [{ label: 'Link valid until', value: momentInWords(expiresAt) }],
    next: ['If you do nothing, you get no such mail. You are asked at most three times.'],
    advice: [{ say: 'Open the link and press the button there, if you want the mail.' }],
    link: { say: 'To confirm', button: 'Confirm the address', url },
    footer: [`This mail comes from ${installation}.`],
  };
}
