import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { DeliveriesTab } from './deliveries/deliveries-tab.tsx';
import { ErrorsTab } from './errors-tab.tsx';
import { HealthTab } from './health/health-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { SecretTab } from './secret-tab.tsx';
import { SettingsTab } from './settings/settings-tab.tsx';
import { Standing } from './standing.tsx';
import { TestButton } from './test-button.tsx';
import { addressOf, webhookQuery, type WebhookAddress } from './webhook-queries.ts';

const route = getRouteApi('/webhooks/$entityType/$webhookId');

const tabs = [
  { value: 'deliveries', label: 'Deliveries', show: DeliveriesTab },
  { value: 'settings', label: 'Settings', show: SettingsTab },
  { value: 'health', label: 'Health', show: HealthTab },
  { value: 'history', label: 'History', show: HistoryTab },
  { value: 'errors', label: 'Errors', show: ErrorsTab },
  { value: 'secret', label: 'Secret', show: SecretTab },
] as const;

/** One webhook: whether it gets callouts and why not, what was delivered, and what happened to it. */
export default function WebhookPage() {
  const { entityType, webhookId } = route.useParams() as { entityType: string; webhookId: string };
  const address = addressOf(entityType, webhookId);
  return address === undefined ? <NotFoundPage /> : <WebhookOf address={address} />;
}

function WebhookOf({ address }: { readonly address: WebhookAddress }) {
  const webhook = useQuery(webhookQuery(address));
  const { tab } = route.useSearch() as { tab?: string };
  const navigate = useNavigate();
  const shown = tabs.find(({ value }) => value === tab) ?? tabs[0];
  if (webhook.isError) {
    return <Problem title="The webhook could not be read" error={webhook.error} retry={() => void webhook.refetch()} />;
  }
  return (
    <Page
      title={webhook.data?.name ?? `Webhook ${address.id}`}
      lead={
        webhook.data && (
          <>
            {address.entity.label}, to <span className="break-anywhere">{webhook.data.webhookUrl}</span>
          </>
        )
      }
      actions={<TestButton address={address} />}
    >
      {shown.value !== 'health' && <Standing address={address} isBrief />}
      <Tabs
        value={shown.value}
        keepMounted={false}
        onChange={(value) => void navigate({ to: '.', search: { tab: value } })}
      >
        <Tabs.List mb="md" className="one-line">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, show: Tab }) => (
          <Tabs.Panel key={value} value={value}>
            <Tab address={address} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
