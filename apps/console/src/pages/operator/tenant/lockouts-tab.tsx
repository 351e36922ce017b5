import { useQuery } from '@tanstack/react-query';
import type { Tenant } from '../../../api/operator.ts';
import { LockoutsTable } from '../lockouts-table.tsx';
import { lockoutsOfTenantQuery } from './tenant-queries.ts';
import { rowsOf } from '../../../parts/table/rows-of.ts';

/** The user names of a tenant that are locked out. */
export default function LockoutsTab({ tenant }: { readonly tenant: Tenant }) {
  const lockouts = useQuery(lockoutsOfTenantQuery(tenant.id));
  return <LockoutsTable list={rowsOf(lockouts)} />;
}
