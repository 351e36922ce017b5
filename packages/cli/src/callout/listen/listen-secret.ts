import { createHmac } from 'node:crypto';
import type { Account } from '../account/profiles.ts';

/**
 * The secret that signs the callouts of a temporary webhook. It is the same for each run with one credential at one
 * installation, so that a receiver has to be configured only once. Nobody can compute it without the secret of the
 * credential, and that secret does not follow from it.
 */
export function listenSecret({ secret, userName, url }: Pick<Account, 'secret' | 'userName' | 'url'>): string {
  // The same installation may be written with or without the path of its API.
  const purpose = JSON.stringify(['callout-listen', userName, new URL(url).origin]);
  return `whsec_${createHmac('sha256', secret).update(purpose).digest('base64')}`;
}
