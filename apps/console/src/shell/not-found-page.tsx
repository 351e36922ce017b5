import { EmptyState } from '@mantine/core';
import { PageLink } from '../parts/show/links.tsx';

/** @param home where to start from. */
export function NotFoundPage({ home = '/' }: { readonly home?: string }) {
  return (
    <EmptyState
      title="There is no page at this address"
      description={
        <>
          Check the address, or start from the{' '}
          <PageLink to={home} inherit underline="always">
            {home === '/' ? 'overview' : 'status'}
          </PageLink>
          .
        </>
      }
    />
  );
}
