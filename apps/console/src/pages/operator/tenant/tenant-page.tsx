import { Alert, Anchor, Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Fact } from '../../../parts/show/fact.tsx';
import { Page } from '../../../parts/page.tsx';
import { Reading } from '../../../parts/reading.tsx';
import { isUnreadable, Problem } from '../../../parts/problem.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { useSearchParam } from '../../../parts/filter/use-search-param.ts';
import { tenantQuery } from './tenant-queries.ts';
import { lazyPart } from '../../../parts/lazy-part.tsx';

// Each is fetched when it is opened: forms are large.
const tabs = [
  { value: 'resources', label: 'Resources', Tab: lazyPart(() => import('./resources-tab.tsx')) },
  { value: 'credentials', label: 'Credentials', Tab: lazyPart(() => import('./credentials-tab.tsx')) },
  { value: 'lockouts', label: 'Lockouts', Tab: lazyPart(() => import('./lockouts-tab.tsx')) },
  { value: 'signing-keys', label: 'Signing keys', Tab: lazyPart(() => import('./signing-keys-tab.tsx')) },
  { value: 'settings', label: 'Settings', Tab: lazyPart(() => import('./settings-tab.tsx')) },
  { value: 'delete', label: 'Export and delete', Tab: lazyPart(() => import('./delete-tab.tsx')) },
] as const;

/** A tenant: its people and programs, what they may do, and its limits. */
export default function TenantPage() {
  const { tenantId = '' }: { tenantId?: string } = useParams({ strict: false });
  const [chosen, choose] = useSearchParam('tab');
  const id = /^\d{1,9}$/u.test(tenantId) ? Number(tenantId) : 0;
  const { data: tenant, ...reading } = useQuery(tenantQuery(id));
  const lead = (
    <Anchor component={Link} to="/operator/tenants" size="sm">
      All tenants
    </Anchor>
  );
  if (isUnreadable({ data: tenant, error: reading.error })) {
    return (
      <Page title={`Tenant ${tenantId}`} lead={lead}>
        <Problem title="The tenant could not be read" error={reading.error} retry={() => void reading.refetch()} />
      </Page>
    );
  }
  if (tenant === undefined) return <Page title={`Tenant ${tenantId}`}>{null}</Page>;
  const tab = tabs.find(({ value }) => value === chosen) ?? tabs[0];
  return (
    <Page title={tenant.name} lead={lead}>
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
      <Tabs
        value={tab.value}
        onChange={(value) => choose(value === tabs[0].value ? '' : (value ?? ''))}
        keepMounted={false}
      >
        <Tabs.List className="page-tabs no-print">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, label, Tab }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Suspense fallback={<Reading label={label.toLowerCase()} />}>
              <Tab tenant={tenant} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
