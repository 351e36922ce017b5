import { Tabs } from '@mantine/core';
import { ApiError } from '@callout/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { Page } from '../../parts/page.tsx';
import { isUnreadable, Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { useNewSecret } from '../../parts/secret/new-secrets.ts';
import { ReadinessAlert } from './readiness-alert.tsx';
import { TestButton } from './test-button.tsx';
import { WebhookGone } from './webhook-gone.tsx';
import { addressOf, webhookQuery, type WebhookAddress } from './webhook-queries.ts';
import { lazyPart } from '../../parts/lazy-part.tsx';

const route = getRouteApi('/webhooks/$entityType/$webhookId');

// Shown after a webhook was created, and after its secret was changed.
const NewSecretView = lazyPart(() => import('../../parts/secret/new-secret-view.tsx'));

// A tab is fetched when it is opened.
const tabs = [
  { value: 'deliveries', label: 'Deliveries', show: lazyPart(() => import('./deliveries/deliveries-tab.tsx')) },
  { value: 'settings', label: 'Settings', show: lazyPart(() => import('./settings/settings-tab.tsx')) },
  { value: 'health', label: 'Health', show: lazyPart(() => import('./health/health-tab.tsx')) },
  { value: 'history', label: 'History', show: lazyPart(() => import('./history-tab.tsx')) },
  { value: 'digest', label: 'Digest', show: lazyPart(() => import('./digest-tab.tsx')) },
  { value: 'errors', label: 'Errors', show: lazyPart(() => import('./errors-tab.tsx')) },
  {
    value: 'authentication',
    label: 'Authentication',
    show: lazyPart(() => import('./authentication-tab.tsx')),
  },
  { value: 'secret', label: 'Secret', show: lazyPart(() => import('./secret-tab.tsx')) },
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
  const path = `${address.entity.type}/${address.id}`;
  const hasNewSecret = useNewSecret(path) !== undefined;
  if (webhook.error instanceof ApiError && webhook.error.status === 404) return <WebhookGone address={address} />;
  if (isUnreadable(webhook)) {
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
      {hasNewSecret && webhook.data && (
        <Suspense fallback={null}>
          <NewSecretView webhook={path} name={webhook.data.name ?? ''} isActive={webhook.data.isActive === true} />
        </Suspense>
      )}
      {shown.value !== 'health' && <ReadinessAlert address={address} isBrief />}
      <Tabs
        value={shown.value}
        keepMounted={false}
        onChange={(value) => void navigate({ to: '.', search: { tab: value } })}
      >
        <Tabs.List mb="md" className="page-tabs">
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
