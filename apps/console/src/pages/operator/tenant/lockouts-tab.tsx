import type { Tenant } from '../../../api/operator.ts';
import { LockoutsTable } from '../lockouts-page.tsx';

/** The user names of a tenant that are locked out. */
export default function LockoutsTab({ tenant }: { readonly tenant: Tenant }) {
  return <LockoutsTable tenantID={tenant.id} />;
}
