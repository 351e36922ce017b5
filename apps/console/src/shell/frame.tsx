import { Anchor, AppShell, Burger, Group, Menu, NavLink, Text, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { signOut, sessionQuery, type Session } from '../api/session.ts';
import { homeOf, navigationOf } from './navigation.ts';

/** The frame around every page: navigation, who is signed in, and light or dark. */
export function Frame({ session, children }: { session: Session; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const items = navigationOf(session);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const hasNavigation = items.length > 0;
  return (
    <AppShell
      header={{ height: 52 }}
      padding="lg"
      {...(hasNavigation && { navbar: { width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } } })}
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between">
          <Group gap="xs">
            {hasNavigation && (
              <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            )}
            <img src="/console/callout.svg" alt="" width={24} height={24} />
            <Text fw={650}>Callout</Text>
          </Group>
          <Account session={session} />
        </Group>
      </AppShell.Header>
      {hasNavigation && (
        <AppShell.Navbar p="sm" component="nav" aria-label="Pages">
          {items.map(({ to, label }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              active={to === homeOf(session) ? path === to : path === to || path.startsWith(`${to}/`)}
              activeOptions={{ exact: to === homeOf(session) }}
              onClick={close}
            />
          ))}
        </AppShell.Navbar>
      )}
      <AppShell.Main>{children}</AppShell.Main>
    </AppShell>
  );
}

function Account({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  async function leave(): Promise<void> {
    await signOut();
    queryClient.setQueryData(sessionQuery.queryKey, null);
    // The next person at this browser must not see what this one has read.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  const name = session.kind === 'operator' ? 'Operator' : (session.userName ?? session.resource.email);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Anchor component="button" type="button" size="sm">
          {name}
        </Anchor>
      </Menu.Target>
      <Menu.Dropdown>
        {session.kind !== 'operator' && <Menu.Label>{`${session.tenant.name}, ${session.role}`}</Menu.Label>}
        <Menu.Label>Version {session.version}</Menu.Label>
        <Menu.Divider />
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item key={scheme} onClick={() => setColorScheme(scheme)} aria-current={colorScheme === scheme}>
            {{ auto: 'Colours of the system', light: 'Light', dark: 'Dark' }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
