import { refuseKey } from '../input/read-keys.ts';
import type { ProblemDetail } from '../problem.ts';

/** `push`: callouts are sent to the URL; `pull`: they wait until a program fetches them (`POST /{Webhooks}/{id}/Pull`). */
export const deliveryModes = ['push', 'pull'] as const;
type DeliveryMode = (typeof deliveryModes)[number];

/** The URL that stands for `pull` wherever people and programs read or write one. */
export const pullUrl = 'pull:';

/** The modes that the URLs of a webhook stand for, by their columns. */
export function modesOf(webhook: { readonly webhookUrl: string; readonly deactivationUrl: string }) {
  return { deliveryMode: modeOf(webhook.webhookUrl), deactivationMode: modeOf(webhook.deactivationUrl) };
}

function modeOf(url: string): DeliveryMode {
  return url === pullUrl ? 'pull' : 'push';
}

/** The limits of calls that a webhook may not have, since a program fetches its callouts: nobody calls it. */
export function limitsOfPulled(webhook: {
  readonly webhookUrl: string;
  readonly maxCallsPerSecond: number | null;
  readonly maxConcurrentCalls: number | null;
}): ProblemDetail[] {
  if (modeOf(webhook.webhookUrl) === 'push') return [];
  const problems: ProblemDetail[] = [];
  for (const key of ['maxCallsPerSecond', 'maxConcurrentCalls'] as const) {
    if (webhook[key] === null) continue;
    const message = `must be null where webhookUrl is ${pullUrl}: the program that fetches the callouts decides how fast`;
    refuseKey(problems, key, message);
  }
  return problems;
}
