import { Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Session } from '../api/session.ts';
import { Account } from './account.tsx';
import { homeOf, navigationOf } from './navigation.ts';

/** The frame around every page: navigation, who is signed in, and light or dark. */
export function Frame({ session, children }: { session: Session; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const items = navigationOf(session);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const hasNavigation = items.length > 0;
  return (
    <div className="frame" data-has-pages={hasNavigation || undefined}>
      <header className="frame-header">
        <Group gap="xs">
          {hasNavigation && (
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
            />
          )}
          <img src="/console/callout.svg" alt="" width={24} height={24} />
          <Text fw={650}>Callout</Text>
        </Group>
        <Account session={session} />
      </header>
      {hasNavigation && (
        <nav className="frame-pages" aria-label="Pages" data-is-open={isOpen || undefined}>
          {items.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className="page-link"
              data-is-active={
                (to === homeOf(session) ? path === to : path === to || path.startsWith(`${to}/`)) || undefined
              }
              activeOptions={{ exact: to === homeOf(session) }}
              onClick={close}
            >
              {label}
            </Link>
          ))}
        </nav>
      )}
      <main className="frame-page">{children}</main>
    </div>
  );
}
