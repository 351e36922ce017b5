import { useInfiniteQuery } from '@tanstack/react-query';
import { operatorPages, type Lockout } from '../../../api/operator.ts';
import { Page } from '../../../parts/page.tsx';
import { pagesOf } from '../../../parts/table/rows-of.ts';
import { LockoutsTable } from '../lockouts-table.tsx';

/** Who is locked out of the API and of the console after too many failed sign-ins. */
export default function LockoutsPage() {
  const query = operatorPages<Lockout>(['lockouts'], '/lockouts');
  const lockouts = useInfiniteQuery({ ...query, refetchInterval: 15_000 });
  return (
    <Page title="Lockouts" lead="User names that are refused for a while after too many failed sign-ins.">
      <LockoutsTable list={pagesOf(lockouts)} />
    </Page>
  );
}
