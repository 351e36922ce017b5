import type { Link } from '../text/draft.rules.ts';
import type { MailContext } from './mail-context.rules.ts';
import type { StoredNotification } from './notification.rules.ts';

type Place = Pick<MailContext, 'consoleUrl' | 'hasConsole' | 'publicUrl'>;

/**
 * The address of Callout's own console for a tenant, without a trailing slash; undefined when it is off, its address is
 * unknown, or mails link to another console.
 */
function ownConsole({ consoleUrl, hasConsole, publicUrl }: Place, tenantUrl: string | null | undefined) {
  const base = publicUrl || tenantUrl || undefined;
  const own = base === undefined ? undefined : `${base}/console`;
  if (consoleUrl !== undefined) return consoleUrl === own ? own : undefined;
  return hasConsole ? own : undefined;
}

/**
 * The page to continue on: the callout that was given up, otherwise the health of the webhook. A console of the
 * operator's own has the paths of the API, `{CONSOLE_URL}/CompanyWebhooks/12`.
 * @param collection such as `CompanyWebhooks`.
 */
export function consoleLink(notification: StoredNotification, collection: string, context: Place): Link | undefined {
  const { webhook, tenant, kind, facts } = notification;
  const own = ownConsole(context, tenant?.url);
  if (own === undefined) {
    const { consoleUrl } = context;
    return consoleUrl === undefined ? undefined : toWebhook(`${consoleUrl}/${collection}/${webhook.id}`);
  }
  const page = `${own}/webhooks/${webhook.entityType}/${webhook.id}`;
  if (kind === 'error') {
    return {
      say: 'The callout in the console',
      button: 'Open the callout in the console',
      url: facts.calloutId ? `${page}/callouts/${facts.calloutId}` : page,
    };
  }
  if (kind === 'certificateExpiring') return toWebhook(`${page}?tab=authentication`);
  return toWebhook(kind === 'recovered' || kind === 'caughtUp' ? page : `${page}?tab=health`);
}

/** The page of webhooks that need attention, for a mail about several webhooks. */
export function overviewLink(context: Place, tenantUrl: string | null | undefined): Link | undefined {
  const own = ownConsole(context, tenantUrl);
  if (own === undefined) return undefined;
  return { say: 'What needs attention, in the console', button: 'Open the console', url: own };
}

const toWebhook = (url: string): Link => ({
  say: 'The webhook in the console',
  button: 'Open the webhook in the console',
  url,
});
