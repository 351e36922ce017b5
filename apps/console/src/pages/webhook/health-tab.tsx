import { Stack } from '@mantine/core';
import { api } from '../../api/client.ts';
import { pathOf, type WebhookAddress } from '../../api/entities.ts';
import { usePolling } from '../../api/polling.ts';
import { keyOf } from '../../api/webhook.ts';
import { ReadinessAlert } from './readiness-alert.tsx';
import { readinessQuery } from './webhook-queries.ts';
import { Section } from '../../parts/page.tsx';
import { Statistics } from '../../parts/statistics/statistics.tsx';

/** How the receiver fares: in words first, then in charts. */
export default function HealthTab({ address }: { readonly address: WebhookAddress }) {
  const { entity, id } = address;
  usePolling([readinessQuery(address).queryKey]);
  async function read(from: string) {
    const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/Statistics');
    return (await api.GET(path, { params: { path: { id }, query: { from } } })).data.item;
  }
  return (
    <Stack gap={36}>
      <Section title="Now">
        <ReadinessAlert address={address} />
      </Section>
      <Section title="Attempts and answers">
        <Statistics queryKey={[...keyOf(address), 'statistics']} read={read} />
      </Section>
    </Stack>
  );
}
