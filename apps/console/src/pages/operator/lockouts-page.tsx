import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Lockout, operatorPages } from '../../api/operator.ts';
import { useOperation } from './operation/use-operation.ts';
import { TenantLink } from './tenant/tenant-link.tsx';
import { Time } from '../../parts/show/time.tsx';
import { type Column, pagesOf, RecordsTable } from '../../parts/table/records-table.tsx';
import { Page } from '../../parts/page.tsx';

/** Who is locked out of the API and of the console after too many failed sign-ins. */
export default function LockoutsPage() {
  return (
    <Page title="Lockouts" lead="User names that are refused for a while after too many failed sign-ins.">
      <LockoutsTable />
    </Page>
  );
}

interface LockoutsTableProps {
  /** Undefined: of all tenants. */
  readonly tenantID?: number;
}

const tenantColumn: Column<Lockout> = {
  title: 'Tenant',
  cell: ({ tenantID, tenantName }) => tenantID !== null && <TenantLink id={tenantID} name={tenantName} />,
};

/** User names refused for a while, with a way to let the user names in again. */
export function LockoutsTable({ tenantID }: LockoutsTableProps) {
  const lockouts = useInfiniteQuery({
    ...operatorPages<Lockout>(['lockouts', tenantID], 'listLockouts', { tenantID }),
    refetchInterval: 15_000,
  });
  const lift = useOperation('liftLockouts');
  return (
    <RecordsTable
      label="Lockouts"
      {...pagesOf(lockouts)}
      keyOf={({ userName, address, endDateTime }) => `${userName ?? ''} ${address} ${endDateTime}`}
      empty={{
        title: 'No user name is locked out',
        description: 'Ten failed sign-ins from one address within 15 minutes lock a user name out for 15 minutes.',
      }}
      columns={[
        {
          title: 'User name',
          cell: ({ userName }) => userName ?? 'a name that no credential has: it is stored as a digest',
        },
        ...(tenantID === undefined ? [tenantColumn] : []),
        { title: 'Address', cell: ({ address }) => address },
        { title: 'Ends', cell: ({ endDateTime }) => <Time value={endDateTime} /> },
        {
          title: '',
          isNumber: true,
          cell: ({ userName, address }) =>
            userName !== null && (
              <Button
                size="compact-sm"
                variant="default"
                className="no-print"
                aria-label={`Let ${userName} in again from ${address}`}
                onClick={() => lift.mutate({ userName, address })}
              >
                Lift
              </Button>
            ),
        },
      ]}
    />
  );
}
