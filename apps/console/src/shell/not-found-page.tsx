import { Anchor, EmptyState } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** @param home where to start from. */
export function NotFoundPage({ home = '/' }: { readonly home?: string }) {
  return (
    <EmptyState
      title="There is no page at this address"
      description={
        <>
          Check the address, or start from the{' '}
          <Anchor component={Link} to={home}>
            {home === '/' ? 'overview' : 'status'}
          </Anchor>
          .
        </>
      }
    />
  );
}
