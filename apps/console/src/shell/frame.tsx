import { Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Session } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Account } from './account.tsx';
import { documentsOf, homeOf, navigationOf } from './navigation.ts';

/** The frame around every page: navigation, documentation, who is signed in, and light or dark. */
export function Frame({ session, children }: { session: Session; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const hasNavigation = navigationOf(session).length > 0;
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
          <Text fw={650} size="lg">
            Callout
          </Text>
        </Group>
        <Group gap="xs" wrap="nowrap">
          {/* A portal has no pages at the side, where the others have the documents. */}
          {session.isPortal && (
            <a className="page-link" href="/docs" target="_blank" rel="noreferrer">
              <Icon of="books" /> Documentation
            </a>
          )}
          <Account session={session} />
        </Group>
      </header>
      {hasNavigation && <Pages session={session} isOpen={isOpen} close={close} />}
      <main className="frame-page">{children}</main>
    </div>
  );
}

interface PagesProps {
  readonly session: Session;
  /** On a phone. */
  readonly isOpen: boolean;
  readonly close: () => void;
}

function Pages({ session, isOpen, close }: PagesProps) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const home = homeOf(session);
  return (
    <nav className="frame-pages" aria-label="Pages" data-is-open={isOpen || undefined}>
      {navigationOf(session).map(({ to, label, icon }) => (
        <Link
          key={to}
          to={to}
          className="page-link"
          data-is-active={(to === home ? path === to : path === to || path.startsWith(`${to}/`)) || undefined}
          activeOptions={{ exact: to === home }}
          onClick={close}
        >
          <Icon of={icon} size={18} /> {label}
        </Link>
      ))}
      <div className="page-link-rest">
        {documentsOf(session).map(({ to, label, icon }) => (
          <a key={to} className="page-link" href={to} target="_blank" rel="noreferrer">
            <Icon of={icon} size={18} /> {label}
          </a>
        ))}
      </div>
    </nav>
  );
}
