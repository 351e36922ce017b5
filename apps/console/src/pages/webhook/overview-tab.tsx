import { Stack } from '@mantine/core';
import { api } from '../../api/client.ts';
import { pathOf, type WebhookAddress } from '../../api/entities.ts';
import { usePolling } from '../../api/polling.ts';
import { keyOf } from '../../api/webhook.ts';
import { ReadinessAlert } from './readiness-alert.tsx';
import { readinessQuery } from './webhook-queries.ts';
import { Statistics } from '../../parts/statistics/statistics.tsx';

/** Whether the webhook gets callouts, why not and what to do; then how the receiver answers, in charts. */
export function OverviewTab({ address }: { readonly address: WebhookAddress }) {
  const { entity, id } = address;
  usePolling([readinessQuery(address).queryKey]);
  async function read(from: string) {
    const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/Statistics');
    return (await api.GET(path, { params: { path: { id }, query: { from } } })).data.item;
  }
  return (
    <Stack gap="lg">
      <ReadinessAlert address={address} />
      <Statistics
        queryKey={[...keyOf(address), 'statistics']}
        read={read}
        failures={{ to: `/webhooks/${entity.type}/${id}`, search: { tab: 'deliveries', state: 'failed' } }}
      />
    </Stack>
  );
}
