import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Tenant } from '../../../api/operator.ts';
import { tenantQuery } from '../operator-queries.ts';
import { lazyPart } from '../../../parts/lazy-part.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { PageTabs } from '../../../parts/page-tabs.tsx';
import { Page } from '../../../parts/page.tsx';
import { Fact } from '../../../parts/show/fact.tsx';
import { PageLink } from '../../../parts/show/links.tsx';
import { Time } from '../../../parts/show/time.tsx';

// Each tab is fetched when opened: forms are large.
const tabs = [
  { value: 'resources', label: 'Resources', Tab: lazyPart(() => import('./resources-tab.tsx')) },
  { value: 'credentials', label: 'Credentials', Tab: lazyPart(() => import('./credentials-tab.tsx')) },
  { value: 'lockouts', label: 'Lockouts', Tab: lazyPart(() => import('./lockouts-tab.tsx')) },
  { value: 'signing-keys', label: 'Signing keys', Tab: lazyPart(() => import('./signing-keys-tab.tsx')) },
  { value: 'settings', label: 'Settings', Tab: lazyPart(() => import('./settings-tab.tsx')) },
  { value: 'changes', label: 'Changes', Tab: lazyPart(() => import('./changes-tab.tsx')) },
  { value: 'delete', label: 'Export and delete', Tab: lazyPart(() => import('./delete-tab.tsx')) },
] as const;

/** A tenant: people and programs, their rights, and the limits. */
export default function TenantPage() {
  const { tenantId = '' }: { tenantId?: string } = useParams({ strict: false });
  const id = /^\d{1,9}$/u.test(tenantId) ? Number(tenantId) : 0;
  const tenant = useQuery(tenantQuery(id));
  return (
    <Page
      title={tenant.data?.name ?? `Tenant ${tenantId}`}
      lead={<PageLink to="/operator/tenants">All tenants</PageLink>}
    >
      <Loaded query={tenant} label="the tenant">
        {(loaded) => <TenantOf tenant={loaded} />}
      </Loaded>
    </Page>
  );
}

function TenantOf({ tenant }: { readonly tenant: Tenant }) {
  return (
    <>
      {tenant.deletingDateTime !== null && (
        <Alert color="red" title="This tenant is being deleted">
          Its credentials are refused, and workers erase what it had since <Time value={tenant.deletingDateTime} />. It
          leaves the list when they have looked once more, some ten minutes after that.
        </Alert>
      )}
      <Group className="facts">
        <Fact label="Id">{tenant.id}</Fact>
        <Fact label="Created">
          <Time value={tenant.createDateTime} />
        </Fact>
      </Group>
      <PageTabs tabs={tabs} props={{ tenant }} />
    </>
  );
}
