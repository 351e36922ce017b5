import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Session, sessionQuery, signOut } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { forgetSecrets } from '../parts/secret/new-secrets.ts';

interface AccountMenuProps {
  readonly session: Session;
  readonly name: string;
}

const schemes = [
  { scheme: 'auto', label: 'Colours of the system', icon: 'deviceDesktop' },
  { scheme: 'light', label: 'Light', icon: 'sun' },
  { scheme: 'dark', label: 'Dark', icon: 'moon' },
] as const;

/** Colours, and the way out; it is open when it comes. */
export default function AccountMenu({ session, name }: AccountMenuProps) {
  const queryClient = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  async function leave(): Promise<void> {
    await signOut();
    forgetSecrets();
    queryClient.setQueryData(sessionQuery.queryKey, null);
    // The next person at this browser must not see what this one has read.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  return (
    <Menu position="bottom-end" withinPortal defaultOpened>
      <Menu.Target>
        <UnstyledButton className="page-link">
          <Icon of="userCircle" size={18} />{' '}
          <Text span inherit truncate maw="40vw">
            {name}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {session.kind !== 'operator' && <Menu.Label>{`${session.tenant.name}, ${session.role}`}</Menu.Label>}
        <Menu.Label>Version {session.version}</Menu.Label>
        <Menu.Divider />
        {schemes.map(({ scheme, label, icon }) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            aria-current={colorScheme === scheme}
            leftSection={<Icon of={icon} />}
            rightSection={colorScheme === scheme && <Icon of="check" />}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon of="logout" />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
