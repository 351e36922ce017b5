import { Anchor, EmptyState } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function NotFoundPage() {
  return (
    <EmptyState
      title="There is no page at this address"
      description={
        <>
          Check the address, or start from the{' '}
          <Anchor component={Link} to="/">
            overview
          </Anchor>
          .
        </>
      }
    />
  );
}
