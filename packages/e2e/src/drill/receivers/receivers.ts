import { startScriptedReceiver } from '@callout/testing';
import { readArrival, type Arrival } from './arrivals.ts';
import { moods } from './moods.ts';
import { issueToken, tokenPath } from './tokens.ts';
import type { Random } from '../random.ts';
import { deactivationPath, type DrillWebhook } from '../traffic/webhooks.ts';

/** The receivers of all webhooks, one path each. */
export interface DrillReceivers {
  urlOf(webhook: DrillWebhook): string;
  /** Where webhooks with OAuth 2.0 get their tokens. */
  readonly tokenUrl: string;
  /** Every request, oldest first. */
  arrivals(): Arrival[];
  stop(): Promise<void>;
}

export async function startDrillReceivers(random: Random, webhooks: readonly DrillWebhook[]): Promise<DrillReceivers> {
  const receiver = await startScriptedReceiver();
  const arrivals: Arrival[] = [];
  const webhookOf = new Map<string, DrillWebhook>(
    webhooks.flatMap((webhook) => ['', deactivationPath].map((end) => [`/${webhook.name}${end}`, webhook] as const)),
  );
  for (const [path, webhook] of webhookOf) {
    const { name, mood } = webhook;
    const chance = random.branch(path === `/${name}` ? name : path);
    receiver.script(path, (request, nth) => {
      const answer = moods[mood](chance, nth);
      const isWelcome = typeof answer === 'object' && answer.status >= 200 && answer.status < 300;
      // Now: a receiver refuses signatures that are five minutes old.
      arrivals.push(readArrival(request, webhook, isWelcome));
      return answer;
    });
  }
  receiver.script(tokenPath, (request, nth) => issueToken(webhooks, request, nth));
  return {
    tokenUrl: receiver.url(tokenPath),
    urlOf: ({ name }) => receiver.url(`/${name}`),
    arrivals() {
      const stray = receiver.requests().find(({ path }) => path !== tokenPath && !webhookOf.has(path));
      if (stray !== undefined) throw new Error(`a request came to ${stray.path}, where no webhook is`);
      return arrivals;
    },
    stop: () => receiver.stop(),
  };
}
