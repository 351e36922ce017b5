import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';

/** What a table shows of a query: its rows, why there are none, and a way to read them again. */
export const rowsOf = <Row>({ data, error, refetch }: UseQueryResult<readonly Row[]>) => ({
  rows: data,
  error,
  retry: () => void refetch(),
});

/** The same of a query that is read page by page, and the way to the next page. */
export const pagesOf = <Row>(query: UseInfiniteQueryResult<InfiniteData<{ items: readonly Row[] } | undefined>>) => ({
  rows: query.data?.pages.flatMap((page) => page?.items ?? []),
  error: query.error,
  retry: () => void query.refetch(),
  more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
  isReadingMore: query.isFetchingNextPage,
});
