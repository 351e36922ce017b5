import { describe, expect, it } from '@jest/globals';
import { createOperatorClient } from '@callout/client';
import { eventually, startRawReceiver } from '@callout/testing';
import { browser, callout, elsewhere } from './fixtures/console.ts';
import { operatorToken } from './fixtures/operator.ts';
import { startSession } from './fixtures/sign-in.ts';

describe('a stranger', () => {
  it('has nothing of a cookie that was copied, after its owner has signed out', async () => {
    const tenant = await callout.tenant();
    const owner = await browser.page();
    await startSession(owner, callout.url, tenant);
    await owner.goto(`${callout.url}/console/webhooks`);
    const thief = await browser.page();
    await thief.context().addCookies(await owner.context().cookies());
    await thief.goto(`${callout.url}/console/webhooks`);
    await thief.getByRole('heading', { name: 'Webhooks' }).waitFor();

    await owner.getByRole('button', { name: tenant.integrator.userName }).click();
    await owner.getByRole('menuitem', { name: 'Sign out' }).click();
    await owner.getByRole('button', { name: 'Sign in' }).waitFor();
    await thief.reload();
    await thief.getByRole('button', { name: 'Sign in' }).waitFor();
    const status = await thief.evaluate(async () => (await fetch('/atservicesrest/v1.0/Webhooks')).status);
    expect(status).toBe(401);
  });

  it('sees nothing of another tenant whose addresses are typed by hand', async () => {
    const [mine, other] = [await callout.tenant(), await callout.tenant()];
    // Ids count for each tenant on its own: without one of mine, the number of theirs leads nowhere.
    const theirs = await callout.webhook(other, { name: 'Secret plans of another' });
    await callout.send(other, {
      eventID: 'event-of-another',
      entityType: 'Account',
      action: 'Create',
      id: 7,
      fields: { companyName: 'Hidden Corp' },
    });
    await eventually(() => expect(theirs.requests()).toHaveLength(1));
    const calloutId = String(theirs.requests()[0]?.headers['webhook-id']);
    const page = await browser.page();
    await startSession(page, callout.url, mine);
    for (const path of [
      `/webhooks/Account/${theirs.id}`,
      `/webhooks/Account/${theirs.id}?tab=settings`,
      `/callouts/${calloutId}`,
      '/events/event-of-another',
    ]) {
      await page.goto(`${callout.url}/console${path}`);
      await page
        .getByText(/no matching records found|there is no webhook/iu)
        .first()
        .waitFor();
      expect([path, await page.content()]).not.toEqual([path, expect.stringMatching(/Secret plans|Hidden Corp/u)]);
    }
  });

  it('cannot use the session of a person who opens a page elsewhere', async () => {
    const tenant = await callout.tenant();
    const { id } = await callout.webhook(tenant);
    const page = await browser.page();
    await startSession(page, callout.url, tenant);
    // The same host, so that SameSite does not withhold the cookie: the check of the API decides.
    await page.goto(elsewhere.origin);
    const address = `${callout.url}/atservicesrest/v1.0/CompanyWebhooks/${id}`;
    const read = await page.evaluate(
      async (url) =>
        fetch(url, { credentials: 'include' }).then(
          async (answer) => answer.text(),
          () => 'not readable',
        ),
      address,
    );
    expect(read).toBe('not readable');
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.url() === address) answers.push(response.status());
    });
    await page.goto(
      elsewhere.page(`<form method="post" action="${address}"></form><script>
        const options = { mode: 'no-cors', credentials: 'include' };
        Promise.allSettled([
          fetch('${address}', { ...options, method: 'DELETE' }),
          fetch('${address}', { ...options, method: 'POST', body: '{"isActive":false}' }),
        ]).then(() => document.forms[0].submit());
      </script>`),
    );
    // The form comes last and leads the page away: left before that, its request could come late or never.
    await page.waitForURL(address);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((status) => status < 400)).toEqual([]);
    await page.goto(`${callout.url}/console/webhooks/Account/${id}?tab=deliveries`);
    await page.getByRole('heading', { level: 1, name: 'every company event' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
  });

  it('cannot show the console in a frame', async () => {
    const page = await browser.page();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(elsewhere.page(`<iframe src="${callout.url}/console"></iframe>`));
    await eventually(() => expect(refused.join('\n')).toContain('frame-ancestors'));
    expect(await page.frameLocator('iframe').getByRole('button', { name: 'Sign in' }).count()).toBe(0);
  });
});

describe('a receiver', () => {
  it('cannot put script into the page by its response, however long, nor a webhook by its name', async () => {
    const script = '<script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'">';
    const body = script + 'x'.repeat(1024 * 1024);
    const receiver = await startRawReceiver((socket) => {
      socket.end(
        `HTTP/1.1 500 ${script}\r\nX-Evil: ${script}\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
    const tenant = await callout.tenant();
    const name = '<img src=x onerror="document.title=\'taken\'">';
    const { id } = await callout.webhook(tenant, { name });
    const page = await browser.page();
    await startSession(page, callout.url, tenant, 'admin');
    await page.goto(`${callout.url}/console/webhooks/Account/${id}?tab=settings`);
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(`http://127.0.0.1:${receiver.port}/`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`to http://127.0.0.1:${receiver.port}/`).waitFor();
    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: script } });
    await page.goto(`${callout.url}/console/webhooks/Account/${id}?tab=deliveries`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.getByText(/^Attempt 1: answered 500/u).waitFor();
    await page.getByText('<script>document.title="taken"').first().waitFor();
    expect(await page.title()).not.toContain('taken');
    expect(await page.locator('main img').count()).toBe(0);
    await receiver.stop();
  });
});

describe('a portal', () => {
  it('shows inside the page of a product the webhooks of its resource, and nothing else', async () => {
    const tenant = await callout.tenant();
    const customer = { ...tenant, integrator: tenant.owner };
    const own = await callout.webhook(customer, { name: 'Of the customer' });
    await callout.webhook(tenant, { name: 'Of a colleague' });
    const operator = createOperatorClient({ baseUrl: `${callout.operatorUrl()}/operator/v1`, token: operatorToken });
    const { data } = await operator.POST('/tenants/{tenantId}/portalLinks', {
      params: { path: { tenantId: tenant.id } },
      body: { resourceID: tenant.ownerId },
    });
    const { pathname, hash } = new URL(data.item.url, callout.url);

    const page = await browser.page();
    await page.goto(
      elsewhere.page(`<iframe width="900" height="700" src="${callout.url + pathname + hash}"></iframe>`),
    );
    const portal = page.frameLocator('iframe');
    await portal.getByRole('link', { name: 'Of the customer' }).waitFor();
    expect(await portal.getByText('Of a colleague').count()).toBe(0);
    await portal.getByRole('link', { name: 'Of the customer' }).click();
    await portal.getByRole('heading', { level: 1, name: 'Of the customer' }).waitFor();
    expect(await portal.getByRole('navigation').count()).toBe(0);

    await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'Acme' } });
    await eventually(() => expect(own.requests()).toHaveLength(1));
    await portal.getByRole('tab', { name: 'Deliveries' }).click();
    await portal.getByText('Create of company 1').waitFor();

    // The link is spent: a later visitor has no credential to enter.
    await page.context().clearCookies();
    await page.goto(
      elsewhere.page(`<iframe width="900" height="700" src="${callout.url + pathname + hash}"></iframe>`),
    );
    await portal.getByRole('heading', { name: 'This link cannot be used again' }).waitFor();
    await portal.getByText('that makes a new link').waitFor();
    expect(await portal.getByRole('textbox').count()).toBe(0);
  });
});
