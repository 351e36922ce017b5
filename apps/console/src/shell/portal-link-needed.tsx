import { EmptyState, Loader, Text } from '@mantine/core';
import { ApiError } from '@callout/client';
import { Icon } from '../parts/icon.tsx';
import { problemOf } from '../parts/loaded.tsx';

interface PortalLinkNeededProps {
  /** The link is being tried. */
  readonly isPending: boolean;
  /** Why it was refused; null: there was no link, or its session has ended. */
  readonly error: Error | null;
}

/** In a portal without a session: what to do. A link counts once, so neither a reload nor a bookmark leads back. */
export function PortalLinkNeeded({ isPending, error }: PortalLinkNeededProps) {
  if (isPending) return <Loader aria-label="Signing in" />;
  const wasRefused = error instanceof ApiError && error.status === 401;
  return (
    <EmptyState
      icon={<Icon of="linkOff" size={32} />}
      title={
        <Text component="h1" inherit>
          {wasRefused ? 'This link cannot be used again' : 'You are not signed in'}
        </Text>
      }
      description={
        <>
          {error !== null && !wasRefused && <>{problemOf(error)} </>}
          {wasRefused && <>A link works once and for a short time, and this one was used or has expired. </>}
          Go back to the page or the message from which you came here, and open your webhooks from there again: that
          makes a new link.
        </>
      }
    />
  );
}
