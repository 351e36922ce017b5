import { Anchor, Menu, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { signOut, sessionQuery, type Session } from '../api/session.ts';

interface AccountMenuProps {
  readonly session: Session;
  readonly name: string;
}

/** Colours, and the way out; it is open when it comes. */
export default function AccountMenu({ session, name }: AccountMenuProps) {
  const queryClient = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  async function leave(): Promise<void> {
    await signOut();
    queryClient.setQueryData(sessionQuery.queryKey, null);
    // The next person at this browser must not see what this one has read.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  return (
    <Menu position="bottom-end" withinPortal defaultOpened>
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
