import { ApiError } from '@callout/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { addressOf, type WebhookAddress } from '../../api/entities.ts';
import { webhookQuery } from '../../api/webhook.ts';
import { OverviewTab } from './overview-tab.tsx';
import { ReadinessAlert } from './readiness-alert.tsx';
import { TestButton } from './test-button.tsx';
import { WebhookGone } from './webhook-gone.tsx';
import type { Search } from '../../parts/filter/search-filter.ts';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { isUnreadable, Problem } from '../../parts/loaded.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Page } from '../../parts/page.tsx';
import { useNewSecret } from '../../parts/secret/new-secrets.ts';
import { NotFoundPage } from '../../shell/not-found-page.tsx';

const route = getRouteApi('/webhooks/$entityType/$webhookId');

// Shown after a webhook was created, and after a change of the secret.
const NewSecretView = lazyPart(() => import('../../parts/secret/new-secret-view.tsx'));

// The other tabs are fetched when opened.
const tabs = [
  { value: 'overview', label: 'Overview', Tab: OverviewTab },
  { value: 'deliveries', label: 'Deliveries', Tab: lazyPart(() => import('./deliveries/deliveries-tab.tsx')) },
  { value: 'settings', label: 'Settings', Tab: lazyPart(() => import('./settings/settings-tab.tsx')) },
  { value: 'history', label: 'History', Tab: lazyPart(() => import('./history-tab.tsx')) },
] as const;

/** Where the parts of earlier tabs are: sent mails have the addresses. */
const movedTabs: Readonly<Record<string, Search | undefined>> = {
  health: { tab: 'overview' },
  errors: { tab: 'deliveries', state: 'failed' },
  authentication: { tab: 'settings' },
  secret: { tab: 'settings' },
};

/** A webhook: the state and what to do, the callouts, the settings, and who changed what. */
export default function WebhookPage() {
  const { entityType, webhookId } = route.useParams() as { entityType: string; webhookId: string };
  const address = addressOf(entityType, webhookId);
  return address === undefined ? <NotFoundPage /> : <WebhookOf address={address} />;
}

/** Where the callouts go. */
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
  const { tab, ...search } = route.useSearch() as Search & { tab?: string };
  const path = `${address.entity.type}/${address.id}`;
  const hasNewSecret = useNewSecret(path) !== undefined;
  if (webhook.error instanceof ApiError && webhook.error.status === 404) return <WebhookGone address={address} />;
  if (isUnreadable(webhook)) {
    return <Problem title="The webhook could not be read" error={webhook.error} retry={() => void webhook.refetch()} />;
  }
  const moved = tab === undefined ? search['state'] !== undefined && { ...search, tab: 'deliveries' } : movedTabs[tab];
  if (moved) return <Navigate to="." search={moved} replace />;
  return (
    <Page
      title={webhook.data?.name ?? 'Reading the webhook …'}
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
      {tab !== undefined && tab !== 'overview' && <ReadinessAlert address={address} isBrief />}
      <PageTabs tabs={tabs} props={{ address }} />
    </Page>
  );
}
