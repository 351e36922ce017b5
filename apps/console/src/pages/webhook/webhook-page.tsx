import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { ReadinessAlert } from './readiness-alert.tsx';
import { TestButton } from './test-button.tsx';
import { addressOf, webhookQuery, type WebhookAddress } from './webhook-queries.ts';

const route = getRouteApi('/webhooks/$entityType/$webhookId');

// A tab is fetched when it is opened.
const tabs = [
  { value: 'deliveries', label: 'Deliveries', show: lazy(() => import('./deliveries/deliveries-tab.tsx')) },
  { value: 'settings', label: 'Settings', show: lazy(() => import('./settings/settings-tab.tsx')) },
  { value: 'health', label: 'Health', show: lazy(() => import('./health/health-tab.tsx')) },
  { value: 'history', label: 'History', show: lazy(() => import('./history-tab.tsx')) },
  { value: 'errors', label: 'Errors', show: lazy(() => import('./errors-tab.tsx')) },
  { value: 'secret', label: 'Secret', show: lazy(() => import('./secret-tab.tsx')) },
] as const;

/** One webhook: whether it gets callouts and why not, what was delivered, and what happened to it. */
export default function WebhookPage() {
  const { entityType, webhookId } = route.useParams() as { entityType: string; webhookId: string };
  const address = addressOf(entityType, webhookId);
  return address === undefined ? <NotFoundPage /> : <WebhookOf address={address} />;
}

/** Where its callouts go. */
function Target({ url }: { readonly url: string }) {
  if (url === 'pull:') return 'fetched by a program';
  return (
    <>
      to <span className="break-anywhere">{url}</span>
    </>
  );
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
            {address.entity.label}, <Target url={webhook.data.webhookUrl ?? ''} />
          </>
        )
      }
      actions={<TestButton address={address} />}
    >
      {shown.value !== 'health' && <ReadinessAlert address={address} isBrief />}
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
        {tabs.map(({ value, label, show: Tab }) => (
          <Tabs.Panel key={value} value={value}>
            <Suspense fallback={<Reading label={`the tab ${label}`} />}>
              <Tab address={address} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
