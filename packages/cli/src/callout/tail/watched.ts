import type { Webhook, ListedWebhook } from '../api/webhooks.ts';
import { printable } from '../../printable.ts';
import { redactedUrl } from '../show/redacted.ts';

const hint = 'Each attempt is shown when it ends; `callout trigger` causes one. Ctrl-C stops it.';

/** Describes the watched webhooks of an installation, and why nothing may happen. */
export function watchedSentence(webhooks: readonly Pick<ListedWebhook, 'isActive'>[], url: string): string {
  const active = webhooks.filter(({ isActive }) => isActive).length;
  if (webhooks.length === 0) {
    return `Watching ${url}, which has no webhook of yours yet: nothing is sent until \`callout webhooks create\` or \`callout listen\` makes one. Ctrl-C stops it.`;
  }
  if (active === 0) {
    return `Watching ${url}, where none of ${webhooks.length} webhooks is active: nothing is sent until \`callout webhooks activate\` activates one. Ctrl-C stops it.`;
  }
  return `Watching ${active} active ${active === 1 ? 'webhook' : 'webhooks'} at ${url}. ${hint}`;
}

/** The sentence for one webhook, with the URL of the webhook. */
export function watchedWebhookSentence(
  name: string,
  { isActive, webhookUrl }: Pick<Webhook, 'isActive' | 'webhookUrl'>,
): string {
  if (!isActive) {
    return `Watching ${name}, which is not active: nothing is sent until \`callout webhooks activate ${name}\`. Ctrl-C stops it.`;
  }
  if (webhookUrl === 'pull:') {
    return `Watching ${name}, whose callouts wait until a program fetches them: \`callout listen --webhook ${name}\` does so. Ctrl-C stops it.`;
  }
  return `Watching ${name}, which sends to ${printable(redactedUrl(webhookUrl))}. ${hint}`;
}
