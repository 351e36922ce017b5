import { makeOwnCertificate, startScriptedReceiver } from '@callout/testing';
import { readArrival, type Arrival } from './arrivals.ts';
import { moods } from './moods.ts';
import type { PublishedKeys } from './published-keys.ts';
import { issueToken, tokenPath } from './tokens.ts';
import type { Random } from '../random.ts';
import { clientCertificate, type ReceiverPlaces } from '../traffic/variety.ts';
import { deactivationPath, type DrillWebhook } from '../traffic/webhooks.ts';

/** The receivers of all webhooks, one path each. */
export interface DrillReceivers extends ReceiverPlaces {
  urlOf(webhook: DrillWebhook): string;
  /** Every request, oldest first. */
  arrivals(): Arrival[];
  stop(): Promise<void>;
}

/** The answer to a callout that fits none of the keys: the receiver has not read the newest ones yet. */
const UNVERIFIED = { status: 503 } as const;

/** @param keys verify what comes: nothing else is welcome. */
export async function startDrillReceivers(
  random: Random,
  webhooks: readonly DrillWebhook[],
  keys: Pick<PublishedKeys, 'verifies'>,
): Promise<DrillReceivers> {
  const own = makeOwnCertificate();
  const tls = { ...own, ca: clientCertificate, requestCert: true, rejectUnauthorized: true };
  const [receiver, mutual] = [await startScriptedReceiver(), await startScriptedReceiver({ tls })];
  const receiverOf = ({ credentials }: DrillWebhook) => (credentials?.receiverAuth.kind === 'mtls' ? mutual : receiver);
  const arrivals: Arrival[] = [];
  const webhookOf = new Map<string, DrillWebhook>(
    webhooks.flatMap((webhook) => ['', deactivationPath].map((end) => [`/${webhook.name}${end}`, webhook] as const)),
  );
  for (const [path, webhook] of webhookOf) {
    const { name, mood } = webhook;
    const chance = random.branch(path === `/${name}` ? name : path);
    receiverOf(webhook).script(path, (request, nth) => {
      const answer = keys.verifies(request) ? moods[mood](chance, nth) : UNVERIFIED;
      const isWelcome = typeof answer === 'object' && answer.status >= 200 && answer.status < 300;
      // Now: a receiver refuses signatures that are five minutes old.
      arrivals.push(readArrival(request, webhook, isWelcome));
      return answer;
    });
  }
  receiver.script(tokenPath, (request, nth) => issueToken(webhooks, request, nth));
  return {
    tokenUrl: receiver.url(tokenPath),
    caCertificate: own.cert,
    urlOf: (webhook) => receiverOf(webhook).url(`/${webhook.name}`),
    arrivals() {
      for (const one of [receiver, mutual]) {
        const isKnown = (path: string) => {
          const webhook = webhookOf.get(path);
          return webhook === undefined ? one === receiver && path === tokenPath : receiverOf(webhook) === one;
        };
        const stray = one.requests().find(({ path }) => !isKnown(path));
        if (stray !== undefined) throw new Error(`a request came to ${stray.path}, where no webhook is`);
      }
      return arrivals;
    },
    async stop() {
      await Promise.all([receiver.stop(), mutual.stop()]);
    },
  };
}
