import { Alert, Anchor, Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Fact } from '../../../parts/fact.tsx';
import { Page } from '../../../parts/page.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Time } from '../../../parts/time.tsx';
import { useSearchParam } from '../../../parts/use-search-param.ts';
import { CredentialsTab } from './credentials-tab.tsx';
import { DeleteTab } from './delete-tab.tsx';
import { LockoutsTab } from './lockouts-tab.tsx';
import { ResourcesTab } from './resources-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { tenantQuery } from './tenant-queries.ts';

const tabs = [
  { value: 'resources', label: 'Resources', Tab: ResourcesTab },
  { value: 'credentials', label: 'Credentials', Tab: CredentialsTab },
  { value: 'lockouts', label: 'Lockouts', Tab: LockoutsTab },
  { value: 'settings', label: 'Settings', Tab: SettingsTab },
  { value: 'delete', label: 'Export and delete', Tab: DeleteTab },
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
  if (reading.isError) {
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
      <Group gap="xl">
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
        <Tabs.List className="no-print">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, Tab }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Tab tenant={tenant} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
