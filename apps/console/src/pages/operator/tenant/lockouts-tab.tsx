import type { Tenant } from '../../../api/operator.ts';
import { LockoutsTable } from '../lockouts-page.tsx';

/** The locked out user names of a tenant. */
export default function LockoutsTab({ tenant }: { readonly tenant: Tenant }) {
  return <LockoutsTable tenantID={tenant.id} />;
}
