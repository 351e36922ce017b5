import { describe, expect, it } from '@jest/globals';
import { eventually, startRedisRelay } from '@callout/testing';
import type { Page, Request } from 'playwright-core';
import { browser, callout } from './fixtures/console.ts';
import { startSession } from './fixtures/sign-in.ts';

/** A page with the deliveries of a new webhook. */
async function watch(url = callout.url, before?: (page: Page) => Promise<unknown>) {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  const page = await (before === undefined ? browser.page() : browser.newPage());
  await startSession(page, url, tenant);
  await before?.(page);
  await page.goto(`${url}/console/webhooks/Account/${webhook.id}`);
  /** The page's message about the source of its results. */
  const says = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  return { tenant, page, says };
}

const create = (id: number) => ({ entityType: 'Account', action: 'Create', id, fields: { companyName: 'Acme' } });
const isLive = (request: Request) => request.url().includes('/v1.0/Live');

describe('a page that is live', () => {
  it('shows a callout when it arrives, and asks for it only then', async () => {
    const { tenant, page, says } = await watch(callout.url, (opened) =>
      // Nothing is polled any more: later results came live.
      opened.addInitScript(() => void (globalThis.setInterval = (() => 0) as never)),
    );
    await says(/^Live$/u);
    await page.getByText('No callouts yet').waitFor();
    // A worker checks at most once a second for viewers: results before it knows of this page are not sent live. The
    // first one may be read as the page becomes live; the second came live.
    let id = 100;
    const showsNext = () =>
      eventually(async () => {
        id += 1;
        await callout.send(tenant, create(id));
        await page
          .getByRole('row', { name: new RegExp(`delivered.*Create of (?:company |[^(\\d]+\\()${id}\\b`, 'u') })
          .waitFor({ timeout: 2_000 });
      });
    await showsNext();
    await showsNext();
    const rows = await page.getByRole('row').count();
    await callout.send(tenant, create(7));
    await page.getByRole('row', { name: /delivered.*Create of (?:company |[^(\d]+\()7\b/u }).waitFor();
    await callout.send(tenant, create(8));
    await page.getByRole('row', { name: /delivered.*Create of (?:company |[^(\d]+\()8\b/u }).waitFor();
    expect(await page.getByRole('row').count()).toBe(rows + 2);
  });

  it('asks while Redis is away, says so, and is live again when it is back', async () => {
    const relay = await startRedisRelay(callout.redisUrl);
    try {
      const { tenant, page, says } = await watch(await callout.api({ REDIS_URL: relay.url }));
      await says(/^Live$/u);
      relay.cut();
      await says(/^Redis is away: asking every 5 s$/u);
      await callout.send(tenant, create(7));
      await page.getByRole('row', { name: /delivered.*Create of (?:company |[^(\d]+\()7\b/u }).waitFor();
      relay.mend();
      await says(/^Live$/u);
      expect(await page.getByRole('row').count()).toBe(2);
    } finally {
      await relay.stop();
    }
  });

  it('connects again after the connection broke, or was refused for a time', async () => {
    const { page, says } = await watch(callout.url, (opened) =>
      opened.route('**/v1.0/Live*', (route) => route.abort()),
    );
    await says(/^Reconnecting: asking every 5 s$/u);
    await page.unroute('**/v1.0/Live*');
    await page.route('**/v1.0/Live*', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'Retry-After': '1' },
        json: { errors: ['Too many watch.'], details: [{ code: 'unavailable', message: 'Too many watch.' }] },
      }),
    );
    await says(/^Too many watch: asking every 5 s$/u);
    await page.unroute('**/v1.0/Live*');
    await says(/^Live$/u);
    expect(await page.getByRole('status').count()).toBe(1);
  });

  it('says that the API is stopping, to present and to new viewers', async () => {
    const stopping = 'The API is stopping: connect again.';
    const { page, says } = await watch(callout.url, (opened) =>
      opened.route('**/v1.0/Live*', (route) =>
        route.fulfill({
          contentType: 'text/event-stream',
          body: `event: ended\ndata: ${JSON.stringify({ reason: stopping })}\n\n`,
        }),
      ),
    );
    await says(/^The API is stopping: asking every 5 s$/u);
    await page.unroute('**/v1.0/Live*');
    await says(/^Live$/u);
    await page.route('**/v1.0/Live*', (route) =>
      route.fulfill({
        status: 503,
        json: { errors: [stopping], details: [{ code: 'unavailable', message: stopping }] },
      }),
    );
    await page.reload();
    await says(/^The API is stopping: asking every 5 s$/u);
    // All other requests get a response, so there is no outage.
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('keeps no connection while the tab is not seen, and none that is left', async () => {
    const { page, says } = await watch();
    await says(/^Live$/u);
    const hide = (isHidden: boolean) =>
      // Text, since the tests are compiled without the types of a page.
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`,
      );
    const [closed] = await Promise.all([page.waitForEvent('requestfailed', isLive), hide(true)]);
    expect(closed.failure()?.errorText).toContain('ABORTED');
    const [opened] = await Promise.all([page.waitForEvent('request', isLive), hide(false)]);
    expect(opened.url()).toContain('webhookID=');
    await says(/^Live$/u);
    const [left] = await Promise.all([
      page.waitForEvent('requestfailed', isLive),
      page.getByRole('link', { name: 'Thresholds' }).click(),
    ]);
    expect(left.failure()?.errorText).toContain('ABORTED');
  });
});
