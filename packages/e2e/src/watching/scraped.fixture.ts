import { forThisFile, eventually, useCallout } from '@callout/testing';

/** What a running API and a running worker tell, after an event went through them. */
export interface Scraped {
  readonly api: string;
  readonly worker: string;
}

const token = 'operators-'.repeat(4);

/** Runs an API and a worker, sends an event through them, and scrapes both. */
export function useScraped(): Scraped {
  // The worker that comes with it sends mail alone, so that the one below does all that is looked at.
  const callout = useCallout({ OPERATOR_TOKEN: token, OPERATOR_PORT: '0', WORKER_ROLES: 'notify' });
  return forThisFile(
    async () => {
      const worker = await callout.worker({ WORKER_ROLES: 'match,deliver,notify,sweep' });
      const port = await worker.ready();
      const tenant = await callout.tenant();
      const webhook = await callout.webhook(tenant);
      webhook.answer((_request, nth) => ({ status: nth === 1 ? 410 : 200 }));
      await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
      // The callout, and the deactivation call that its answer leads to.
      await eventually(async () => (await callout.database.prisma.attempt.count()) === 2);
      return {
        api: await scrape(`${callout.operatorUrl()}/metrics`, { authorization: `Bearer ${token}` }),
        worker: await scrape(`http://127.0.0.1:${port}/metrics`),
      };
    },
    async () => undefined,
  );
}

async function scrape(url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  return answer.text();
}

/** The names of all metrics of a text that Prometheus reads, as they are declared. */
export function declaredNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
}
