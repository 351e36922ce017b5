import { describe, expect, it } from '@jest/globals';
import { callApi, COMPANY_NAME, eventually, type TenantUnderTest } from '@callout/testing';
import { givenEvent, useHealth, type WebhookUnderTest } from './health.fixture.ts';

const { callout, watching, call, change } = useHealth();

interface HealthCallout {
  Action: string;
  Id: number;
  Fields: Record<string, string | null>;
}

/** What a webhook on WebhookHealth got, in the order of arrival: each callout once, however often it was tried. */
function received(webhook: WebhookUnderTest): string[] {
  const bodies = new Map(webhook.requests().map(({ headers, body }) => [headers['webhook-id'], body.toString()]));
  return [...bodies.values()]
    .map((body) => JSON.parse(body) as HealthCallout)
    .map(({ Action, Fields }) =>
      Action === 'Update'
        ? `${Fields['Name']}: ${Fields['Occurrence']} (${Fields['Subject']}), ${Fields['State']}`
        : Action,
    );
}

async function countEvents(tenant: TenantUnderTest): Promise<number> {
  const { rows } = await callout.database.pool.query<{ count: number }>(
    `SELECT count(*)::int FROM events e JOIN tenants t ON t.id = e.tenant_id
     WHERE t.id = $1 AND e.entity_type = 'WebhookHealth'`,
    [tenant.id],
  );
  return rows[0]?.count ?? 0;
}

/** Whether no callout of a tenant is open and nothing waits for its event or its match. */
async function isQuiet(tenant: TenantUnderTest): Promise<boolean> {
  const { rows } = await callout.database.pool.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM open_callouts WHERE tenant_id = $1)::int
       + (SELECT count(*) FROM pending_events WHERE tenant_id = $1)::int
       + (SELECT count(*) FROM webhook_occurrences WHERE tenant_id = $1)::int AS count`,
    [tenant.id],
  );
  return rows[0]?.count === 0;
}

describe('a webhook on WebhookHealth', () => {
  it('gets what happens to the webhooks of its tenant, in order, and nothing of another tenant', async () => {
    const [tenant, other] = [await callout.tenant(), await callout.tenant()];
    const [health, foreign] = [await watching(tenant, 'health'), await watching(other, 'foreign')];
    const webhook = await callout.webhook(tenant, { name: 'crm' });
    webhook.answer({ status: 400 });
    await change(tenant);
    await eventually(() => expect(received(health)).toEqual(['crm: calloutFailed (delivery), active']));
    webhook.answer({ status: 200 });
    await change(tenant);
    await eventually(() => expect(received(health)).toHaveLength(2));
    await call(tenant, 'POST', `/CompanyWebhooks/${webhook.id}/rotateSecret`, {
      secretKey: 'another secret',
      overlapHours: 1,
    });
    await call(tenant, 'PATCH', `/CompanyWebhooks/${webhook.id}`, { isActive: false });
    await call(tenant, 'PATCH', `/CompanyWebhooks/${webhook.id}`, { isActive: true });
    await call(tenant, 'DELETE', `/CompanyWebhooks/${webhook.id}`);
    await eventually(() =>
      expect(received(health)).toEqual([
        'crm: calloutFailed (delivery), active',
        'crm: recovered (delivery), active',
        'crm: secretRotated (secret), active',
        'crm: deactivated (delivery), inactive',
        'crm: recovered (delivery), active',
        'crm: deactivated (delivery), deleted',
      ]),
    );
    expect(new Set(health.requests().map(({ body }) => (JSON.parse(body.toString()) as HealthCallout).Id))).toEqual(
      new Set([1]),
    );
    expect(health.requests().map(({ body }) => body.toString())).not.toContainEqual(
      expect.stringContaining('another secret'),
    );
    expect(foreign.requests()).toEqual([]);
  });

  it('gets one event for each webhook that a new signing key signs for, and says until when the old one does', async () => {
    const tenant = await callout.tenant();
    const health = await watching(tenant, 'health');
    const port = Number(new URL(callout.url).port);
    for (const [name, signatureKind] of [
      ['crm', 'both'],
      ['plain', 'hmac'],
      ['erp', 'ed25519'],
    ] as const) {
      await callout.webhook(tenant, { name, others: { signatureKind } });
    }
    const { body } = (await call(tenant, 'GET', '/WebhookKeys')) as { body: { items: { kid: string }[] } };
    const rotation = { kid: body.items[0]?.kid, overlapHours: 24 };
    await callApi(port, tenant.admin, { method: 'POST', path: '/WebhookKeys/rotate', body: rotation });
    await eventually(() =>
      expect(received(health).toSorted()).toEqual([
        'crm: secretRotated (signingKey), active',
        'erp: secretRotated (signingKey), active',
      ]),
    );
    for (const { body: sent } of health.requests()) {
      expect(JSON.parse(sent.toString())).toMatchObject({
        PersonID: expect.any(Number),
        Fields: {
          PreviousSecretUntil: expect.stringMatching(/Z$/u),
          Summary: expect.stringMatching(
            /^The signing key of the tenant, which signs for Account webhook “(crm|erp)”, was replaced; the one before signs as well until /u,
          ),
        },
      });
    }
  });

  it('makes no event, whatever happens to it: two that watch each other and fail are no loop', async () => {
    const tenant = await callout.tenant();
    const [one, two] = [await watching(tenant, 'one'), await watching(tenant, 'two')];
    const webhook = await callout.webhook(tenant, { name: 'crm' });
    for (const each of [one, two, webhook]) each.answer({ status: 500 });
    for (let nth = 0; nth < 2; nth += 1) await change(tenant);
    // Both callouts of the ordinary webhook fail for good, and it is deactivated: three events, whose callouts fail and
    // deactivate both of the others.
    await eventually(
      async () => {
        const { rows } = await callout.database.pool.query<{ active: number }>(
          'SELECT count(*)::int AS active FROM webhooks WHERE tenant_id = $1 AND is_active',
          [tenant.id],
        );
        expect(rows).toEqual([{ active: 0 }]);
        expect(await isQuiet(tenant)).toBe(true);
      },
      { timeoutMs: 60_000 },
    );
    expect(await countEvents(tenant)).toBe(3);
    const about = (await call(tenant, 'GET', '/EntityEvents/query?entityType=WebhookHealth')) as {
      body: { items: { recordID: number; resourceID: number | null }[] };
    };
    expect(about.body.items.map(({ recordID, resourceID }) => [recordID, resourceID])).toEqual([
      [1, null],
      [1, null],
      [1, null],
    ]);
  });

  it('gets no event of its own secret, its deactivation or its deletion', async () => {
    const tenant = await callout.tenant();
    const [one, two] = [await watching(tenant, 'one'), await watching(tenant, 'two')];
    await call(tenant, 'POST', `/WebhookHealthWebhooks/${one.id}/rotateSecret`, {
      secretKey: 'another secret',
      overlapHours: 0,
    });
    await call(tenant, 'PATCH', `/WebhookHealthWebhooks/${one.id}`, { isActive: false });
    await call(tenant, 'PATCH', `/WebhookHealthWebhooks/${one.id}`, { isActive: true });
    await call(tenant, 'DELETE', `/WebhookHealthWebhooks/${one.id}`);
    await eventually(async () => expect(await isQuiet(tenant)).toBe(true));
    expect(await countEvents(tenant)).toBe(0);
    expect(two.requests()).toEqual([]);
  });
});

describe('events of WebhookHealth', () => {
  it('are refused from integrators with a sentence, also in a batch, and so are writes of their records', async () => {
    const tenant = await callout.tenant();
    await watching(tenant, 'health');
    const post = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      callApi(Number(new URL(callout.url).port), tenant.admin, { method, path, ...(body && { body }) });
    const company = { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'one' } };
    await expect(post('POST', '/EntityEvents', { events: [company, givenEvent] })).resolves.toMatchObject({
      status: 400,
      body: { errors: ['events[1].entityType must not be WebhookHealth: Callout itself makes its events'] },
    });
    for (const [method, path] of [
      ['POST', '/WebhookHealth'],
      ['PATCH', '/WebhookHealth'],
      ['DELETE', '/WebhookHealth/1'],
    ] as const) {
      await expect(post(method, path, { id: 1 })).resolves.toMatchObject({ status: 405 });
    }
    expect(await countEvents(tenant)).toBe(0);
  });

  it('can be simulated', async () => {
    const tenant = await callout.tenant();
    const health = await watching(tenant, 'health');
    await expect(
      call(tenant, 'POST', `/WebhookHealthWebhooks/${health.id}/simulate`, {
        ...givenEvent,
        changedFields: ['occurrence'],
      }),
    ).resolves.toMatchObject({ status: 200, body: { item: { getsCallout: true } } });
  });

  it('are made without losing one while workers come and go', async () => {
    const tenant = await callout.tenant();
    const health = await watching(tenant, 'health');
    const webhook = await callout.webhook(tenant, {
      name: 'crm',
      fields: [{ fieldID: COMPANY_NAME, isSubscribedField: true, isDisplayAlwaysField: true }],
    });
    for (let nth = 0; nth < 5; nth += 1) {
      const worker = await callout.worker();
      await call(tenant, 'POST', `/CompanyWebhooks/${webhook.id}/rotateSecret`, {
        secretKey: `secret number ${nth}`,
        overlapHours: 0,
      });
      await worker.signal('SIGKILL');
    }
    await eventually(() =>
      expect(received(health)).toEqual(Array.from({ length: 5 }, () => 'crm: secretRotated (secret), active')),
    );
    expect(await countEvents(tenant)).toBe(5);
  });
});
