import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askServer } from '../../api/session.ts';
import { Page } from '../../parts/page.tsx';
import { RecordsTable } from '../../parts/records-table.tsx';

interface Tenant {
  readonly id: number;
  readonly name: string;
  readonly calloutThreshold: number | null;
}

const mostShown = 500;

/** The tenants of this installation. What an operator changes is changed by the command line and the operator API so far. */
export function OperatorPage({ apiRoot }: { readonly apiRoot: string }) {
  const tenants = useQuery({
    queryKey: ['tenants'],
    queryFn: async () =>
      (await askServer<{ items: readonly Tenant[] }>('GET', `${apiRoot}/tenants?limit=${mostShown}`)).items,
  });
  return (
    <Page title="Tenants" lead="Who uses this installation.">
      <RecordsTable
        label="Tenants"
        rows={tenants.data}
        keyOf={({ id }) => String(id)}
        error={tenants.error}
        retry={() => void tenants.refetch()}
        empty={{ title: 'No tenants yet', description: 'Make the first one: npx callout tenant create --name acme' }}
        columns={[
          { title: 'Id', isNumber: true, cell: ({ id }) => id },
          { title: 'Name', cell: ({ name }) => name },
          {
            title: 'Callouts an hour',
            isNumber: true,
            cell: ({ calloutThreshold }) => calloutThreshold?.toLocaleString() ?? 'as the installation',
          },
        ]}
      />
      <Text size="sm">
        Tenants, resources and credentials are changed with <Code>npx callout --help</Code>, and{' '}
        <Code>npx callout status</Code> says how the installation does.
      </Text>
    </Page>
  );
}
