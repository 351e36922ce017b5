import { useInfiniteQuery } from '@tanstack/react-query';
import { type Tenant, tenantPages } from '../../../api/operator.ts';
import { type Change, ChangesTable, changesOfPage } from '../../../parts/changes/changes-table.tsx';
import { pagesOf } from '../../../parts/table/records-table.tsx';
import { resourcesQuery } from '../operator-queries.ts';

/** Who changed what of a tenant: people, operators and the service. */
export default function ChangesTab({ tenant }: { readonly tenant: Tenant }) {
  const changes = useInfiniteQuery(tenantPages<Change>(tenant.id, 'Changes', changesOfPage));
  const resources = pagesOf(useInfiniteQuery(resourcesQuery(tenant.id))).rows ?? [];
  return <ChangesTable list={pagesOf(changes)} names={new Map(resources.map(({ id, email }) => [id, email]))} />;
}
