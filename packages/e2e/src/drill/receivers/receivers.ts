import { startScriptedReceiver, type ReceivedRequest } from '@callout/testing';
import { readArrival, type Arrival } from './arrivals.ts';
import { moods } from './moods.ts';
import type { Random } from '../random.ts';
import { deactivationPath, type DrillWebhook } from '../traffic/webhooks.ts';

/** The receivers of all webhooks, one path each. */
export interface DrillReceivers {
  urlOf(webhook: DrillWebhook): string;
  /** Every request that came, oldest first; it is read and verified now. */
  arrivals(): Arrival[];
  stop(): Promise<void>;
}

export async function startDrillReceivers(random: Random, webhooks: readonly DrillWebhook[]): Promise<DrillReceivers> {
  const receiver = await startScriptedReceiver();
  const welcome = new WeakSet<ReceivedRequest>();
  const webhookOf = new Map<string, DrillWebhook>(
    webhooks.flatMap((webhook) => ['', deactivationPath].map((end) => [`/${webhook.name}${end}`, webhook] as const)),
  );
  for (const [path, { name, mood }] of webhookOf) {
    const chance = random.branch(path === `/${name}` ? name : path);
    receiver.script(path, (request, nth) => {
      const answer = moods[mood](chance, nth);
      if (typeof answer === 'object' && answer.status >= 200 && answer.status < 300) welcome.add(request);
      return answer;
    });
  }
  return {
    urlOf: ({ name }) => receiver.url(`/${name}`),
    arrivals: () =>
      receiver.requests().map((request) => {
        const webhook = webhookOf.get(request.path);
        if (webhook === undefined) throw new Error(`a request came to ${request.path}, where no webhook is`);
        return readArrival(request, webhook, welcome.has(request));
      }),
    stop: () => receiver.stop(),
  };
}
