import { useInfiniteQuery } from '@tanstack/react-query';
import { operatorList, type Lockout } from '../../../api/operator.ts';
import { Page } from '../../../parts/page.tsx';
import { LockoutsTable } from '../lockouts-table.tsx';

/** Who is locked out of the API and of the console after too many failed sign-ins. */
export default function LockoutsPage() {
  const lockouts = useInfiniteQuery({
    queryKey: ['operator', 'lockouts'],
    initialPageParam: undefined as number | string | undefined,
    queryFn: ({ pageParam }) => operatorList<Lockout>('/lockouts', { after: pageParam }),
    getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
    refetchInterval: 15_000,
  });
  return (
    <Page title="Lockouts" lead="User names that are refused for a while after too many failed sign-ins.">
      <LockoutsTable
        rows={lockouts.data?.pages.flatMap(({ items }) => items)}
        error={lockouts.error}
        retry={() => void lockouts.refetch()}
        more={lockouts.hasNextPage ? () => void lockouts.fetchNextPage() : undefined}
      />
    </Page>
  );
}
