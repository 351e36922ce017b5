import { Note } from '../../../parts/show/fact.tsx';
import { PageLink } from '../../../parts/show/links.tsx';

/** The name of a tenant, as a link to the page of the tenant, and the id. */
export function TenantLink({ id, name }: { readonly id: number; readonly name: string | null }) {
  return (
    <>
      <PageLink to={`/operator/tenants/${id}`} className="break-anywhere">
        {name ?? `Tenant ${id}`}
      </PageLink>{' '}
      {name !== null && <Note span>{id}</Note>}
    </>
  );
}
