import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, type TenantUnderTest } from '@callout/testing';
import { givenEvent, useHealth } from './health.fixture.ts';

const { callout, watching, call, change } = useHealth();

describe('alertFormat', () => {
  const secretKey = 'a secret of the receiver';
  const signatureOf = (body: Buffer) => `sha1=${createHmac('sha1', secretKey).update(body).digest('base64')}`;

  async function failOnce(tenant: TenantUnderTest, name: string) {
    const webhook = await callout.webhook(tenant, { name });
    webhook.answer((_request, nth) => ({ status: nth > 2 ? 200 : 400 }));
    await change(tenant);
    await eventually(() => expect(webhook.requests()).toHaveLength(2));
    await change(tenant);
    return webhook;
  }

  it('makes signed messages for Slack and Teams, in which a name has no meaning of its own', async () => {
    const tenant = await callout.tenant();
    const [slack, teams] = [
      await watching(tenant, 'slack', { alertFormat: 'slack' }),
      await watching(tenant, 'teams', { alertFormat: 'teams' }),
    ];
    slack.answer({ status: 200, body: 'ok' });
    teams.answer({ status: 202 });
    await failOnce(tenant, '<!channel> [x](https://evil.example)');
    await eventually(() => expect([...slack.requests(), ...teams.requests()]).toHaveLength(4));
    for (const { headers, body } of [...slack.requests(), ...teams.requests()]) {
      expect(headers['x-hook-signature']).toBe(signatureOf(body));
      expect(headers['content-type']).toBe('application/json');
    }
    const texts = slack.requests().map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text);
    expect(texts).toEqual([
      expect.stringMatching(/^🔴 Callout failed: &lt;!channel&gt; \[x\]\(https:\/\/evil\.example\)\n/u),
      expect.stringMatching(/^🟢 Recovered: /u),
    ]);
    expect(JSON.parse(teams.requests()[0]?.body.toString() ?? '')).toMatchObject({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
    });
  });

  it('opens and resolves alerts of PagerDuty, with a key that only its receiver sees', async () => {
    const tenant = await callout.tenant();
    const key = 'R0UT1NGK3YOFTHEPAGER';
    const pager = await watching(tenant, 'pager', { alertFormat: 'pagerduty', alertRoutingKey: key });
    pager.answer(({ body }) => ({ status: 202, body: `accepted ${body.toString()}` }));
    await failOnce(tenant, 'crm');
    await eventually(() => expect(pager.requests()).toHaveLength(2));
    const [opened, resolved] = pager.requests().map(({ headers, body }) => {
      expect(headers['x-hook-signature']).toBe(signatureOf(body));
      return JSON.parse(body.toString()) as Record<string, unknown>;
    });
    expect(opened).toMatchObject({ routing_key: key, event_action: 'trigger', payload: { severity: 'error' } });
    expect(resolved).toMatchObject({ routing_key: key, event_action: 'resolve', dedup_key: opened?.['dedup_key'] });

    const path = `/WebhookHealthWebhooks/${pager.id}`;
    await expect(call(tenant, 'GET', path)).resolves.toMatchObject({
      body: { item: { alertFormat: 'pagerduty', alertRoutingKey: '********' } },
    });
    const list = (await call(tenant, 'GET', `${path}/Callouts`)) as { body: { items: { id: string }[] } };
    const callouts = await Promise.all(list.body.items.map(({ id }) => call(tenant, 'GET', `${path}/Callouts/${id}`)));
    const shown = JSON.stringify([
      list,
      callouts,
      await call(tenant, 'GET', '/WebhookHealthWebhooks'),
      await call(tenant, 'POST', `${path}/simulate`, { ...givenEvent, changedFields: ['occurrence'] }),
    ]);
    expect(shown).toContain('\\"routing_key\\":\\"********\\"');
    expect(shown).not.toContain(key);
    const { rows } = await callout.database.pool.query(
      `SELECT w::text, (SELECT json_agg(a) FROM attempts a WHERE a.webhook_key = w.key)::text AS attempts,
         (SELECT json_agg(l) FROM payload_layouts l WHERE l.webhook_key = w.key)::text AS layouts
       FROM webhooks w WHERE tenant_id = $1`,
      [tenant.id],
    );
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it('is for webhooks on WebhookHealth alone, and needs what its format needs', async () => {
    const tenant = await callout.tenant();
    const health = await watching(tenant, 'health');
    const company = await callout.webhook(tenant);
    const update = async (collection: string, id: number, body: object) => {
      const reply = await call(tenant, 'PATCH', `/${collection}/${id}`, body);
      return reply.kind === 'answered' && [reply.status, ...((reply.body as { errors?: string[] }).errors ?? [])];
    };
    const ofHealth = (body: object) => update('WebhookHealthWebhooks', health.id, body);
    for (const body of [{ alertFormat: 'slack' }, { alertFormat: 'json' }]) {
      expect(await update('CompanyWebhooks', company.id, body)).toEqual([
        400,
        'alertFormat is for webhooks on WebhookHealth alone: leave it out',
      ]);
    }
    expect(await ofHealth({ alertFormat: 'sms' })).toEqual([
      400,
      'alertFormat must be one of json, slack, teams, pagerduty',
    ]);
    expect(await ofHealth({ alertFormat: 'pagerduty' })).toEqual([
      400,
      'alertRoutingKey is required by the alertFormat pagerduty',
    ]);
    expect(await ofHealth({ alertRoutingKey: 'KEY' })).toEqual([
      400,
      'alertRoutingKey is for the alertFormat pagerduty alone',
    ]);
    expect(await ofHealth({ alertFormat: 'pagerduty', alertRoutingKey: 'KEY' })).toEqual([200]);
    expect(await ofHealth({ name: 'renamed', alertRoutingKey: '********' })).toEqual([200]);
    expect(await ofHealth({ webhookUrl: 'http://127.0.0.1:8899/elsewhere' })).toEqual([
      400,
      'alertRoutingKey must be given again: webhookUrl goes to another host, and stored secrets do not go along',
    ]);
    expect(await ofHealth({ alertFormat: 'json' })).toEqual([200]);
    expect(await ofHealth({ alertFormat: 'pagerduty' })).toEqual([
      400,
      'alertRoutingKey is required by the alertFormat pagerduty',
    ]);
    const items = await Promise.all(
      [`/CompanyWebhooks/${company.id}`, `/WebhookHealthWebhooks/${health.id}`].map((path) =>
        call(tenant, 'GET', path),
      ),
    );
    expect(items).toMatchObject([
      { body: { item: expect.not.objectContaining({ alertFormat: expect.anything() }) } },
      { body: { item: { alertFormat: 'json', alertRoutingKey: null } } },
    ]);
    const filter = { Filter: [{ op: 'eq', field: 'alertFormat', value: 'json' }] };
    await expect(call(tenant, 'POST', '/WebhookHealthWebhooks/query', filter)).resolves.toMatchObject({
      body: { items: [{ id: health.id }] },
    });
    await expect(call(tenant, 'POST', '/CompanyWebhooks/query', filter)).resolves.toMatchObject({ status: 400 });
  });

  it('is shown by a test, and leaves the deactivation call as it is', async () => {
    const tenant = await callout.tenant();
    const slack = await watching(tenant, 'slack', { alertFormat: 'slack' });
    await call(tenant, 'POST', `/WebhookHealthWebhooks/${slack.id}/test`);
    await call(tenant, 'DELETE', `/WebhookHealthWebhooks/${slack.id}`);
    await eventually(() => expect(slack.requests()).toHaveLength(2));
    const [test, deactivation] = slack.requests().map(({ body }) => JSON.parse(body.toString()) as object);
    expect(test).toMatchObject({ text: expect.stringContaining('This is a test') as unknown });
    expect(deactivation).toMatchObject({ Action: 'Deactivated' });
  });
});
