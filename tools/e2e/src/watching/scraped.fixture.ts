import { forThisFile, eventually } from '@callout/testing';
import { callout, operatorToken } from '../one-callout.fixture.ts';

/** The metrics of a running API and a running worker, after an event went through them. */
export interface Scraped {
  readonly api: string;
  readonly worker: string;
}

/** The metrics of both after an event that a receiver refused permanently; made before any test of the file runs. */
export const scraped = forThisFile(scrapeBoth, async () => undefined);

async function scrapeBoth(): Promise<Scraped> {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  webhook.answer((_request, nth) => ({ status: nth === 1 ? 410 : 200 }));
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
  // The callout, and the deactivation call that its response leads to.
  await eventually(async () => (await callout.database.prisma.attempt.count()) === 2);
  return {
    api: await scrape(`${callout.operatorUrl()}/metrics`, { authorization: `Bearer ${operatorToken}` }),
    worker: await scrape(`${callout.workerUrl}/metrics`),
  };
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
